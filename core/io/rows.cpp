#include "core/io/rows.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "core/base/mapped.h"
#include "core/base/text.h"
#include "core/base/visible.h"
#include "core/io/elements.h"
#include "core/ops/elementwise/copy.h"

namespace luth::io {

struct RowsFile::Rows {
  StoredArray array;
  const char* data;  // of the first row
  Shape row;
  size_t row_bytes;
  bool is_label;
};

RowsFile::~RowsFile() = default;

std::vector<StoredArray> RowsFile::read_arrays(Disk& disk, Disk& unpacked, const RowsSpec& spec) const {
  char start[9] = {};
  disk.read(start, std::min<uint64_t>(sizeof start, disk.size()), 0);
  if (!std::memcmp(start, "PK", 2)) return npz_arrays(disk, path_, spec.load.max_bytes);
  if (!std::memcmp(start, "\x93NUMPY", 6)) return {npy_array(disk, path_)};
  const bool safetensors = start[8] == '{' && !start[5] && !start[6] && !start[7];
  if (safetensors) return safetensors_arrays(disk, path_, 0);
  return hdf5_arrays(disk, path_, unpacked, spec.load);
}

RowsFile::RowsFile(const std::string& path, const RowsSpec& spec) : path_(path), name_("'" + path + "'") {
  Disk disk = Disk::open(path, ErrorCode::checkpoint), unpacked;
  std::vector<StoredArray> all = read_arrays(disk, unpacked, spec);
  file_ = make<Mapping>(std::move(disk), path, Mapping::Access::read);
  if (unpacked.fd() >= 0) unpacked_ = make<Mapping>(std::move(unpacked), path, Mapping::Access::read);
  std::vector<std::string> names;
  std::map<std::string_view, size_t> places;
  for (auto& array : all) {
    places.emplace(array.name, names.size());  // of a tree's keys a/b and a, which holds b, the first
    names.push_back(array.name);
  }
  const auto place = [&](const std::string& key) {
    const auto it = places.find(key);
    if (it == places.end()) throw Error("{} has no array '{}'{}", name_, foreign(key), did_you_mean(key, names));
    return it->second;
  };
  std::set<size_t> labels;
  for (auto& key : spec.labels) labels.insert(place(key));
  for (auto& key : spec.keys.empty() ? names : spec.keys)
    if (const auto& array = all[place(key)]; !array.is_value || !spec.keys.empty())
      add(array, labels.contains(place(key)));
  if (rows_ < 0) throw Error("{} has no arrays of numbers", name_);
}

void RowsFile::add(StoredArray a, bool is_label) {
  if (a.tensor) {
    a.tensor = a.tensor.is_contiguous() ? a.tensor : dense_copy(a.tensor);
    a.dtype = a.tensor.dtype(), a.shape = a.tensor.shape(), a.big_endian = false;
  }
  const std::string name = foreign(a.name);
  if (a.is_value) throw Error("{}: '{}' holds text, or what is no array of numbers; torch.load reads it", name_, name);
  if (!a.shape.size()) throw Error("{}: '{}' is a single value, and has no rows", name_, name);
  if (rows_ >= 0 && a.shape[0] != rows_)
    throw Error("{}: '{}' has {} rows, '{}' has {}; keys = {{…}} names those that belong together", name_, name,
                a.shape[0], foreign(arrays_[0].array.name), rows_);
  if (is_label && (a.shape.size() != 1 || !is_integral(a.dtype)))
    throw Error("{}: '{}' is {}{}; labels are a list of integers", name_, name, luth::name(a.dtype),
                to_string(a.shape));
  Rows r{a, nullptr, a.shape, 0, is_label};
  r.row.erase(0);
  const auto bytes = array_bytes(a.shape, a.dtype);
  if (!a.tensor) {
    const Mapping* in = a.unpacked ? unpacked_.get() : file_.get();
    if (!bytes || !in || a.at > in->size() || *bytes > in->size() - a.at)
      throw Error(ErrorCode::checkpoint, "cannot use {}: '{}' reaches beyond it", name_, name);
    r.data = in->data() + a.at;
  } else if (a.tensor.numel()) {
    r.data = a.tensor.data<char>();
  }
  r.row_bytes = a.shape[0] ? size_t(*bytes) / size_t(a.shape[0]) : 0;
  rows_ = a.shape[0];
  arrays_.push_back(std::move(r));
}

// Integers that count from 0, from `base` on.
static Tensor labels(const Tensor& t, int base) {
  Tensor out = Tensor::empty(t.shape(), Dtype::i64, host());
  dispatch(IntegersAndBool{}, t.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < t.numel(); ++i) out.data<int64_t>()[i] = int64_t(t.data<T>()[i]) + base;
  });
  return out;
}

Tensors RowsFile::batch(std::span<const int64_t> indices, int base) const {
  Tensors out;
  for (const Rows& r : arrays_) {
    Shape shape = r.row;
    shape.insert(0, int64_t(indices.size()));
    Tensor t = Tensor::empty(shape, r.array.dtype, host());
    if (r.row_bytes && !copy_mapped(t.raw(), r.data, indices, r.row_bytes)) {
      file_->check();
      throw Error("{} has changed while it was read, or its disk fails", name_);
    }
    if (r.array.big_endian) swap_bytes(t.raw(), t.numel(), size_of(t.dtype()));
    settle_booleans(t);
    out.push_back(r.is_label ? labels(t, base) : t);
  }
  file_->check();  // zeros of a page that was cut are no data
  return out;
}

}  // namespace luth::io
