// An operand of a product.
#pragma once
#include <cstdint>

namespace luth::cpu {

/// One operand: element (i, j) is p[i * row + j * col].
template <class T>
struct Matrix {
  const T* p;
  int64_t row, col;
  Matrix at(int64_t i, int64_t j) const { return {p + i * row + j * col, row, col}; }
  Matrix transposed() const { return {p, col, row}; }
};

}  // namespace luth::cpu
