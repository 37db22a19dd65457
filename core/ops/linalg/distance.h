// Distances and angles between vectors. See op.h for the recipe. All are compositions.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

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
inline constexpr Fn<ops::Cdist> cdist;
inline constexpr Fn<ops::PairwiseDistance> pairwise_distance;
inline constexpr Fn<ops::CosineSimilarity> cosine_similarity;
inline constexpr Fn<ops::Dist> dist;
}  // namespace luth
