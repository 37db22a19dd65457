// More tensors from nothing: one number, numbers in geometric order, positions of triangles, memory by strides. See
// op.h for the recipe.
#pragma once
#include "core/ops/create/factory.h"

namespace luth::ops {

struct ScalarTensor : Constant, Options {
  static constexpr Doc doc{"scalar_tensor", "", "A tensor without dims that holds a number."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Scalar s = 0;
  void describe(auto& field) {
    field("s", s, "the number", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<ScalarTensor> samples() { return {{{{}, {}, 1.5}, {}}}; }
};
struct Logspace : Constant, Options {
  static constexpr Doc doc{"logspace", "",
                           "`steps` numbers from base^start to base^end, each the same times the last."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Scalar start = 0, end = 0;
  int64_t steps = 0;
  double base = 10;
  void describe(auto& field) {
    field("start", start, "the exponent of the first number", as::required);
    field("end", end, "the exponent of the last number", as::required);
    field("steps", steps, "how many", as::required);
    field("base", base, "what is raised to the exponents");
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Logspace> samples() { return {{{{}, {}, 0, 2, 5}, {}}, {{{}, {}, -1, 1, 3, 2}, {}}}; }
};

/// The positions in a triangle of a matrix, row by row: a 2 x n tensor of rows and columns.
struct TriangleIndices : Constant {
  int64_t row = 0, col = 0, offset = 0;
  std::optional<Dtype> dtype{};
  Device* device = nullptr;
  int base = 0;
  void describe(auto& field) {
    field("row", row, "rows of the matrix", as::required);
    field("col", col, "columns of the matrix", as::required);
    field("offset", offset, "the diagonal at which the triangle ends: 0 the main one, 1 above it");
    field("dtype", dtype, "the dtype of the positions; nil: int64", as::named);
    field("device", device, "the device; nil: the default device", as::named);
    field("base", base, "from where positions count", as::base);
  }
  Tensor positions(bool lower) const;
};
struct TrilIndices : TriangleIndices {
  static constexpr Doc doc{"tril_indices", "", "The positions of a lower triangle: rows, then columns."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Tensor decompose(const Inputs&) const { return positions(true); }
  static Cases<TrilIndices> samples() { return {{{{{}, 3, 3}}, {}}, {{{{}, 2, 4, 1}}, {}}, {{{{}, 4, 2, -1}}, {}}}; }
};
struct TriuIndices : TriangleIndices {
  static constexpr Doc doc{"triu_indices", "", "The positions of an upper triangle: rows, then columns."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Tensor decompose(const Inputs&) const { return positions(false); }
  static Cases<TriuIndices> samples() { return {{{{{}, 3, 3}}, {}}, {{{{}, 2, 4, 1}}, {}}, {{{{}, 4, 2, -1}}, {}}}; }
};

struct EmptyStrided : Constant, Options {
  static constexpr Doc doc{"empty_strided", "", "A tensor with the given strides whose elements are not set."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Ints size, stride;
  void describe(auto& field) {
    field("size", size, "the shape", as::required);
    field("stride", stride, "the strides, in elements", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<EmptyStrided> samples() { return {{{{}, {}, {2, 3}, {1, 2}}, {}}}; }
};
struct NewEmptyStrided : Constant, Options {
  static constexpr Doc doc{"new_empty_strided", "input",
                           "A tensor with the given strides, in the dtype and on the device of input, not set."};
  static constexpr Traits traits = family.with({.offered = Offered::method, .factory = true});
  Ints size, stride;
  void describe(auto& field) {
    field("size", size, "the shape", as::required);
    field("stride", stride, "the strides, in elements", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NewEmptyStrided> samples() { return {{{{}, {}, {2, 3}, {1, 2}}, {{1}}}}; }
};

}  // namespace luth::ops
