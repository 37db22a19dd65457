// IDX, the format of MNIST (http://yann.lecun.com/exdb/mnist): two zero bytes, a type, the number of dims, the extents
// and the elements, all big-endian; plain or gzip.
#pragma once
#include <string>

#include "core/tensor/tensor.h"

namespace luth {

/// A CPU tensor of the file's shape; uint8, int8, int16, int32, float32 or float64. Throws, naming the file, when it
/// cannot be opened, is no IDX, is cut short, damaged, or longer than its header says. What the header claims is held
/// against the size of the file before memory is taken.
Tensor read_idx(const std::string& path);

}  // namespace luth
