// Reading trees from HDF5 files: their seal, what a process of its own says of them, and the elements of their arrays.
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "core/base/limits.h"
#include "core/base/threads.h"
#include "core/io/checkpoint.h"
#include "core/io/elements.h"
#include "core/io/hdf5_child.h"
#include "core/io/hdf5_reader.h"
#include "core/io/many_values.h"
#include "core/io/names.h"
#include "core/io/stored_array.h"

namespace luth::io {
namespace {

// Makes tensors of descriptions, which are foreign bytes: every place is checked, all arrays together take no more than
// the files have, and all that is made at most `most` bytes.
class Builder {
 public:
  // The seal is checked meanwhile: it need not read the file where tensors have its bytes.
  Builder(Disk& file, Disk& unpacked, const std::string& path, uint64_t most, SealCheck& seal)
      : path_(path), sources_{{&file, file.size()}, {&unpacked, unpacked.size()}}, left_(most), seal_(seal) {}

  // Tensors go to the device `to`; null: where tensors are made. `column`: one of plain values, which stay here.
  Item build(const Item& item, Device* to, bool column = false) {
    ArrayPlace array;
    if (from_item(item, array)) return of_array(array, column ? nullptr : to, column);
    if (auto* list = item.as<List>()) {
      List all;
      for (const Item& e : *list) all.push_back(build(e, to));
      return all;
    }
    auto* map = item.as<Map>();
    if (!map) return item;
    Map all;
    all.kind = map->kind;
    const bool columns = map->kind == many_kind;
    for (const Map::Entry& e : *map) all.add(e.key, build(e.value, to, columns && !e.value.as<List>()));
    if (columns) return from_columns(all);
    return all;
  }

 private:
  struct Source {
    Disk* disk;
    uint64_t left;  // bytes that no array has claimed yet
  };

  Item of_array(const ArrayPlace& array, Device* to, bool column) {
    if (auto known = tensors_.find(array.id); known != tensors_.end() && (!column || known->second.device().on_host()))
      return known->second;
    Tensor near = read(array);
    if (column || array.is_list) spend(uint64_t(near.numel()), sizeof(Item));  // it may become as many values
    if (array.is_list) return plain_values(array.dtype, near.numel() ? near.raw() : nullptr, near.numel());
    Tensor t = on_device(near, to);
    // Booleans may have become 0 and 1; copies for other devices go as soon as they can.
    if (!array.unpacked && array.dtype != Dtype::boolean && t.numel() && t.device().on_host()) seal_.found(array.at, t);
    if (array.grad && is_floating(array.dtype)) t.set_requires_grad();
    tensors_.emplace(array.id, t);
    return t;
  }

  Tensor read(const ArrayPlace& array) {
    const auto fits = array_bytes(array.shape, array.dtype);
    if (!fits) fail("an array is larger than any file");
    const uint64_t size = *fits;
    Source& source = sources_[array.unpacked];
    if (size > source.left || array.at > source.disk->size() || size > source.disk->size() - array.at)
      fail("arrays reach beyond it");
    source.left -= size;
    spend(size, 1);
    Tensor t = Tensor::empty(array.shape, array.dtype, host());
    if (!size) return t;
    if (!read_pieces(*source.disk, t.data<char>(), size, array.at)) fail(source.disk->reason());
    settle_booleans(t);
    return t;
  }

  void spend(uint64_t n, uint64_t each) {
    if (n > left_ / each) fail("it becomes larger in memory than its size, or {max_bytes = …}, allows");
    left_ -= n * each;
  }

  [[noreturn]] void fail(const std::string& why) {
    throw Error(ErrorCode::checkpoint, "cannot use '{}': {}", path_, why);
  }

  // On several threads: most of the time is the system's, which clears fresh memory and copies.
  bool read_pieces(Disk& disk, char* to, uint64_t size, uint64_t at) {
    std::atomic<bool> whole = true;
    parallel_for(int64_t(size), int64_t(1) << 23, [&](int64_t begin, int64_t end) {
      if (!disk.read(to + begin, size_t(end - begin), at + uint64_t(begin))) whole = false;
    });
    return whole;
  }

  std::string path_;
  Source sources_[2];  // the file, what was unpacked
  uint64_t left_;      // bytes that may still be made
  SealCheck& seal_;
  std::unordered_map<int64_t, Tensor> tensors_;
};

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
  const bool pickled = s[0] == '\x80' && s[1] >= 2 && s[1] <= 5;
  const char* why = path.ends_with(".npy")   ? "does not begin as a .npy file does"
                    : path.ends_with(".npz") ? "is no zip archive as .npz files are, and no HDF5 file"
                    : path.ends_with(".safetensors")
                        ? "does not begin with the length of a .safetensors header, and is "
                          "no HDF5 file"
                    : pickled ? "is a bare pickle; luth reads pickles in the archives that "
                                "PyTorch's torch.save writes since version 1.6"
                              : "is no HDF5 file";
  throw Error(ErrorCode::checkpoint, "cannot use '{}': it {}{}", path, why,
              disk.size() < 2 * seal_bytes ? fmt::format(" ({} bytes)", disk.size()) : "");
}

void refuse_broken(SealCheck& seal, const std::string& path) {
  if (const std::string& problem = seal.finish().problem; !problem.empty())
    throw Error(ErrorCode::checkpoint, "cannot use '{}': {}; use another checkpoint", path, problem);
}

// What the writer has put behind the HDF5. Nothing where it has not, or for a later luth, or too much: then the reader
// of the HDF5 says so.
std::optional<Item> stored_description(Disk& disk, const std::string& path, const Seal& seal,
                                       const ReadBounds& bounds) {
  if (!seal.present || !seal.problem.empty()) return {};
  const auto read = [&](void* to, uint64_t bytes, uint64_t before_end) {
    if (!disk.read(to, bytes, disk.size() - before_end))
      throw Error(ErrorCode::checkpoint, "cannot read '{}': {}", path, disk.reason());
  };
  DescriptionEnd end;
  read(&end, sizeof end, sizeof end);
  const uint64_t most = std::min(disk.size() - seal_bytes, bounds.answer);
  if (end.mark != DescriptionEnd().mark || end.layout > uint64_t(format_version) || end.size > most) return {};
  std::string bytes(end.size, '\0');
  read(bytes.data(), bytes.size(), bytes.size() + sizeof end);
  if (XXH3_64bits(bytes.data(), bytes.size()) != end.digest) return {};
  return decode_of(path, bytes, bounds.memory);
}

Item description_of(Disk& disk, const std::string& path, const Seal& seal, Disk& unpacked, const LoadOptions& options) {
  const ReadBounds bounds = read_bounds(disk.size(), options.max_bytes, available_memory());
  if (auto stored = stored_description(disk, path, seal, bounds)) return *std::move(stored);
  unpacked = memory_file();
  Item tree = options.trusted ? describe(disk, path, seal.present, unpacked, bounds.unpacked)
                              : describe_in_child(disk, path, seal.present, unpacked, bounds);
  if (!unpacked.measure()) throw Error("cannot use '{}': {}", path, unpacked.reason());
  return tree;
}

// The arrays of a description, in its order; lists of plain values are none.
void add_arrays(const Item& item, const std::string& name, std::vector<StoredArray>& all) {
  ArrayPlace array;
  if (from_item(item, array)) {
    if (!array.is_list) all.push_back({name, array.dtype, array.shape, array.at, array.unpacked});
  } else if (auto* map = item.as<Map>()) {
    for (const Map::Entry& e : *map) {
      const auto* text = std::get_if<std::string>(&e.key);
      add_arrays(e.value, (name.empty() ? "" : name + "/") + (text ? *text : std::to_string(std::get<int64_t>(e.key))),
                 all);
    }
  } else {
    all.push_back({.name = name, .is_value = true});
  }
}

Item read_tree(Disk& disk, const std::string& path, SealCheck& seal, const LoadOptions& options) {
  Disk unpacked;
  const Item tree = description_of(disk, path, seal.seal(), unpacked, options);
  const ReadBounds bounds = read_bounds(disk.size(), options.max_bytes);
  return Builder(disk, unpacked, path, bounds.unpacked, seal).build(tree, options.map_location);
}

}  // namespace

Item load_file(const std::string& path, const LoadOptions& options) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  SealCheck seal(disk, path, ErrorCode::checkpoint);
  if (!seal.seal().present && !has_signature(disk)) not_ours(disk, path);
  if (options.trusted || disk.size() <= small_file) refuse_broken(seal, path);  // before libhdf5 sees it
  try {
    Item tree = read_tree(disk, path, seal, options);
    refuse_broken(seal, path);
    return tree;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::checkpoint) refuse_broken(seal, path);  // says more than what was found in its contents
    throw;
  }
}

Seal inspect(const std::string& path) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  return SealCheck(disk, path, ErrorCode::checkpoint).finish();
}

bool is_described_well(const std::string& path) {
  Disk disk = Disk::open(path, ErrorCode::checkpoint);
  const Seal seal = read_seal(disk, path, ErrorCode::checkpoint);
  const ReadBounds bounds = read_bounds(disk.size(), 0, available_memory());
  const std::optional<Item> stored = stored_description(disk, path, seal, bounds);
  if (!stored) return true;
  Disk unpacked = memory_file();
  return encode(describe_in_child(disk, path, true, unpacked, bounds)) == encode(*stored);
}

std::vector<StoredArray> hdf5_arrays(Disk& disk, const std::string& path, Disk& unpacked, const LoadOptions& options) {
  const Seal seal = read_seal(disk, path, ErrorCode::checkpoint);
  if (!seal.present && !has_signature(disk)) not_ours(disk, path);
  std::vector<StoredArray> all;
  add_arrays(description_of(disk, path, seal, unpacked, options), "", all);
  return all;
}

}  // namespace luth::io
