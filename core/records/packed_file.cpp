#include "core/records/packed_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/open_file.h"

namespace luth::data {

// Deflate packs at most 1032 to 1; a gzip file has 18 bytes of its own.
constexpr int64_t most_unpacked = 1032;

void PackedFile::Close::operator()(gzFile_s* f) const { gzclose(f); }

PackedFile::PackedFile(const std::string& path) : path_(path) {
  struct stat s {};
  const int fd = open_file(path, s);
  file_.reset(gzdopen(fd, "rb"));
  if (!file_) ::close(fd);
  if (!file_) throw Error("cannot open '{}': no memory", path);
  size_ = s.st_size;
  gzbuffer(file_.get(), 1 << 17);
}

int64_t PackedFile::most() const { return gzdirect(file_.get()) ? size_ : size_ * most_unpacked; }

int64_t PackedFile::read(void* to, int64_t bytes) {
  char* p = static_cast<char*>(to);
  int64_t got = 0;
  while (got < bytes) {
    int n = gzread(file_.get(), p + got, unsigned(std::min<int64_t>(bytes - got, 1 << 30)));
    if (n < 0) fail();
    if (!n) break;
    got += n;
  }
  if (got < bytes) check_end();
  return got;
}

void PackedFile::check_end() {
  int code = Z_OK;
  gzerror(file_.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END) fail();
}

void PackedFile::fail() {
  int code = Z_OK;
  const char* why = gzerror(file_.get(), &code);
  if (code == Z_ERRNO) throw Error("cannot read '{}': {}", path_, std::strerror(errno));
  if (code == Z_BUF_ERROR) throw Error("'{}' is cut short: its gzip data end early; fetch it again", path_);
  throw Error("'{}' is damaged: {}; fetch it again", path_, why);
}

}  // namespace luth::data
