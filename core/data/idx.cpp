#include "core/data/idx.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>

namespace luth {
namespace {

// Deflate packs at most 1032 to 1; a gzip file has 18 bytes of its own.
constexpr int64_t most_unpacked = 1032;

// A plain or gzip file, read to its last byte: zlib checks the checksum when the end is reached.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path) {
    struct stat s;
    if (stat(path.c_str(), &s)) throw Error("cannot open '{}': {}", path, std::strerror(errno));
    if (!S_ISREG(s.st_mode)) throw Error("cannot read '{}': it is no file", path);
    size_ = s.st_size;
    file_.reset(gzopen(path.c_str(), "rbe"));
    if (!file_) throw Error("cannot open '{}': {}", path, errno ? std::strerror(errno) : "no memory");
    gzbuffer(file_.get(), 1 << 17);
  }
  /// Bytes that the file can hold at most when it is unpacked; known after the first read.
  int64_t most() const { return gzdirect(file_.get()) ? size_ : size_ * most_unpacked; }
  /// Reads as much of `bytes` as there is.
  int64_t read(void* to, int64_t bytes) {
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
  void check_end() {
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END) fail();
  }
  [[noreturn]] void fail() {
    int code = Z_OK;
    const char* why = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) throw Error("cannot read '{}': {}", path_, std::strerror(errno));
    if (code == Z_BUF_ERROR) throw Error("'{}' is cut short: its gzip data end early; fetch it again", path_);
    throw Error("'{}' is damaged: {}; fetch it again", path_, why);
  }

 private:
  struct Close {
    void operator()(gzFile f) const { gzclose(f); }
  };
  std::string path_;
  int64_t size_ = 0;
  std::unique_ptr<gzFile_s, Close> file_;
};

bool type_of(unsigned char code, Dtype& out) {
  switch (code) {
    case 0x08: out = Dtype::u8; return true;
    case 0x09: out = Dtype::i8; return true;
    case 0x0b: out = Dtype::i16; return true;
    case 0x0c: out = Dtype::i32; return true;
    case 0x0d: out = Dtype::f32; return true;
    case 0x0e: out = Dtype::f64; return true;
  }
  return false;
}

// Magic number and extents.
Shape read_header(Source& in, const std::string& path, Dtype& dtype) {
  unsigned char magic[4] = {}, extent[4];
  int64_t got = in.read(magic, 4);
  if (got < 4) throw Error("'{}' is cut short: it has {} bytes, the header of an IDX file 4 and more", path, got);
  if (magic[0] || magic[1] || !type_of(magic[2], dtype) || magic[3] > max_dims)
    throw Error(
        "'{}' is no IDX file: it begins with {:02x} {:02x} {:02x} {:02x}, expected 00 00, a type (08 to 0e) and a "
        "number of dims (at most {})",
        path, magic[0], magic[1], magic[2], magic[3], max_dims);
  Shape shape;
  for (int d = 0; d < magic[3]; ++d) {
    if (in.read(extent, 4) < 4) throw Error("'{}' is cut short: its header of {} dims is not complete", path, magic[3]);
    shape.push_back(int64_t(extent[0]) << 24 | int64_t(extent[1]) << 16 | int64_t(extent[2]) << 8 | extent[3]);
  }
  return shape;
}

void swap_bytes(char* p, int64_t n, size_t size) {
  if constexpr (std::endian::native == std::endian::little)
    for (int64_t i = 0; size > 1 && i < n; ++i) std::reverse(p + i * int64_t(size), p + (i + 1) * int64_t(size));
}

}  // namespace

Tensor read_idx(const std::string& path) {
  Source in(path);
  Dtype dtype{};
  Shape shape = read_header(in, path, dtype);
  int64_t header = 4 + 4 * shape.size(), bytes = int64_t(size_of(dtype));
  bool fits = true;
  for (int64_t n : shape) fits = fits && !__builtin_mul_overflow(bytes, n, &bytes);
  if (!fits || bytes > in.most() - header)
    throw Error("'{}' is cut short: its header says {}{}, which do not fit in the file", path, name(dtype),
                to_string(shape));
  Tensor t = Tensor::empty(shape, dtype, host());
  char* p = static_cast<char*>(t.raw());
  int64_t got = in.read(p, bytes);
  if (got < bytes)
    throw Error("'{}' is cut short: {} of {} bytes of {}{} are there", path, got, bytes, name(dtype), to_string(shape));
  char more;
  if (in.read(&more, 1))
    throw Error("'{}' is damaged: bytes follow the end of its {}{}", path, name(dtype), to_string(shape));
  swap_bytes(p, t.numel(), size_of(dtype));
  return t;
}

}  // namespace luth
