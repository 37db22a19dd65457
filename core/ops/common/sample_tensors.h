// Tensors for samples of operators: numbers that do not repeat along neighbours, the same at every run.
#pragma once
#include <initializer_list>

#include "core/tensor/tensor.h"

namespace luth::ops {

/// float64 on the CPU; element i is low + step ((7 i + 3) mod 11).
Tensor sample_values(const Shape& s, double step = 0.2, double low = -1);
/// int64 on the CPU, row-major.
Tensor sample_integers(const Shape& s, std::initializer_list<int64_t> values);

}  // namespace luth::ops
