// Reading trees from HDF5 files: their seal, what a process of its own says of them, and the elements of their arrays.
#include <cstring>
#include <unordered_map>

#include "core/io/checkpoint.h"
#include "core/io/elements.h"
#include "core/io/hdf5_child.h"
#include "core/io/hdf5_reader.h"
#include "core/io/many_values.h"

namespace luth::io {
namespace {

// Makes tensors of descriptions, which are foreign bytes: every place is checked, and all arrays together take no more
// than the files have.
class Builder {
 public:
  Builder(Disk& file, Disk& unpacked, const std::string& path, Device* to)
      : path_(path), to_(to), sources_{{&file, file.size()}, {&unpacked, unpacked.size()}} {}

  Item build(const Item& item) {
    ArrayPlace array;
    if (from_item(item, array)) return of_array(array);
    if (auto* list = item.as<List>()) {
      List all;
      for (const Item& e : *list) all.push_back(build(e));
      return all;
    }
    auto* map = item.as<Map>();
    if (!map) return item;
    Map all;
    all.kind = map->kind;
    const bool columns = map->kind == many_kind;
    for (const Map::Entry& e : *map) {
      Device* const to = to_;
      if (columns && !e.value.as<List>()) to_ = nullptr;  // plain values, whatever device the tensors go to
      all.add(e.key, build(e.value));
      to_ = to;
    }
    if (columns) return from_columns(all);
    return all;
  }

 private:
  struct Source {
    Disk* disk;
    uint64_t left;  // bytes that no array has claimed yet
  };

  Item of_array(const ArrayPlace& array) {
    if (auto known = tensors_.find(array.id); known != tensors_.end()) return known->second;
    Tensor near = read(array);
    if (array.is_list) return plain_values(array.dtype, near.numel() ? near.raw() : nullptr, near.numel());
    Tensor t = on_device(near, to_);
    if (array.grad && is_floating(array.dtype)) t.set_requires_grad();
    tensors_.emplace(array.id, t);
    return t;
  }

  Tensor read(const ArrayPlace& array) {
    uint64_t size = size_of(array.dtype);
    for (int64_t n : array.shape)
      if (__builtin_mul_overflow(size, uint64_t(n), &size)) fail("an array is larger than any file");
    Source& source = sources_[array.unpacked];
    if (size > source.left || array.at > source.disk->size() || size > source.disk->size() - array.at)
      fail("arrays reach beyond it");
    source.left -= size;
    Tensor t = Tensor::empty(array.shape, array.dtype, host());
    if (!size) return t;
    if (!source.disk->read(t.raw(), size, array.at)) fail(source.disk->reason());
    if (array.dtype == Dtype::boolean) {  // bytes other than 0 and 1 are no bool in C++
      auto* p = static_cast<unsigned char*>(t.raw());
      for (uint64_t i = 0; i < size; ++i) p[i] = p[i] != 0;
    }
    return t;
  }

  [[noreturn]] void fail(const std::string& why) {
    throw Error(ErrorCode::checkpoint, "cannot use '{}': {}", path_, why);
  }

  std::string path_;
  Device* to_;
  Source sources_[2];  // the file, what was unpacked
  std::unordered_map<int64_t, Tensor> tensors_;
};

Item describe_here(Disk& disk, const std::string& path, bool sealed, Disk& unpacked, const ReadBounds& bounds) {
  h5::File file = h5::File::open(disk, path, ErrorCode::checkpoint);
  Item tree = describe(file, path, sealed, unpacked, bounds.unpacked);
  file.close();
  return tree;
}

bool has_signature(Disk& disk) {
  char s[8];
  for (uint64_t at = 0; at + sizeof s <= disk.size(); at = at ? at * 2 : seal_bytes)
    if (disk.read(s, sizeof s, at) && !std::memcmp(s, "\x89HDF\r\n\x1a\n", sizeof s)) return true;
  return false;
}

[[noreturn]] void not_ours(Disk& disk, const std::string& path) {
  char s[2] = {};
  if (disk.size() >= 2 && disk.read(s, 2, 0) && s[0] == 'P' && s[1] == 'K')
    throw Error(ErrorCode::checkpoint,
                "cannot use '{}': it is a zip archive, as PyTorch's torch.save writes; torch.load reads it", path);
  const bool numpy = path.ends_with(".npy");
  throw Error(ErrorCode::checkpoint, "cannot use '{}': it {}{}", path,
              numpy ? "does not begin as a .npy file does" : "is no HDF5 file",
              disk.size() < 2 * seal_bytes ? fmt::format(" ({} bytes)", disk.size()) : "");
}

}  // namespace

Item load_file(const std::string& path, const LoadOptions& options) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  Seal seal = read_seal(disk, path, ErrorCode::checkpoint);
  if (!seal.problem.empty())
    throw Error(ErrorCode::checkpoint, "cannot use '{}': {}; use another checkpoint", path, seal.problem);
  if (!seal.present && !has_signature(disk)) not_ours(disk, path);
  Disk unpacked = memory_file();
  const auto describe_it = options.trusted ? describe_here : describe_in_child;
  const Item tree = describe_it(disk, path, seal.present, unpacked, read_bounds(disk.size(), options.max_bytes));
  unpacked.measure();
  return Builder(disk, unpacked, path, options.map_location).build(tree);
}

Seal inspect(const std::string& path) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  return read_seal(disk, path, ErrorCode::checkpoint);
}

}  // namespace luth::io
