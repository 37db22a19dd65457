#include "core/base/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace luth {

void check_is_file(const std::string& path, const struct stat& status, ErrorCode code) {
  if (!S_ISREG(status.st_mode))
    throw Error(code, "cannot read '{}': it is {}, not a file", path,
                S_ISDIR(status.st_mode) ? "a folder" : "a device or pipe");
}

int open_file(const std::string& path, struct stat& status, ErrorCode code) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  try {
    if (fd < 0 || fstat(fd, &status)) throw Error(code, "cannot open '{}': {}", path, std::strerror(errno));
    check_is_file(path, status, code);
  } catch (const Error&) {
    if (fd >= 0) ::close(fd);
    throw;
  }
  return fd;
}

}  // namespace luth
