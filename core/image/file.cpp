#include "core/image/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/open_file.h"
#include "core/base/visible.h"

namespace luth::data {

std::string path_text(const std::string& path) { return foreign(path, 1000); }

File::File(std::string path) : path_(std::move(path)) {
  struct stat s {};
  fd_ = open_file(path_, s);
  size_ = uint64_t(s.st_size);
  changed_ = int64_t(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
}

File::~File() { ::close(fd_); }

void File::read(void* to, uint64_t bytes, uint64_t at) const {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t n =
        ::pread(fd_, static_cast<char*>(to) + done, std::min<uint64_t>(bytes - done, 1 << 30), off_t(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error("cannot read '{}': {}", path_text(path_), std::strerror(errno));
    if (n == 0) throw Error("cannot read '{}': it ends at byte {}", path_text(path_), at + done);
    done += uint64_t(n);
  }
}

}  // namespace luth::data
