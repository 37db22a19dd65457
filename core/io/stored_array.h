// Arrays that stay in their file: where the elements lie.
#pragma once
#include <string>
#include <vector>

#include "core/io/disk.h"
#include "core/io/load_options.h"
#include "core/tensor/tensor.h"

namespace luth::io {

/// An array whose elements lie row by row in a file, or in a second one where they were unpacked; or, where they cannot
/// be taken as they lie, a tensor of them.
struct StoredArray {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  uint64_t at = 0;  // of the first byte; it and the size are to be held against the file
  bool unpacked = false, big_endian = false;
  Tensor tensor;          // null: the elements are in the file
  bool is_value = false;  // text or another value, or a list of such: there are no elements
};

/// The arrays of a file, in its order. Each throws ErrorCode::checkpoint for a file that is damaged or cut short.
StoredArray npy_array(Disk& disk, const std::string& path);
std::vector<StoredArray> npz_arrays(Disk& disk, const std::string& path, uint64_t max_bytes);
std::vector<StoredArray> safetensors_arrays(Disk& disk, const std::string& path, uint64_t max_bytes);
/// Names join keys by '/'. Packed arrays, and those of other byte orders, go to `unpacked`. The seal is not checked,
/// because the file would have to be read.
std::vector<StoredArray> hdf5_arrays(Disk& disk, const std::string& path, Disk& unpacked, const LoadOptions& options);

}  // namespace luth::io
