// Tensors for samples of operators: numbers that do not repeat along neighbours, the same at every run.
#pragma once
#include <initializer_list>

#include "core/tensor/tensor.h"

namespace luth::ops {

/// On the CPU; element i, row-major, is element(i), a double or an int64_t.
template <class F>
Tensor sample_of(const Shape& s, F&& element) {
  using T = decltype(element(int64_t(0)));
  Tensor t = Tensor::empty(s, dtype_of<T>, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<T>()[i] = element(i);
  return t;
}
/// No two of up to 31 neighbours are equal, so that gradients are those of one element.
Tensor sample_distinct(const Shape& s);
/// float64 on the CPU; element i is low + step ((7 i + 3) mod 11).
Tensor sample_values(const Shape& s, double step = 0.2, double low = -1);
/// int64 on the CPU, row-major.
Tensor sample_integers(const Shape& s, std::initializer_list<int64_t> values);

}  // namespace luth::ops
