// Files by descriptor: exact reads and writes, and the replacement of a file in one step. Knows no format.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace luth::io {

/// An open file. `read` and `write` move all bytes, or keep the reason in `error()`. They never throw, because HDF5
/// calls them. After a failed write all later writes are ignored. So HDF5 can close its file, and users read the first
/// failure. Several threads may read one.
class Disk {
 public:
  Disk() = default;
  Disk(int fd, uint64_t size) : fd_(fd), size_(size) {}
  Disk(Disk&& o) noexcept;
  Disk& operator=(Disk&& o) noexcept;
  ~Disk();
  /// A regular file for reading; throws `code` with the path.
  static Disk open(const std::string& path, ErrorCode code);

  bool read(void* to, size_t bytes, uint64_t at) noexcept;
  bool write(const void* from, size_t bytes, uint64_t at) noexcept;
  bool truncate(uint64_t size) noexcept;
  bool sync() noexcept;
  /// Has the system write what it holds, while the process goes on: sync() then has less to wait for. A write does so
  /// after each 8 MiB.
  void start_writeback() noexcept;
  /// Asks the system for the size, where another process has written.
  bool measure() noexcept;
  /// Bytes in the file, counting what was written.
  uint64_t size() const { return size_; }
  int fd() const { return fd_; }
  /// The errno of the first failure; 0 without one. A read past the end counts as EIO.
  int error() const { return error_; }
  /// "No space left on device"
  std::string reason() const;

 private:
  bool failed(int error) noexcept;
  int fd_ = -1;
  std::atomic<int> error_ = 0;
  uint64_t size_ = 0;
  size_t unwritten_ = 0;  // bytes since the last start_writeback()
};

/// A file that takes the place of another when it is complete. It is written beside its target under a name of its own,
/// `.<name>.<16 random hex digits>.saving`, which nobody had before (O_EXCL), gets the target's owner, group and mode
/// and never a wider one, is synced, and moved over the target. So the target is always the complete old file or the
/// complete new one, whenever the process or the machine stops, and no file, link or lock that another has put there is
/// written or waited for. A symbolic link of ours or root's is followed; one of another user is an error. Of two savers
/// of one target the later one wins. A save removes what killed processes of its user have left in the folder; files
/// that are being written are locked.
class Replacement {
 public:
  explicit Replacement(const std::string& path);
  /// Removes the unfinished file when `commit` was not reached.
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Disk& disk() { return disk_; }
  /// Syncs and moves the file into place. With `previous`, a file name in the folder of the path (of the link, where it
  /// is one), the file that was there stays under that name; at every moment the target exists.
  void commit(const std::string& previous = "");
  /// Throws `why` as an error with the path and the state of the old file.
  [[noreturn]] void fail(const std::string& why) const;

 private:
  void open();
  void take_rights();
  void check_own() const;
  void keep_previous(const std::string& name);
  std::string shown_, target_, folder_, temporary_;
  Disk disk_;
  bool committed_ = false;
};

/// Whether the name is a symbolic link's.
bool is_link(const std::string& path);
/// A regular file of at most `most` bytes; throws `code` for anything else.
std::string read_whole(const std::string& path, uint64_t most, ErrorCode code);
/// Opens a file for writing that is nobody else's: made where there is none, never a link, one with several names, a
/// pipe or another user's. -1 with errno.
int open_own(const std::string& path, int how);
/// The whole file at once, replaced in one step; for small formats.
void replace_file(const std::string& path, const void* bytes, size_t size);
/// Adds to the end of a file, which is made where it is missing, and syncs it, unless `sync` is false. Adds nothing
/// where not all can be written.
void append_file(const std::string& path, const void* bytes, size_t size, bool sync = true);
/// Makes a folder and those above it that are missing, and syncs the folders that they lie in. Throws
/// ErrorCode::usage.
void make_folders(const std::string& path);

}  // namespace luth::io
