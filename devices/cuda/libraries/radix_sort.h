// Radix sort of long arrays by CUB. Only radix_sort.cu includes CUB; tests replace it by a stand-in.
#pragma once
#include "core/tensor/tensor.h"

namespace luth::cuda {

/// Sorts keys[0][0..n) in ascending order of their `bits` lowest bits, the higher ones being 0, and values[0] with
/// them; equal ones keep their order. keys[1] and values[1] have room for n too. Returns in which of the two arrays the
/// result is; the other holds anything. In the current stream of `device`, whose memory all of them are; n >= 1.
int sort_pairs(Device& device, uint32_t* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits);
int sort_pairs(Device& device, uint64_t* const (&keys)[2], uint32_t* const (&values)[2], int64_t n, int bits);

}  // namespace luth::cuda
