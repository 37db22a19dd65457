// The rows of arrays that stay in their file.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/io/mapping.h"
#include "core/io/stored_array.h"

namespace luth::io {

struct RowsSpec {
  std::vector<std::string> keys;    // the arrays, in the order of the values; empty: all of the file
  std::vector<std::string> labels;  // arrays of integers that count from 0 in the file
  LoadOptions load;
};

/// Rows of arrays of a .npy, .npz, .safetensors or HDF5 file. The file is mapped, and a batch copies its rows out of
/// it, on any thread. What cannot be taken as it lies (packed members of .npz, packed arrays of HDF5, Fortran's order)
/// is in memory, unpacked.
class RowsFile {
 public:
  /// HDF5 is parsed by a process of its own unless `load.trusted`. Throws ErrorCode::checkpoint for a file that is
  /// damaged, Error for arrays that are not there or have another number of rows than the first.
  RowsFile(const std::string& path, const RowsSpec& spec);
  ~RowsFile();
  RowsFile(const RowsFile&) = delete;
  int64_t size() const { return rows_; }
  /// These rows of each array; labels from `base` on. Throws where the file has become shorter.
  Tensors batch(std::span<const int64_t> indices, int base) const;

 private:
  struct Rows;
  std::vector<StoredArray> read_arrays(Disk& disk, Disk& unpacked, const RowsSpec& spec) const;
  void add(StoredArray array, bool is_label);

  std::string path_, name_;
  Ref<Mapping> file_, unpacked_;
  std::vector<Rows> arrays_;
  int64_t rows_ = -1;
};

}  // namespace luth::io
