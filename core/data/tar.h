// The members of a tar archive: POSIX ustar and pax, and GNU's long names.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "core/image/file.h"

namespace luth::data {

struct TarMember {
  std::string name;
  uint64_t at, size;  // of its bytes in the archive
};

/// Calls `visit` with each regular file of the archive, in order. Reads headers alone. What a header claims is held
/// against the size of the archive. Throws, naming archive, member and byte, for what is no tar, for one that is
/// compressed, cut short or damaged, and for sparse members.
void read_tar(const File& archive, const std::function<void(TarMember)>& visit);

}  // namespace luth::data
