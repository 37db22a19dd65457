// Masks: filling, picking and replacing the elements where a mask is true, and the positions of those that are not 0.
// See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct MaskedFill {
  static constexpr Doc doc{"masked_fill", "input, mask, value|number", "Input with value where mask is true."};
  static constexpr Traits traits{.saves = "*: mask", .broadcast = true, .elementwise = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<MaskedFill> samples();
};
struct MaskedSelect {
  static constexpr Doc doc{"masked_select", "input, mask", "The elements of input where mask is true, as one dim."};
  static constexpr Traits traits{.saves = "input: input.meta, mask", .broadcast = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<MaskedSelect> samples();
};
struct MaskedScatter {
  static constexpr Doc doc{"masked_scatter", "input, mask, source",
                           "Input with its elements where mask is true replaced by those of source, in order."};
  static constexpr Traits traits{.inplace = Inplace::also};
  Tensor decompose(const Inputs& in) const;
  static Cases<MaskedScatter> samples();
};
/// The same for input and mask of one shape.
struct MaskedReplace {
  static constexpr Doc doc{"masked_scatter.same", "input, mask, source", "Masked_scatter without broadcasting."};
  static constexpr Traits traits{
      .saves = "input: mask; source: mask, source.meta", .internal = true, .overwrites = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<MaskedReplace> samples();
};

struct CountNonzero {
  static constexpr Doc doc{"nonzero.count", "input", "How many elements are not 0, as a 0-dimensional int64."};
  static constexpr Traits traits{.not_differentiable = "its result is a count", .internal = true};
  Spec infer(const Inputs&) const { return {Shape(), Dtype::i64}; }
  static Cases<CountNonzero> samples();
};
struct Nonzero {
  static constexpr Doc doc{"nonzero", "input", "The positions of elements that are not 0, one per row."};
  static constexpr Traits traits{.not_differentiable = "its result is positions", .kernel_required = true};
  int base = 0;
  void describe(auto& field) { field("base", base, "from where indices count", as::base); }
  Spec infer(const Inputs& in) const;
  static Cases<Nonzero> samples();
};
struct NonzeroTuple {
  static constexpr Doc doc{"nonzero.tuple", "input", "The positions of elements that are not 0, a tensor per dim.",
                           "list[]"};
  static constexpr Traits traits{.not_differentiable = "its result is positions"};
  bool as_tuple = true;
  int base = 0;
  void describe(auto& field) {
    field("as_tuple", as_tuple, "a list with one tensor of positions per dim", as::named | as::required);
    field("base", base, "from where indices count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<NonzeroTuple> samples();
};
struct Argwhere {
  static constexpr Doc doc{"argwhere", "input", "The positions of elements that are not 0, one per row; as nonzero."};
  static constexpr Traits traits{.not_differentiable = "its result is positions"};
  int base = 0;
  void describe(auto& field) { field("base", base, "from where indices count", as::base); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Argwhere> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::MaskedFill> masked_fill;
inline constexpr Fn<ops::MaskedSelect> masked_select;
inline constexpr Fn<ops::MaskedScatter> masked_scatter;
inline constexpr Fn<ops::MaskedReplace> masked_replace;
inline constexpr Fn<ops::CountNonzero> count_nonzero_all;
inline constexpr Fn<ops::Nonzero> nonzero;
}  // namespace luth
