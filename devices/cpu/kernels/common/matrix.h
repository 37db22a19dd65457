// The operands of a product.
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

/// beta D, which a product is added to: the result's own rows, or with a row distance of 0 one row for all.
template <class T>
struct Addend {
  T beta;
  const T* p;  // is not read where beta is 0
  int64_t row;
  Addend at(int64_t i, int64_t j) const { return {beta, p + i * row + j, row}; }
};

}  // namespace luth::cpu
