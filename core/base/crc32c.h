// CRC-32C: cyclic redundancy check by Castagnoli's polynomial (RFC 3720, appendix B.4).
#pragma once
#include <cstdint>
#include <string_view>

namespace luth {

/// That of "123456789" is 0xE3069283.
uint32_t crc32c(std::string_view bytes);

}  // namespace luth
