#include "core/image/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace luth::data {

// Without O_NONBLOCK a pipe would wait for its writer.
File::File(std::string path) : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat s {};
  if (fd_ < 0) throw Error("cannot open '{}': {}", path_, std::strerror(errno));
  if (fstat(fd_, &s) || !S_ISREG(s.st_mode)) {
    ::close(fd_);
    throw Error("cannot read '{}': it is {}, not a file", path_, S_ISDIR(s.st_mode) ? "a folder" : "a device or pipe");
  }
  size_ = uint64_t(s.st_size);
  changed_ = int64_t(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
}

File::~File() { ::close(fd_); }

void File::read(void* to, uint64_t bytes, uint64_t at) const {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t n =
        ::pread(fd_, static_cast<char*>(to) + done, std::min<uint64_t>(bytes - done, 1 << 30), off_t(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error("cannot read '{}': {}", path_, std::strerror(errno));
    if (n == 0) throw Error("cannot read '{}': it ends at byte {}", path_, at + done);
    done += uint64_t(n);
  }
}

}  // namespace luth::data
