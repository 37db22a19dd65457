#include "core/io/arrays.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/base/visible.h"
#include "core/io/elements.h"

namespace luth::io {
namespace {

// An array without stored bytes is all fill value. It may have up to this size.
constexpr uint64_t most_unstored = 64 * 1024;
// A chunk may be larger than its stored bytes, up to this size.
constexpr uint64_t most_chunk = 16 * 1024 * 1024;

// A list of strings of variable length in an attribute: HDF5 reads them where nothing can count their bytes, and a file
// may name one long string many times.
constexpr uint64_t most_in_attribute = uint64_t(8) << 30;

// Memory that HDF5 allocates for strings of variable length: at most `left` bytes. Freed here even if HDF5 fails.
struct Heap {
  uint64_t left;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> blocks;
  static void* allocate(size_t n, void* heap) noexcept {
    auto& h = *static_cast<Heap*>(heap);
    if (n > h.left) return nullptr;
    void* p = std::malloc(n);
    if (!p) return nullptr;
    h.left -= n;
    try {
      h.blocks.emplace_back(p, &std::free);
    } catch (const std::bad_alloc&) {
      std::free(p);
      return nullptr;
    }
    return p;
  }
  static void release(void*, void*) noexcept {}  // the blocks go together
};

// Rows of a dataset that are read at once.
constexpr uint64_t most_at_once = 64 * 1024 * 1024;

}  // namespace

bool Arrays::has(hid_t object, const char* attribute, const std::string& path) const {
  return file_.check(H5Aexists(object, attribute), "read", path) > 0;
}

Item Arrays::attribute(hid_t object, const std::string& name, const std::string& path) {
  const std::string where = (path.empty() ? "/" : path) + "@" + name;
  h5::Id a = file_.own(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "read", where);
  return value(a, false, where);
}

Item Arrays::dataset(hid_t d, const std::string& path) { return value(d, true, path); }

Item Arrays::value(hid_t id, bool is_dataset, const std::string& path) {
  h5::Id type = file_.own(is_dataset ? H5Dget_type(id) : H5Aget_type(id), H5Tclose, "read", path);
  h5::Id space = file_.own(is_dataset ? H5Dget_space(id) : H5Aget_space(id), H5Sclose, "read", path);
  const bool text = H5Tget_class(type) == H5T_STRING;
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return text ? Item("") : Item();
  const Extents dims = extents(space, path);
  const uint64_t size = bytes(dims, H5Tget_size(type), path);
  const haddr_t at = is_dataset ? place(id) : HADDR_UNDEF;
  const bool elsewhere = is_dataset && at == HADDR_UNDEF;
  h5::Id how = elsewhere ? file_.own(H5Dget_create_plist(id), H5Pclose, "read", path) : h5::Id();
  is_dataset ? check_layout(id, how, type, size, path) : afford(size, H5Aget_storage_size(id), 1, path);
  if (!text) return is_dataset ? array(id, at, how, type, dims, path) : attribute_numbers(id, type, dims, path);
  if (H5Tis_variable_str(type) > 0)
    return is_dataset ? dataset_texts(id, type, dims, path) : attribute_texts(id, type, dims, path);
  return strings(type, dims, path, [&](hid_t memory, void* to) {
    file_.check(is_dataset ? H5Dread(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) : H5Aread(id, memory, to), "read",
                path);
  });
}

// One number, a list, or a described array.
Item Arrays::attribute_numbers(hid_t a, hid_t type, const Extents& dims, const std::string& path) {
  const Dtype d = h5::dtype_of(file_, type, path);
  std::string elements(bytes(dims, size_of(d), path), '\0');
  h5::Id memory = h5::file_type(d);
  if (!elements.empty()) file_.check(H5Aread(a, memory, elements.data()), "read", path);
  if (dims.size() > 1) {
    ArrayPlace array = new_array(d, dims);
    unpack(array, elements.data(), elements.size(), path);
    return to_item(array);
  }
  List list = plain_values(d, elements.data(), int64_t(elements.size() / size_of(d)));
  return dims.empty() ? list[0] : Item(std::move(list));
}

// Strings of variable length, as h5py writes str: `pointers` are what HDF5 gave, null for an empty one.
Item Arrays::texts(const std::vector<char*>& pointers, const Extents& dims) {
  auto at = [&](size_t i) { return Item(pointers[i] ? std::string(pointers[i]) : std::string()); };
  if (dims.empty()) return at(0);
  List list;
  for (size_t i = 0; i < pointers.size(); ++i) list.push_back(at(i));
  return list;
}

Item Arrays::dataset_texts(hid_t d, hid_t type, const Extents& dims, const std::string& path) {
  if (dims.size() > 1) file_.refuse(path, "is an array of strings with more than one dim");
  Heap heap{file_.size() + most_unstored, {}};
  h5::Id how = file_.own(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "read", path);
  file_.check(H5Pset_vlen_mem_manager(how, Heap::allocate, &heap, Heap::release, &heap), "read", path);
  std::vector<char*> pointers(dims.empty() ? 1 : size_t(dims[0]));
  h5::Id memory = file_.own(H5Tcopy(type), H5Tclose, "read", path);
  if (!pointers.empty()) file_.check(H5Dread(d, memory, H5S_ALL, H5S_ALL, how, pointers.data()), "read", path);
  return texts(pointers, dims);
}

Item Arrays::attribute_texts(hid_t a, hid_t type, const Extents& dims, const std::string& path) {
  if (dims.size() > 1) file_.refuse(path, "is an array of strings with more than one dim");
  std::vector<char*> pointers(dims.empty() ? 1 : size_t(dims[0]));
  if (pointers.size() > 1 && pointers.size() > most_in_attribute / std::max<uint64_t>(file_.size(), 1))
    file_.refuse(path,
                 "is a long list of strings of variable length in a large file; in Python write it as a numpy array "
                 "of bytes");
  h5::Id memory = file_.own(H5Tcopy(type), H5Tclose, "read", path);
  h5::Id space = file_.own(H5Aget_space(a), H5Sclose, "read", path);
  if (pointers.empty()) return List();
  file_.check(H5Aread(a, memory, pointers.data()), "read", path);
  Item item = texts(pointers, dims);
  H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
  return item;
}

Extents Arrays::extents(hid_t space, const std::string& path) {
  int n = file_.check(H5Sget_simple_extent_ndims(space), "read", path);
  Extents dims(static_cast<size_t>(n));
  file_.check(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "read", path);
  if (n > max_dims) file_.refuse(path, fmt::format("has {} dims; luth has tensors of at most {}", n, max_dims));
  return dims;
}

// Bytes of the array, which fit an int64.
uint64_t Arrays::bytes(const Extents& dims, uint64_t size, const std::string& path) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) size = 0;
  for (hsize_t n : dims)
    if (__builtin_mul_overflow(size, size ? n : 0, &size) || size >> 62)
      file_.refuse(path, "claims more elements than a file can hold");
  return size;
}

// Every array pays with the bytes that it stores; all together cannot store more than the file has.
void Arrays::afford(uint64_t bytes, uint64_t stored, uint64_t ratio, const std::string& path) {
  if (stored > left_ || (bytes > most_unstored && bytes / ratio > stored))
    file_.refuse(path, fmt::format("claims {} bytes, and the file stores {} for it", bytes, std::min(stored, left_)));
  left_ -= stored;
}

// Of elements that lie one after the other in this file. HDF5 1.10 gives those that nothing was stored for an address
// before the first.
haddr_t Arrays::place(hid_t d) const {
  const haddr_t at = H5Dget_offset(d);
  return at < file_.begin() ? HADDR_UNDEF : at;
}

// `how`: the dataset's properties; none where it has a place().
void Arrays::check_layout(hid_t d, hid_t how, hid_t type, uint64_t size, const std::string& path) {
  if (how < 0) return afford(size, H5Dget_storage_size(d), 1, path);
  H5D_layout_t layout = H5Pget_layout(how);
  if (layout == H5D_VIRTUAL || H5Pget_external_count(how) != 0)
    file_.refuse(path, "has its data in other files, which luth does not read");
  if (layout != H5D_CHUNKED) return afford(size, H5Dget_storage_size(d), 1, path);
  bool packed = check_filters(how, path);
  uint64_t stored = H5Dget_storage_size(d), ratio = packed ? most_packing : 1;
  Extents chunk(H5S_MAX_RANK);
  chunk.resize(size_t(file_.check(H5Pget_chunk(how, H5S_MAX_RANK, chunk.data()), "read", path)));
  uint64_t piece = bytes(chunk, H5Tget_size(type), path);
  if (piece >> 32) file_.refuse(path, "has chunks of 4 GB or more, which HDF5 1.10 cannot read");
  if (piece > most_chunk && piece / ratio > stored) file_.refuse(path, "has chunks larger than what it stores");
  afford(size, stored, ratio, path);
}

// True where the data are packed. Others than these three would need plugins, or are rarely used and little tested.
bool Arrays::check_filters(hid_t how, const std::string& path) {
  bool packed = false;
  int n = file_.check(H5Pget_nfilters(how), "read", path);
  for (int i = 0; i < n; ++i) {
    unsigned flags = 0;
    size_t values = 0;
    char name[64] = "";
    H5Z_filter_t filter = H5Pget_filter2(how, unsigned(i), &flags, &values, nullptr, sizeof name, name, nullptr);
    packed |= filter == H5Z_FILTER_DEFLATE;
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      file_.refuse(path, fmt::format("is packed by filter {} {}; luth reads gzip, shuffle and fletcher32", int(filter),
                                     foreign(name)));
  }
  return packed;
}

ArrayPlace Arrays::new_array(Dtype d, const Extents& dims) {
  ArrayPlace array;
  array.id = ++arrays_;
  array.dtype = d;
  for (hsize_t n : dims) array.shape.push_back(int64_t(n));
  return array;
}

void Arrays::unpack(ArrayPlace& array, const void* from, uint64_t bytes, const std::string& path) {
  if (!array.unpacked) array.at = unpacked_.size();
  array.unpacked = true;
  if (bytes > unpacked_left_)
    file_.refuse(path,
                 "unpacks to more than the file may take, or than is left of memory; torch.load has {max_bytes = …}");
  unpacked_left_ -= bytes;
  if (!unpacked_.write(from, bytes, unpacked_.size())) file_.refuse(path, "cannot be unpacked: " + unpacked_.reason());
}

// Some rows at once: many chunks, and no more memory than the file's bounds allow.
void Arrays::unpack_rows(ArrayPlace& array, hid_t d, hid_t how, const Extents& dims, const std::string& path) {
  h5::Id memory = h5::file_type(array.dtype), space = file_.own(H5Dget_space(d), H5Sclose, "read", path);
  const uint64_t all = bytes(dims, size_of(array.dtype), path), rows = dims.empty() ? 1 : dims[0], row = all / rows;
  Extents chunk(H5S_MAX_RANK, 1);
  if (how >= 0 && H5Pget_layout(how) == H5D_CHUNKED)
    file_.check(H5Pget_chunk(how, H5S_MAX_RANK, chunk.data()), "read", path);
  const uint64_t band = std::max<uint64_t>(chunk[0], 1), bands = std::max<uint64_t>(most_at_once / row / band, 1);
  const uint64_t step = std::min(rows, band > rows / bands ? rows : band * bands);
  std::string elements(step * row, '\0');
  Extents first(dims.size(), 0), count = dims;
  for (uint64_t at = 0; at < rows; at += step) {
    const uint64_t n = std::min(step, rows - at);
    h5::Id to = dims.empty() ? h5::scalar_space() : (first[0] = at, count[0] = n, h5::simple_space(count));
    if (!dims.empty())
      file_.check(H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr), "read",
                  path);
    file_.check(H5Dread(d, memory, to, space, H5P_DEFAULT, elements.data()), "read", path);
    unpack(array, elements.data(), n * row, path);
  }
}

// Where it lies as a tensor has it, nothing is read.
Item Arrays::array(hid_t d, haddr_t at, hid_t how, hid_t type, const Extents& dims, const std::string& path) {
  ArrayPlace array = new_array(h5::dtype_of(file_, type, path), dims);
  const uint64_t size = bytes(dims, size_of(array.dtype), path);
  if (!size) return to_item(array);
  h5::Id as_tensors = h5::file_type(array.dtype);
  if (at != HADDR_UNDEF && H5Tequal(type, as_tensors) > 0 && at <= file_.size() && size <= file_.size() - at)
    array.at = at;
  else
    unpack_rows(array, d, how, dims, path);
  return to_item(array);
}

template <class Read>
Item Arrays::strings(hid_t type, const Extents& dims, const std::string& path, Read&& read) {
  if (dims.size() > 1) file_.refuse(path, "is an array of strings with more than one dim");
  size_t size = H5Tget_size(type), count = dims.empty() ? 1 : dims[0];
  std::string bytes(size * count, '\0');
  h5::Id memory = file_.own(H5Tcopy(type), H5Tclose, "read", path);
  if (count) read(memory, bytes.data());
  auto at = [&](size_t i) {
    return cut(std::string_view(bytes).substr(i * size, size), H5Tget_strpad(type), !dims.empty());
  };
  if (dims.empty()) return at(0);
  List list;
  for (size_t i = 0; i < count; ++i) list.push_back(at(i));
  return list;
}

// Without its filling. A single string of ours has none: its type is as long as it is.
std::string Arrays::cut(std::string_view s, H5T_str_t pad, bool in_list) const {
  if (exact_strings_ && !in_list) return std::string(s);
  if (pad == H5T_STR_NULLTERM) return std::string(s.substr(0, s.find('\0')));
  size_t last = s.find_last_not_of(pad == H5T_STR_SPACEPAD ? ' ' : '\0');
  return std::string(s.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

}  // namespace luth::io
