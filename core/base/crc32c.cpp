#include "core/base/crc32c.h"

#include <array>

namespace luth {
namespace {

constexpr auto table = [] {
  std::array<uint32_t, 256> all{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? c >> 1 ^ 0x82F63B78u : c >> 1;
    all[i] = c;
  }
  return all;
}();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t c = ~0u;
  for (const char b : bytes) c = table[(c ^ static_cast<unsigned char>(b)) & 255] ^ c >> 8;
  return ~c;
}

}  // namespace luth
