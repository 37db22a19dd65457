#include "core/io/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/base/open_file.h"

namespace luth::io {
namespace {

constexpr size_t most_unwritten = size_t(8) << 20;  // bytes, before the disk is given work
constexpr size_t most_per_call = size_t(1) << 30;   // Linux moves at most 2 GiB in one call

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string text(int error) { return std::strerror(error); }

// What a call of stat's family says of a target: whether it is there. Where that cannot be told nothing is saved,
// because a target keeps its mode, and the file before it.
bool is_there(int result, const std::string& path) {
  if (result == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw Error("cannot save '{}': {}", path, text(errno));
}

// A link counts only from us or from root: whose folder it lies in says little where others may write there.
void refuse_planted(const std::string& path, uid_t owner) {
  if (owner != geteuid() && owner != 0)
    throw Error("cannot save '{}': another user has put a symbolic link there; remove it or choose another name", path);
}

// The file that `path` stands for when it is a chain of symbolic links; the last one need not lead anywhere.
std::string follow(std::string path) {
  for (int i = 0; i < 40; ++i) {
    struct stat s;
    if (!is_there(lstat(path.c_str(), &s), path) || !S_ISLNK(s.st_mode)) return path;
    refuse_planted(path, s.st_uid);
    char to[PATH_MAX];
    ssize_t n = readlink(path.c_str(), to, sizeof to);
    if (!is_there(n < 0, path) || n == ssize_t(sizeof to)) return path;
    std::string next(to, size_t(n));
    path = next[0] == '/' ? next : folder_of(path) + "/" + next;
  }
  throw Error("cannot save '{}': too many symbolic links", path);
}

// 0, or the errno. A folder that may be written and not read has nothing to sync by.
int sync_folder(const std::string& path) {
  const Disk folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
  if (folder.fd() < 0) return errno == EACCES ? 0 : errno;
  return fsync(folder.fd()) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

// ---- Names of unfinished files ----

constexpr std::string_view suffix = ".saving";
constexpr size_t digits = 16;
constexpr int tries = 100;  // of another name, where somebody is in the way

std::string fresh_name(const std::string& folder, const std::string& name) {
  uint64_t random = 0;
  if (getentropy(&random, sizeof random)) random = uint64_t(getpid()) << 32 ^ uint64_t(clock());
  return fmt::format("{}/.{}.{:016x}{}", folder, name.substr(0, 200), random, suffix);
}
bool is_unfinished(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  if (name.size() < digits + 2 || name[name.size() - digits - 1] != '.') return false;
  return name.substr(name.size() - digits).find_first_not_of("0123456789abcdef") == name.npos;
}
bool same_file(const struct stat& a, const struct stat& b) { return a.st_ino == b.st_ino && a.st_dev == b.st_dev; }

// Removes an unfinished file of this user that no process has locked. Its contents may have other names, which stay.
void remove_leftover(int folder, const char* name) {
  const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  const Disk closes(fd, 0);
  struct stat opened, there;
  if (fstat(fd, &opened) || !S_ISREG(opened.st_mode) || opened.st_uid != geteuid()) return;
  if (flock(fd, LOCK_EX | LOCK_NB) || fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW)) return;
  if (same_file(opened, there)) unlinkat(folder, name, 0);
}

// What killed processes have left in the folder. A large one is read through once in a process, since reading it takes
// longer than a save.
void remove_leftovers(const std::string& path) {
  static std::mutex mutex;
  static std::set<std::pair<dev_t, ino_t>> large;
  struct stat s;
  if (::stat(path.c_str(), &s)) return;
  const std::pair<dev_t, ino_t> key(s.st_dev, s.st_ino);
  {
    const std::lock_guard lock(mutex);
    if (large.contains(key)) return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return;
  size_t entries = 0;
  for (const dirent* entry; (entry = readdir(folder.get())); ++entries)
    if (is_unfinished(entry->d_name)) remove_leftover(dirfd(folder.get()), entry->d_name);
  if (entries < 1000) return;
  const std::lock_guard lock(mutex);
  large.insert(key);
}

struct Moved {
  size_t bytes;
  int error;  // 0: all bytes were moved
};
// Moves `bytes` between memory and a file in pieces, by pread or pwrite. `none`: the error where a call moves nothing.
template <class Call, class Byte>
Moved move_bytes(Call call, int fd, Byte* memory, size_t bytes, uint64_t at, int none) noexcept {
  size_t done = 0;
  while (done < bytes) {
    ssize_t n = call(fd, memory + done, std::min(bytes - done, most_per_call), off_t(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {done, n ? errno : none};
    done += size_t(n);
  }
  return {done, 0};
}

}  // namespace

Disk::Disk(Disk&& o) noexcept
    : fd_(std::exchange(o.fd_, -1)), error_(o.error()), size_(o.size_), unwritten_(o.unwritten_) {}
Disk& Disk::operator=(Disk&& o) noexcept {
  std::swap(fd_, o.fd_);
  error_ = o.error_.exchange(error_);
  std::swap(size_, o.size_);
  std::swap(unwritten_, o.unwritten_);
  return *this;
}
Disk::~Disk() {
  if (fd_ >= 0) ::close(fd_);
}

Disk Disk::open(const std::string& path, ErrorCode code) {
  struct stat s;
  const int fd = open_file(path, s, code);
  return Disk(fd, uint64_t(s.st_size));
}

bool Disk::failed(int error) noexcept {
  int none = 0;
  error_.compare_exchange_strong(none, error);
  return false;
}

void Disk::start_writeback() noexcept {
  unwritten_ = 0;
#ifdef SYNC_FILE_RANGE_WRITE
  sync_file_range(fd_, 0, 0, SYNC_FILE_RANGE_WRITE);  // where that cannot be, nothing is lost
#endif
}

bool Disk::read(void* to, size_t bytes, uint64_t at) noexcept {
  const Moved moved = move_bytes(pread, fd_, static_cast<char*>(to), bytes, at, EIO);
  return !moved.error || failed(moved.error);
}

bool Disk::write(const void* from, size_t bytes, uint64_t at) noexcept {
  if (error_) return false;
  const char* rest = static_cast<const char*>(from);
  while (bytes) {
    const size_t part = std::min(bytes, most_unwritten);
    const Moved moved = move_bytes(pwrite, fd_, rest, part, at, ENOSPC);
    if (moved.bytes) size_ = std::max(size_, at + moved.bytes);
    if (moved.error) return failed(moved.error);
    if ((unwritten_ += part) >= most_unwritten) start_writeback();
    rest += part, at += part, bytes -= part;
  }
  return true;
}

bool Disk::truncate(uint64_t size) noexcept {
  if (error_) return false;
  if (ftruncate(fd_, off_t(size))) return failed(errno);
  size_ = size;
  return true;
}

bool Disk::sync() noexcept {
  if (error_) return false;
  return fsync(fd_) == 0 || failed(errno);
}

bool Disk::measure() noexcept {
  struct stat s;
  if (fstat(fd_, &s)) return failed(errno);
  size_ = uint64_t(s.st_size);
  return true;
}

std::string Disk::reason() const { return text(error_); }

Replacement::Replacement(const std::string& path) : shown_(path), target_(follow(path)), folder_(folder_of(target_)) {
  if (name_of(target_).empty()) fail("the name of the file is missing");
  remove_leftovers(folder_);
  open();
}

void Replacement::open() {
  struct stat old, mine, there;
  const bool exists = is_there(::stat(target_.c_str(), &old), shown_);
  if (exists && !S_ISREG(old.st_mode)) fail(S_ISDIR(old.st_mode) ? "it is a folder" : "it is a device or pipe");
  for (int i = 0; i < tries; ++i) {
    temporary_ = fresh_name(folder_, name_of(target_));
    const int fd = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, exists ? 0600 : 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) fail(text(errno));
    disk_ = Disk(fd, 0);
    // Whoever removes leftovers may have seen the file before it was locked, and then it goes. On a file system without
    // locks nobody removes any, nor one that another user keeps locked.
    const bool seen = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (seen && i < tries / 2) {
      ::unlink(temporary_.c_str());
      continue;
    }
    const bool found = !fstat(fd, &mine) && !lstat(temporary_.c_str(), &there);
    if (const int error = found ? 0 : errno; error && error != ENOENT) {
      ::unlink(temporary_.c_str());
      fail(text(error));
    }
    if (!found || !same_file(mine, there)) continue;
    return;
  }
  fail("no name for an unfinished file is left in its folder");
}

Replacement::~Replacement() {
  if (!committed_ && disk_.fd() >= 0) ::unlink(temporary_.c_str());
}

void Replacement::fail(const std::string& why) const {
  bool exists = ::access(target_.c_str(), F_OK) == 0;
  throw Error("cannot save '{}': {}{}", shown_, why, exists ? "; the file that was there is unchanged" : "");
}

// The new file gets the owner, group and mode of the old one as far as the system lets us. In another group, and to
// others, it gets what both had. It is no program that runs as its owner: the old file may have been another's.
void Replacement::take_rights() {
  struct stat old, mine;
  if (!is_there(::stat(target_.c_str(), &old), shown_)) return;
  const int fd = disk_.fd();
  if (fchown(fd, old.st_uid, old.st_gid)) (void)!fchown(fd, uid_t(-1), old.st_gid);
  mode_t mode = old.st_mode & 0777;
  if (fstat(fd, &mine) || mine.st_gid != old.st_gid) {
    const mode_t both = (mode >> 3) & mode & 07;
    mode = (mode & 0700) | both << 3 | both;
  }
  (void)fchmod(fd, mode);
}

// Whether the name still stands for the file that was written: in a folder that all may write another may change it.
void Replacement::check_own() const {
  struct stat mine, there;
  if (fstat(disk_.fd(), &mine) || lstat(temporary_.c_str(), &there) || !same_file(mine, there))
    fail("'" + temporary_ + "' is not the file that was written any more");
}

// A second name for the old file first, so that the target never lacks a file.
void Replacement::keep_previous(const std::string& name) {
  if (!is_there(::access(target_.c_str(), F_OK), shown_)) return;
  // beside a symbolic link, where its target is on the same disk
  for (const std::string& folder : {folder_of(shown_), folder_}) {
    const std::string previous = folder + "/" + name;
    for (int i = 0; i < tries; ++i) {
      const std::string fresh = fresh_name(folder, name);
      if (::link(target_.c_str(), fresh.c_str())) break;
      const bool moved = ::rename(fresh.c_str(), previous.c_str()) == 0;
      const int error = errno;
      ::unlink(fresh.c_str());  // renaming does nothing where both are one file already, after a save that was killed
      if (moved) return;
      errno = error;
      if (error != ENOENT) break;  // else one that removes leftovers was quicker
    }
    if ((errno == EPERM || errno == EOPNOTSUPP) && ::rename(target_.c_str(), previous.c_str()) == 0)
      return;  // a file system without hard links
    if (errno != EXDEV) break;
  }
  fail("keeping the one before as '" + name + "': " + text(errno));
}

void Replacement::commit(const std::string& previous) {
  take_rights();
  if (!disk_.sync()) fail(disk_.reason());
  check_own();
  if (!previous.empty()) keep_previous(previous);
  if (::rename(temporary_.c_str(), target_.c_str())) fail(text(errno));
  committed_ = true;
  if (const int error = sync_folder(folder_))
    throw Error("'{}' is saved, but its folder could not be synced: {}", shown_, text(error));
}

void replace_file(const std::string& path, const void* bytes, size_t size) {
  Replacement file(path);
  if (!file.disk().write(bytes, size, 0)) file.fail(file.disk().reason());
  file.commit();
}

bool is_link(const std::string& path) {
  struct stat s;
  return lstat(path.c_str(), &s) == 0 && S_ISLNK(s.st_mode);
}

std::string read_whole(const std::string& path, uint64_t most, ErrorCode code) {
  Disk file = Disk::open(path, code);
  if (file.size() > most) throw Error(code, "cannot use '{}': it has {} bytes, more than {}", path, file.size(), most);
  std::string all(file.size(), '\0');
  if (!file.read(all.data(), all.size(), 0)) throw Error(code, "cannot read '{}': {}", path, file.reason());
  return all;
}

int open_own(const std::string& path, int how) {
  const int fd = ::open(path.c_str(), how | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat s;
  if (fd < 0 || (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() && s.st_nlink == 1)) return fd;
  ::close(fd);
  errno = EEXIST;  // a link, a pipe, or a file of somebody else
  return -1;
}

void append_file(const std::string& path, const void* bytes, size_t size, bool sync) {
  const bool fresh = ::access(path.c_str(), F_OK) != 0;
  Disk file(open_own(path, O_WRONLY | O_APPEND), 0);
  if (file.fd() < 0) throw Error("cannot write '{}': {}", path, text(errno));
  if (!file.measure()) throw Error("cannot write '{}': {}", path, file.reason());  // a failure cuts it to that size
  const uint64_t before = file.size();
  int error = file.write(bytes, size, before) && (!sync || file.sync()) ? 0 : file.error();
  if (error && ftruncate(file.fd(), off_t(before))) error = errno;
  if (!error && fresh && sync) error = sync_folder(folder_of(path));
  if (error) throw Error("cannot write '{}': {}", path, text(error));
}

void make_folders(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path);
  std::error_code error;
  std::vector<std::string> holders;  // of the folders that are made, the uppermost last
  for (auto above = whole; !std::filesystem::exists(above, error) && above.has_relative_path();) {
    above = above.parent_path();
    holders.push_back(above);
  }
  std::filesystem::create_directories(whole, error);
  if (error) throw Error(ErrorCode::usage, "cannot make the folder {}: {}", path, error.message());
  for (auto& holder : holders)
    if (const int failed = sync_folder(holder))
      throw Error(ErrorCode::usage, "cannot make the folder {}: {}", path, text(failed));
}

}  // namespace luth::io
