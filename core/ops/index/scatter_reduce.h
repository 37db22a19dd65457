// Scattered elements joined by sums, products, means and extremes; positions made and taken apart. See op.h for the
// recipe.
#pragma once
#include "core/ops/index/index.h"

namespace luth::ops {

void describe_reducing(auto& field, int64_t& dim, int& base, std::string& reduce, bool& include_self) {
  describe_along_index(field, dim, base);
  field("reduce", reduce, "'sum', 'prod', 'mean', 'amax' or 'amin'", as::required);
  field("include_self", include_self, "whether the elements of input take part", as::named);
}
struct ScatterReduce : AlongIndex {
  static constexpr Doc doc{"scatter_reduce", "input, index, src",
                           "Input with src's elements joined to the positions along a dim that index gives; elements "
                           "that nothing is joined to stay."};
  static constexpr Traits traits = family.with(
      {.saves = "*: input, index, src, result", .order = "input, dim, index, src, reduce", .inplace = Inplace::also});
  int64_t dim = 0;
  int base = 0;
  std::string reduce{};
  bool include_self = true;
  void describe(auto& field) { describe_reducing(field, dim, base, reduce, include_self); }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ScatterReduce> samples();

 private:
  Tensor counts(const Tensor& like, const Tensor& index, const Tensor& src) const;
  Tensors of_product(const Call& c, const Tensor& dy) const;
  Tensors of_extreme(const Call& c, const Tensor& dy) const;
};
struct IndexReduce : AlongIndex {
  static constexpr Doc doc{"index_reduce", "input, index, source",
                           "Input with source joined to the positions along a dim that index lists; 'prod', 'mean', "
                           "'amax' or 'amin'."};
  static constexpr Traits traits =
      family.with({.order = "input, dim, index, source, reduce", .inplace = Inplace::also});
  int64_t dim = 0;
  int base = 0;
  std::string reduce{};
  bool include_self = true;
  void describe(auto& field) { describe_reducing(field, dim, base, reduce, include_self); }
  Tensor decompose(const Inputs& in) const;
  static Cases<IndexReduce> samples();
};

struct TakeAlongDim {
  static constexpr Doc doc{"take_along_dim", "input, indices",
                           "Gather, where input and indices broadcast in the other dims; without dim of all elements."};
  std::optional<int64_t> dim;
  int base = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim that indices count along; nil: all elements as one dim", as::dim);
    field("base", base, "from where indices count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<TakeAlongDim> samples();
};
struct UnravelIndex {
  static constexpr Doc doc{"unravel_index", "indices",
                           "Positions in the flat form of a tensor as positions in each dim.", "list[]"};
  static constexpr Traits traits{
      .not_differentiable = "its results are positions", .offered = Offered::function, .star = true};
  Ints shape;
  int base = 0;
  void describe(auto& field) {
    field("shape", shape, "the shape of the tensor", as::required);
    field("base", base, "from where positions count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<UnravelIndex> samples();
};
struct NonzeroStatic {
  static constexpr Doc doc{"nonzero_static", "input",
                           "The positions of elements that are not 0, one per row, in exactly `size` rows."};
  static constexpr Traits traits{.not_differentiable = "its result is positions"};
  int64_t size = 0, fill_value = -1;
  int base = 0;
  void describe(auto& field) {
    field("size", size, "how many rows", as::named | as::required);
    field("fill_value", fill_value, "the position in rows that are left over", as::named | as::index);
    field("base", base, "from where positions count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<NonzeroStatic> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::ScatterReduce> scatter_reduce;
}  // namespace luth
