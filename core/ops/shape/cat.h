// Joining tensors along a dim. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Cat {
  static constexpr Doc doc{"cat", "tensors[]", "The tensors one after the other along a dim."};
  static constexpr Traits traits{
      .aliases = "concat concatenate", .second_names = "dim: axis", .offered = Offered::function, .casts_out = true};
  int64_t dim = 0;
  void describe(auto& field) { field("dim", dim, "the dim to join along", as::dim); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Cat> samples();
};
/// At most 32 tensors of one number of dims: what cat is made of.
struct CatFew {
  static constexpr Doc doc{"cat.few", "tensors[]", "Cat of at most 32 tensors."};
  static constexpr Traits traits{
      .saves = "tensors: tensors.meta", .internal = true, .promote = Promote::common, .casts_out = true};
  int64_t dim = 0;
  void describe(auto& field) { field("dim", dim, "the dim to join along", as::dim); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<CatFew> samples();
};
struct Stack {
  static constexpr Doc doc{"stack", "tensors[]", "The tensors, all of one shape, side by side along a new dim."};
  static constexpr Traits traits{.offered = Offered::function, .casts_out = true};
  int64_t dim = 0;
  void describe(auto& field) { field("dim", dim, "where the new dim stands", as::dim | as::insert); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Stack> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Cat> cat;
inline constexpr Fn<ops::CatFew> cat_few;
inline constexpr Fn<ops::Stack> stack;
}  // namespace luth
