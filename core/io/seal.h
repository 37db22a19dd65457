// The seal: 512 bytes before HDF5's own (HDF5's "user block") that tell whether a checkpoint is whole.
//   0  magic, 8 bytes    8  version, u32    12  zero, u32    16  file length, u64    24  XXH3-128 of all that follows
//   the 512 bytes, big-endian as xxhsum prints it    40  zeros.    Numbers are little-endian.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <semaphore>
#include <span>
#include <string>

#include "core/base/limits.h"
#include "core/io/disk.h"
#include "core/tensor/tensor.h"

namespace luth::io {

inline constexpr size_t seal_bytes = 512;
inline constexpr uint32_t seal_version = 1;
inline constexpr uint64_t small_file = 1 << 20;  // bytes; hashed sooner than a thread starts

struct Seal {
  bool present = false;  // false: a file of somebody else, or no file of this kind at all
  uint32_t version = 0;  //
  uint64_t length = 0;   // as the seal says, in bytes
  uint64_t actual = 0;   // as the file is
  std::string digest;    // as the seal says, 32 hexadecimal digits
  std::string problem;   // "" when the seal is absent, or present and right; else a clause: "it is cut short, …"
};

/// What the seal of a file says, and what is wrong with it before the contents are read. Throws `code` when the disk
/// fails.
Seal read_seal(Disk& disk, const std::string& path, ErrorCode code);

/// Looks at the seal of a file, and reads the whole file: one that is not small on a thread of its own where there is
/// one, so that what it holds can be read meanwhile. That must not be used before finish() has found no problem.
class SealCheck {
 public:
  /// `code` is that of the errors that are thrown when the disk fails. The disk is used until finish().
  SealCheck(Disk& disk, std::string path, ErrorCode code);
  ~SealCheck();
  SealCheck(const SealCheck&) = delete;
  /// As read_seal() gives it, until finish().
  const Seal& seal() const { return seal_; }
  /// The tensor has the bytes of the file from `at` on, and nobody changes them before finish(): they are not read
  /// again.
  void found(uint64_t at, const Tensor& t);
  /// Reads a small file, or waits for the reading; the calling thread may be interrupted.
  const Seal& finish();

 private:
  void read_all();
  std::span<const char> piece(uint64_t at, std::span<char> buffer);
  std::string path_;
  ErrorCode code_;
  Disk file_;  // a descriptor of its own
  Seal seal_;
  std::atomic<bool> stop_ = false;
  std::binary_semaphore read_{0};       // the thread has read the file
  bool waits_ = false, whole_ = false;  // the digest is to be found; what it is, is known
  std::string found_;                   // as Seal::digest
  std::mutex lock_;                     // of the next
  std::map<uint64_t, Tensor> have_;     // by their places in the file
  std::exception_ptr error_;            // what ended the reading, such as a lack of memory
  Threads thread_;                      // the last member: joined before the others go
};
/// Computes and writes the seal of a file whose first 512 bytes are free; false when the disk failed.
bool write_seal(Disk& disk);

}  // namespace luth::io
