// Sorting positions by key: sums over equal keys in that order are deterministic.
#pragma once
#include "core/tensor/tensor.h"

namespace luth::cuda {

struct Ordered {
  const int64_t* keys;
  const uint32_t* positions;
  Tensor memory[2];  // of keys and positions
};
/// The numbers in `keys`, int64 from 0 to `most` and row-major, in ascending order, each with the position where it
/// was; equal ones in order of their positions. `keys` may be overwritten. Throws for 2^32 numbers and more.
Ordered order_by_key(const Tensor& keys, int64_t most);

}  // namespace luth::cuda
