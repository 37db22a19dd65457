// The process that parses an HDF5 file: libexec/luth/read-hdf5, beside the library. It has the file, a pipe for its
// answer and a file in memory for what it unpacks; no file system, no network, bounded memory and time.
#pragma once
#include <cstdint>
#include <string>

#include "core/io/disk.h"
#include "core/io/tree.h"

namespace luth::io {

/// What a process may take to read a file of `size` bytes.
struct ReadBounds {
  uint64_t memory, unpacked, answer;  // bytes
  uint64_t seconds;                   // of processor time
};
/// `max_bytes`: the user's bound on what the file may become in memory; 0: 4 times its size, 1,100 times what is
/// packed. `available`: the memory that is left, in bytes; 0: unknown.
ReadBounds read_bounds(uint64_t size, uint64_t max_bytes, int64_t available = 0);

/// The tree of `disk`, as core/io/hdf5_reader.h describes it, read by a process of its own. Throws what the reader
/// throws, and ErrorCode::checkpoint where the process does not start, dies, or takes more than its bounds.
Item describe_in_child(Disk& disk, const std::string& path, bool sealed, Disk& unpacked, const ReadBounds& bounds);
/// "" where that process starts and answers, else why not.
std::string reader_trouble();

/// The file in memory for what is unpacked.
Disk memory_file();

/// The descriptors of the process. Its answer is the byte `child_ready`, when it has given up its rights and nothing is
/// parsed yet, then a tree, or a map of the kind `error_kind` with `text`. It ends with the code `keeps_rights` where
/// the system does not let it give them up.
inline constexpr int child_file = 3, child_answer = 4, child_unpacked = 5;
inline constexpr char child_ready = '!';
inline constexpr int keeps_rights = 4;
inline constexpr const char* error_kind = "%error";

}  // namespace luth::io
