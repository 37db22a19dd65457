#include "core/io/mapping.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace luth::io {

Mapping::Mapping(Disk disk, std::string path, Access access)
    : disk_(std::move(disk)), path_(std::move(path)), size_(disk_.size()) {
  if (!size_) return;
  const int pages = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  data_ = mmap(nullptr, size_, pages, MAP_PRIVATE | MAP_NORESERVE, disk_.fd(), 0);
  if (data_ == MAP_FAILED) throw Error("cannot map '{}': {}", path_, std::strerror(errno));
}

Mapping::~Mapping() {
  if (size_) munmap(data_, size_);
}

void Mapping::check() const {
  struct stat s;
  const uint64_t now = fstat(disk_.fd(), &s) ? 0 : uint64_t(s.st_size);
  if (now < size_) throw Error("'{}' has become shorter: it had {} bytes, and has {}", path_, size_, now);
}

}  // namespace luth::io
