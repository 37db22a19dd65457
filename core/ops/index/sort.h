// Order: sort, argsort, topk. See op.h for the recipe. nan counts as the largest; equal elements keep their order, so
// results do not depend on threads or devices.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Sort {
  static constexpr Doc doc{"sort", "input", "The elements along a dim in order, and where they were.",
                           "values, indices"};
  static constexpr Traits traits{.saves = "input: indices, input.meta", .kernel_required = true};
  int64_t dim = -1;
  bool descending = false, stable = false;
  int base = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim to sort along", as::dim);
    field("descending", descending, "the largest first");
    field("stable", stable, "keep the order of equal elements; luth always does", as::named);
    field("base", base, "from where indices count", as::base);
  }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<Sort> samples();
};
struct Argsort {
  static constexpr Doc doc{"argsort", "input", "The positions that would sort the elements along a dim."};
  static constexpr Traits traits{.not_differentiable = "its result is positions"};
  int64_t dim = -1;
  bool descending = false, stable = false;
  int base = 0;
  void describe(auto& field) {
    field("dim", dim, "the dim to sort along", as::dim);
    field("descending", descending, "the largest first");
    field("stable", stable, "keep the order of equal elements; luth always does", as::named);
    field("base", base, "from where indices count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Argsort> samples();
};
struct Msort {
  static constexpr Doc doc{"msort", "input", "The elements in order along the first dim."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Msort> samples() { return {{{}, {{4, 2}}}}; }
};
struct TopK {
  static constexpr Doc doc{"topk", "input", "The k largest elements along a dim, and where they are.",
                           "values, indices"};
  static constexpr Traits traits{.saves = "input: indices, input.meta", .kernel_required = true};
  int64_t k = 1, dim = -1;
  bool largest = true, sorted = true;
  int base = 0;
  void describe(auto& field) {
    field("k", k, "how many", as::required);
    field("dim", dim, "the dim", as::dim);
    field("largest", largest, "false: the smallest");
    field("sorted", sorted, "in order; luth always sorts them");
    field("base", base, "from where indices count", as::base);
  }
  /// How many elements of each row the result has: k, but a number stays one, as in PyTorch.
  int64_t kept(const Tensor& x) const { return x.dim() ? k : 1; }
  Specs infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensors& dy) const;
  static Cases<TopK> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Sort> sort;
inline constexpr Fn<ops::Argsort> argsort;
inline constexpr Fn<ops::TopK> topk;
}  // namespace luth
