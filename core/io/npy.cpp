// One array: "\x93NUMPY", the version, the length of a header, the header as a Python dictionary, the elements.
#include "core/io/npy.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "core/base/visible.h"
#include "core/io/disk.h"
#include "core/io/elements.h"
#include "core/io/stored_array.h"
#include "core/io/zip.h"

namespace luth::io {
namespace {

struct Code {
  const char* text;
  Dtype dtype;
};
constexpr Code codes[] = {{"b1", Dtype::boolean}, {"u1", Dtype::u8},  {"i1", Dtype::i8},
                          {"i2", Dtype::i16},     {"i4", Dtype::i32}, {"i8", Dtype::i64},
                          {"f2", Dtype::f16},     {"f4", Dtype::f32}, {"f8", Dtype::f64}};

struct Header {
  Dtype dtype;  // of the elements as they are stored; of unsigned ones the signed type of their size
  bool big_endian = false, fortran = false, is_unsigned = false;
  Shape shape;
  size_t bytes = 0;  // of the header itself
};

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(ErrorCode::checkpoint, "cannot use {}: {}", what, why);
}

// The header is a dictionary in Python's words: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
// Keys come in any order, each once; blanks may stand between any two words.
class Words {
 public:
  Words(std::string_view text, const std::string& what) : rest_(text), what_(what) { skip(); }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    skip();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) damaged();
  }
  std::string_view text() {
    const char quote = rest_.empty() ? '\0' : rest_[0];
    const size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) damaged();
    const std::string_view inside = rest_.substr(1, end - 1);
    take(rest_.substr(0, end + 1));
    return inside;
  }
  int64_t number() {
    int64_t n = 0;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
    const bool zeros = rest_.size() > 1 && rest_[0] == '0' && rest_[1] >= '0' && rest_[1] <= '9';  // not in Python
    if (result.ec != std::errc() || n < 0 || zeros) refuse(what_, "its shape is damaged");
    take(rest_.substr(0, size_t(result.ptr - rest_.data())));
    return n;
  }
  bool starts_list() const { return rest_.starts_with('['); }
  bool at_end() const { return rest_.empty(); }
  [[noreturn]] void damaged() const { refuse(what_, "its header is damaged"); }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  std::string_view rest_;
  const std::string& what_;
};

void read_dtype(Words& words, Header& h, const std::string& what) {
  if (words.starts_list()) refuse(what, "it holds records, for which luth has no dtype");
  const std::string_view descr = words.text();
  std::string code(descr.substr(std::min<size_t>(1, descr.size())));
  h.big_endian = !descr.empty() && descr[0] == '>';
  h.is_unsigned = code == "u2" || code == "u4" || code == "u8";
  if (h.is_unsigned) code[0] = 'i';
  for (const Code& c : codes)
    if (code == c.text && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
      h.dtype = c.dtype;
      return;
    }
  refuse(what, fmt::format("it holds elements of type '{}', for which luth has no dtype", foreign(descr)));
}

// (), (2,), (2, 3) or (2, 3,)
Shape read_shape(Words& words, const std::string& what) {
  Shape shape;
  words.expect("(");
  while (!words.take(")")) {
    if (shape.size() == max_dims) refuse(what, fmt::format("it has more than {} dims", max_dims));
    shape.push_back(words.number());
    if (words.take(",")) continue;
    if (shape.size() == 1) words.damaged();  // Python reads (2) as a number
    words.expect(")");
    break;
  }
  return shape;
}

void read_fields(std::string_view dict, Header& h, const std::string& what) {
  Words words(dict, what);
  bool descr = false, order = false, shape = false;
  words.expect("{");
  while (!words.take("}")) {
    const std::string_view key = words.text();
    bool& seen = key == "descr" ? descr : key == "fortran_order" ? order : shape;
    if (std::exchange(seen, true) || (&seen == &shape && key != "shape")) words.damaged();
    words.expect(":");
    if (key == "descr")
      read_dtype(words, h, what);
    else if (key == "shape")
      h.shape = read_shape(words, what);
    else if (h.fortran = words.take("True"); !h.fortran)
      words.expect("False");
    if (words.take(",")) continue;
    words.expect("}");
    break;
  }
  if (!words.at_end()) words.damaged();
  for (auto [seen, key] : {std::pair(descr, "descr"), std::pair(order, "fortran_order"), std::pair(shape, "shape")})
    if (!seen) refuse(what, fmt::format("its header has no {}", key));
}

Header read_header(std::string_view bytes, const std::string& what) {
  auto byte = [&](size_t i) { return size_t(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() < 10 || bytes.substr(0, 6) != "\x93NUMPY") refuse(what, "it does not begin as .npy files do");
  size_t start = byte(6) == 1 ? 10 : 12;
  if (byte(6) < 1 || byte(6) > 3) refuse(what, fmt::format("it is of version {}; luth reads 1 to 3", byte(6)));
  if (bytes.size() < start) refuse(what, "it is cut short");
  size_t length = byte(8) | byte(9) << 8;
  if (start == 12) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) refuse(what, "it is cut short");
  Header h{};
  h.bytes = start + length;
  read_fields(bytes.substr(start, length), h, what);
  return h;
}

constexpr uint64_t most_header = 1 << 20;  // bytes; NumPy reads 10,000
constexpr uint64_t most_lazy_header = 1 << 16;

// The header of a .npy file of `bytes` bytes, of which `start` holds the first ones.
Header checked_header(std::string_view start, uint64_t bytes, const std::string& what) {
  const Header h = read_header(start, what);
  bytes -= h.bytes;
  const auto fits = array_bytes(h.shape, h.dtype);
  const uint64_t size = fits.value_or(0);
  if (!fits || size > bytes)
    refuse(what,
           fmt::format("it is cut short: {}{} does not fit in {} bytes", name(h.dtype), to_string(h.shape), bytes));
  if (size < bytes) refuse(what, fmt::format("{} bytes follow its end", bytes - size));
  return h;
}

// Each element of U in the next larger type T.
template <class T, class U>
Tensor widened(const Tensor& t, Dtype dtype) {
  Tensor out = Tensor::empty(t.shape(), dtype, host(), &t.strides());
  const U* from = static_cast<const U*>(t.raw());
  std::copy(from, from + t.numel(), out.data<T>());
  return out;
}

// The values of unsigned elements in a dtype that holds them: uint16 becomes int32, uint32 and uint64 int64.
Tensor as_signed(const Tensor& t, const std::string& what) {
  if (t.dtype() == Dtype::i16) return widened<int32_t, uint16_t>(t, Dtype::i32);
  if (t.dtype() == Dtype::i32) return widened<int64_t, uint32_t>(t, Dtype::i64);
  const int64_t *begin = t.data<int64_t>(), *end = begin + t.numel();
  if (std::any_of(begin, end, [](int64_t v) { return v < 0; }))
    refuse(what, "it holds a uint64 of 2^63 or more, which no dtype of luth holds");
  return t;
}

// An array from a .npy file of `bytes` bytes, of which `read(to, n)` copies the next ones.
template <class Read>
Tensor parse(uint64_t bytes, const std::string& what, Read read) {
  std::string start(std::min(bytes, most_header), '\0');
  read(start.data(), start.size());
  const Header h = checked_header(start, bytes, what);
  const uint64_t size = bytes - h.bytes;
  Strides strides = contiguous_strides(h.shape);
  if (h.fortran) {
    int64_t step = 1;
    for (int d = 0; d < h.shape.size(); ++d) strides[d] = step, step *= h.shape[d];
  }
  Tensor t = Tensor::empty(h.shape, h.dtype, host(), &strides);
  const uint64_t there = start.size() - h.bytes;  // no more than `size`
  if (there) std::memcpy(t.raw(), start.data() + h.bytes, there);
  if (size > there) read(t.data<char>() + there, size - there);
  if (h.big_endian) swap_bytes(t.raw(), t.numel(), size_of(h.dtype));
  settle_booleans(t);
  return h.is_unsigned ? as_signed(t, what) : t;
}

// The next bytes of the disk, from `at` on.
auto reader(Disk& disk, const std::string& what, uint64_t at = 0) {
  return [&disk, &what, at](void* to, uint64_t n) mutable {
    if (!disk.read(to, n, at)) refuse(what, disk.reason());
    at += n;
  };
}

// The array of `bytes` bytes at `at`; one in Fortran's order, or of an unsigned type that luth lacks, is read.
StoredArray stored(Disk& disk, uint64_t at, uint64_t bytes, const std::string& what) {
  std::string start(std::min(bytes, most_lazy_header), '\0');
  reader(disk, what, at)(start.data(), start.size());
  const Header h = checked_header(start, bytes, what);
  StoredArray array{"", h.dtype, h.shape, at + h.bytes, false, h.big_endian, {}};
  if ((h.fortran && h.shape.size() > 1) || h.is_unsigned) array.tensor = parse(bytes, what, reader(disk, what, at));
  return array;
}

// The header, filled up so that the elements begin at a multiple of 64.
std::string header_of(const Tensor& t, const std::string& path) {
  auto* code = std::find_if(std::begin(codes), std::end(codes), [&](const Code& c) { return c.dtype == t.dtype(); });
  if (code == std::end(codes))
    throw Error("cannot save '{}': NumPy has no {}; use .h5 or .safetensors", path, name(t.dtype()));
  if (!t.device().has_data())
    throw Error("cannot save '{}': a tensor on the {} device has no data", path, t.device().kind());
  std::string shape;
  for (int64_t n : t.shape()) shape += std::to_string(n) + ", ";
  if (t.dim() > 1) shape.resize(shape.size() - 2);
  std::string dict = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                 size_of(t.dtype()) == 1 ? '|' : '<', code->text, shape);
  dict.resize((10 + dict.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  dict += '\n';
  std::string head("\x93NUMPY\x01\0\0\0", 10);
  head[8] = char(dict.size() & 255), head[9] = char(dict.size() >> 8);
  return head + dict;
}

}  // namespace

void save_npy(const Item& root, const std::string& path) {
  auto* t = root.as<Tensor>();
  if (!t || !*t)
    throw Error("cannot save '{}': a .npy file holds one tensor; use .npz, .safetensors or .h5 for more", path);
  std::string head = header_of(*t, path);
  Tensor kept;
  Replacement file(path);
  const void* elements = host_elements(*t, kept);
  if (!file.disk().write(head.data(), head.size(), 0) || !file.disk().write(elements, t->bytes(), head.size()))
    file.fail(file.disk().reason());
  file.commit();
}

void save_npz(const Item& root, const std::string& path) {
  const char* why = "a .npz file holds one table of tensors under string keys; use .h5 for other trees";
  auto* map = root.as<Map>();
  if (!map) throw Error("cannot save '{}': {}", path, why);
  Replacement file(path);
  ZipWriter zip(file);
  for (const Map::Entry& e : *map) {
    auto* key = std::get_if<std::string>(&e.key);
    auto* t = e.value.as<Tensor>();
    if (!key || !t || !*t) throw Error("cannot save '{}': {}", path, why);
    std::string head = header_of(*t, path);
    Tensor kept;
    const void* elements = host_elements(*t, kept);
    zip.add(*key + ".npy", head, elements, t->bytes());
  }
  zip.finish();
  file.commit();
}

Item load_npy(const std::string& path, Device* map_location) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  const std::string what = "'" + path + "'";
  return on_device(parse(disk.size(), what, reader(disk, what)), map_location);
}

Tensor parse_npy(std::string_view bytes, const std::string& name) {
  return parse(bytes.size(), "'" + name + "'", [&, at = size_t(0)](void* to, uint64_t n) mutable {
    if (n > bytes.size() - at) refuse("'" + name + "'", "it is cut short");
    std::memcpy(to, bytes.data() + at, n);
    at += n;
  });
}

StoredArray npy_array(Disk& disk, const std::string& path) {
  StoredArray array = stored(disk, 0, disk.size(), "'" + path + "'");
  array.name = path.substr(path.rfind('/') + 1);
  return array;
}

namespace {

// f(key, entry, what) for each array of the archive.
template <class F>
void each_array(Disk& disk, const std::string& path, uint64_t max_bytes, F f) {
  const std::vector<ZipEntry> entries = zip_entries(disk, path, max_bytes);
  std::set<std::string_view> names;  // no hashes: whoever wrote the file may know the function
  for (const ZipEntry& e : entries) {
    const std::string what = fmt::format("'{}' in '{}'", foreign(e.name), path);
    const bool array = e.name.size() > 4 && e.name.ends_with(".npy");
    if (!array) refuse(what, "it is no array");
    if (!names.insert(e.name).second) refuse(what, "it is there twice");
    f(e.name.substr(0, e.name.size() - 4), e, what);
  }
}

Tensor unpacked(Disk& disk, const ZipEntry& e, const std::string& path, const std::string& what) {
  ZipStream stream(disk, e, path);
  const Tensor t = parse(e.size, what, [&](void* to, uint64_t n) { stream.read(to, n); });
  stream.finish();
  return t;
}

}  // namespace

Item load_npz(const std::string& path, const LoadOptions& options) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  Map map;
  each_array(disk, path, options.max_bytes, [&](const std::string& key, const ZipEntry& e, const std::string& what) {
    map.add(key, on_device(unpacked(disk, e, path, what), options.map_location));
  });
  return map;
}

std::vector<StoredArray> npz_arrays(Disk& disk, const std::string& path, uint64_t max_bytes) {
  std::vector<StoredArray> all;
  each_array(disk, path, max_bytes, [&](const std::string& key, const ZipEntry& e, const std::string& what) {
    StoredArray array;
    if (e.method == 0 && e.size == e.packed) {
      array = stored(disk, zip_data_at(disk, e, path), e.size, what);
    } else {
      array.tensor = unpacked(disk, e, path, what);
    }
    array.name = key;
    all.push_back(std::move(array));
  });
  return all;
}

}  // namespace luth::io
