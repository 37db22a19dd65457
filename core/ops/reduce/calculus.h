// Differences, integrals and gradients of sampled functions. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Diff {
  static constexpr Doc doc{"diff", "input, prepend?, append?",
                           "The n-th differences of neighbours along a dim; of bools whether they differ."};
  static constexpr Traits traits{.order = "input, n, dim, prepend, append"};
  int64_t n = 1, dim = -1;
  void describe(auto& field) {
    field("n", n, "how often to take differences");
    field("dim", dim, "the dim", as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Diff> samples();
};

/// The attributes of integrals by trapezoids.
struct Trapezoids {
  static constexpr Traits family{.order = "y, x", .offered = Offered::function}, traits = family;
  Scalar dx = 1;
  int64_t dim = -1;
  void describe(auto& field) {
    field("dx", dx, "the distance between samples, where x is nil", as::named);
    field("dim", dim, "the dim to integrate along", as::dim | as::named);
  }
  /// The sums of neighbours.
  Tensor heights(const Tensor& y) const;
  /// The areas between neighbours at places x, times two.
  Tensor areas(const Tensor& y, const Tensor& x) const;
};
struct Trapezoid : Trapezoids {
  static constexpr Doc doc{"trapezoid", "y, x?", "The integral of samples y at points x along a dim, by trapezoids."};
  static constexpr Traits traits = family.with({.aliases = "trapz"});
  Tensor decompose(const Inputs& in) const;
  static Cases<Trapezoid> samples();
};
struct CumulativeTrapezoid : Trapezoids {
  static constexpr Doc doc{"cumulative_trapezoid", "y, x?",
                           "The integral of samples so far along a dim, by trapezoids."};
  Tensor decompose(const Inputs& in) const;
  static Cases<CumulativeTrapezoid> samples();
};

/// The attributes of `gradient`.
struct Slopes {
  static constexpr Traits family{.offered = Offered::function}, traits = family;
  std::optional<Ints> dim;
  int64_t edge_order = 1;
  void describe(auto& field) {
    field("dim", dim, "the dims to estimate along; nil: all", as::dim | as::named);
    field("edge_order", edge_order, "how many neighbours beside the edges' own count there: 1 or 2", as::named);
  }
  /// The dims, wrapped, with all extents checked.
  Ints dims(const Tensor& t) const;
};
struct GradientOf : Slopes {
  static constexpr Doc doc{"gradient", "input", "The slopes of sampled values along each dim, a tensor per dim.",
                           "list[]"};
  std::optional<std::vector<double>> spacing;
  void describe(auto& field) {
    field("spacing", spacing,
          "the distance between samples: a number, or one per dim; or a list of tensors, the places", as::named);
    Slopes::describe(field);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<GradientOf> samples();
};
struct GradientAt : Slopes {
  static constexpr Doc doc{"gradient.places", "input, spacing[]",
                           "The same with the places of the samples along each dim.", "list[]"};
  Tensors decompose(const Inputs& in) const;
  static Cases<GradientAt> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Diff> diff;
inline constexpr Fn<ops::Trapezoid> trapezoid;
inline constexpr Fn<ops::CumulativeTrapezoid> cumulative_trapezoid;
}  // namespace luth
