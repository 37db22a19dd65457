#include "core/data/idx.h"

#include <algorithm>
#include <bit>

#include "core/records/packed_file.h"

namespace luth {
namespace {

using data::PackedFile;

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
Shape read_header(PackedFile& in, const std::string& path, Dtype& dtype) {
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
  PackedFile in(path);
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
