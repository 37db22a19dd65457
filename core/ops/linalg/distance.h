// Distances and angles between vectors. See op.h for the recipe. Those of all pairs have kernels (distance_norms.h).
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// The distances of all rows of x1 from all of x2, or of the pairs (i, j) with i < j alone.
struct RowDistances {
  static constexpr Doc doc{"cdist.rows", "x1, x2",
                           "The p-norms, p > 0, of the differences of rows of x1 [b, n, k] and x2 [b, m, k]: [b, n, "
                           "m]; of a triangle those of row i of x1 and row j of x2 with i < j: [b, n (n - 1) / 2]."};
  static constexpr Traits traits{.saves = "x1: x1, x2, result; x2: x1, x2, result", .internal = true};
  double p = 2;
  bool triangle = false;
  void describe(auto& field) {
    field("p", p, "the norm");
    field("triangle", triangle, "only pairs of a row and a later one");
  }
  Spec infer(const Inputs& in) const;
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<RowDistances> samples();
};
struct RowDistancesBackward {
  static constexpr Doc doc{"cdist.rows_backward", "grad, x1, x2, result", "The gradient of cdist.rows by x1.",
                           "x1_grad"};
  static constexpr Traits traits{.internal = true};
  double p = 2;
  bool triangle = false, below = false;
  void describe(auto& field) {
    field("p", p, "the norm");
    field("triangle", triangle, "only pairs of a row and a later one");
    field("below", below, "the rows of x1 are the later ones");
  }
  Spec infer(const Inputs& in) const;
  Tensor decompose(const Inputs& in) const;
  static Cases<RowDistancesBackward> samples();
};
struct Cdist {
  static constexpr Doc doc{
      "cdist", "x1, x2",
      "The p-norm of the difference of each row of x1 [.., n, k] and each of x2 [.., m, k]: [.., n, "
      "m]; batch dims broadcast."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::f32};
  double p = 2;
  std::string compute_mode = "use_mm_for_euclid_dist_if_necessary";
  void describe(auto& field) {
    field("p", p, "the norm: 0 counts differences, inf takes the largest");
    field("compute_mode", compute_mode,
          "'use_mm_for_euclid_dist' computes p = 2 by a matrix product, quicker and less exact; "
          "'use_mm_for_euclid_dist_if_necessary' where there are more than 25 rows; 'donot_use_mm_for_euclid_dist'");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Cdist> samples();
};
struct Pdist {
  static constexpr Doc doc{"pdist", "input",
                           "The p-norms of the differences of all pairs of rows: (1, 2), (1, 3), … (2, 3), …"};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::f32};
  double p = 2;
  void describe(auto& field) { field("p", p, "the norm: 0 counts differences, inf takes the largest"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Pdist> samples();
};
struct PairwiseDistance {
  static constexpr Doc doc{"pairwise_distance", "x1, x2", "The p-norm of x1 - x2 + eps over the last dim."};
  static constexpr Traits traits{.offered = Offered::function};
  double p = 2, eps = 1e-6;
  bool keepdim = false;
  void describe(auto& field) {
    field("p", p, "the norm");
    field("eps", eps, "added to each difference, so that none is 0");
    field("keepdim", keepdim, "keep the last dim with extent 1");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<PairwiseDistance> samples() {
    return {{{}, {{2, 3}, {2, 3}}}, {{.p = 1, .keepdim = true}, {{3}, {3}}}, {{.p = 3}, {{2, 3}, {3}}}};
  }
};
struct CosineSimilarity {
  static constexpr Doc doc{"cosine_similarity", "x1, x2",
                           "The cosine of the angle between vectors along a dim; norms below eps count as eps."};
  static constexpr Traits traits{.offered = Offered::function, .autocast = Autocast::widest};
  int64_t dim = 1;
  double eps = 1e-8;
  void describe(auto& field) {
    field("dim", dim, "the dim of the vectors", as::dim);
    field("eps", eps, "the least norm");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<CosineSimilarity> samples() {
    return {{{}, {{2, 3}, {2, 3}}}, {{.dim = -1}, {{2, 1, 3}, {2, 3}}}, {{.dim = 0}, {{3}, {3}}}};
  }
};
struct Dist {
  static constexpr Doc doc{"dist", "input, other", "The p-norm of input - other."};
  static constexpr Traits traits{.autocast = Autocast::f32};
  Scalar p = 2;
  void describe(auto& field) { field("p", p, "the exponent of the norm"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Dist> samples() { return {{{}, {{2, 3}, {3}}}, {{.p = 1}, {{3}, {}}, 0.5, 2}, {{.p = 4}, {{3}, {3}}}}; }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::RowDistances> row_distances;
inline constexpr Fn<ops::RowDistancesBackward> row_distances_backward;
inline constexpr Fn<ops::Cdist> cdist;
inline constexpr Fn<ops::PairwiseDistance> pairwise_distance;
inline constexpr Fn<ops::CosineSimilarity> cosine_similarity;
inline constexpr Fn<ops::Dist> dist;
}  // namespace luth
