// The seal: 512 bytes before HDF5's own (HDF5's "user block") that tell whether a checkpoint is whole.
//   0  magic, 8 bytes    8  version, u32    12  zero, u32    16  file length, u64    24  XXH3-128 of all that follows
//   the 512 bytes, big-endian as xxhsum prints it    40  zeros.    Numbers are little-endian.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "core/io/disk.h"

namespace luth::io {

inline constexpr size_t seal_bytes = 512;
inline constexpr uint32_t seal_version = 1;

struct Seal {
  bool present = false;  // false: a file of somebody else, or no file of this kind at all
  uint32_t version = 0;  //
  uint64_t length = 0;   // as the seal says, in bytes
  uint64_t actual = 0;   // as the file is
  std::string digest;    // as the seal says, 32 hexadecimal digits
  std::string problem;   // "" when the seal is absent, or present and right; else a clause: "it is cut short, …"
};

/// Reads the whole file when a seal is there. Throws when the disk does.
Seal read_seal(Disk& disk, const std::string& path, ErrorCode code);
/// Computes and writes the seal of a file whose first 512 bytes are free; false when the disk failed.
bool write_seal(Disk& disk);

}  // namespace luth::io
