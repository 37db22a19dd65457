// Running sums and products, and the triangles of matrices. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Cumsum {
  static constexpr Doc doc{"cumsum", "input", "The sum of the elements so far along a dim; integers in int64."};
  static void check_inplace(const void* op, const Inputs& in);
  static constexpr Traits traits{.inplace = Inplace::also,
                                 .autocast = Autocast::f32,
                                 .casts_out = true,
                                 .kernel_required = true,
                                 .check_inplace = check_inplace};
  int64_t dim = 0;
  std::optional<Dtype> dtype{};
  bool backwards = false;  // from the end, which is the gradient
  void describe(auto& field) {
    field("dim", dim, "the dim to sum along", as::dim | as::required);
    field("dtype", dtype, "convert to this dtype first", as::named);
    field("backwards", backwards, "sum from the end", as::hidden);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Cumsum> samples();
};
struct Cumprod {
  static constexpr Doc doc{"cumprod", "input", "The product of the elements so far along a dim; integers in int64."};
  static void check_inplace(const void* op, const Inputs& in);
  static constexpr Traits traits{.saves = "input: input, result",
                                 .inplace = Inplace::also,
                                 .autocast = Autocast::f32,
                                 .casts_out = true,
                                 .check_inplace = check_inplace};
  int64_t dim = 0;
  std::optional<Dtype> dtype{};
  void describe(auto& field) {
    field("dim", dim, "the dim to multiply along", as::dim | as::required);
    field("dtype", dtype, "convert to this dtype first", as::named);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Cumprod> samples();
};

struct Tril {
  static constexpr Doc doc{"tril", "input", "The lower triangle of matrices, zeros above a diagonal."};
  static constexpr Traits traits{.inplace = Inplace::also};
  int64_t diagonal = 0;
  void describe(auto& field) {
    field("diagonal", diagonal, "the last diagonal to keep; 0 is the main one, 1 above it");
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Tril> samples();
};
struct Triu {
  static constexpr Doc doc{"triu", "input", "The upper triangle of matrices, zeros below a diagonal."};
  static constexpr Traits traits{.inplace = Inplace::also};
  int64_t diagonal = 0;
  void describe(auto& field) {
    field("diagonal", diagonal, "the first diagonal to keep; 0 is the main one, 1 above it");
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Triu> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Cumsum> cumsum;
inline constexpr Fn<ops::Cumprod> cumprod;
inline constexpr Fn<ops::Tril> tril;
inline constexpr Fn<ops::Triu> triu;
}  // namespace luth
