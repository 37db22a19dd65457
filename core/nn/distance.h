// Distances and angles between vectors, and elements over a power of their neighbouring channels.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/linalg/distance.h"
#include "core/ops/nn/normalize.h"

namespace luth::nn {

inline constexpr Beside bare_size{.prints = "size, alpha, beta, k", .bare = "size"};

using CosineSimilarity = OperatorModule<ops::CosineSimilarity, "CosineSimilarity">;
using PairwiseDistance = OperatorModule<ops::PairwiseDistance, "PairwiseDistance">;
using LocalResponseNorm = OperatorModule<ops::LocalResponseNorm, "LocalResponseNorm", bare_size>;

/// Of images, [N, C, H, W]. With p = floor((size - 1) / 2) + 1, channel c has the neighbours c - p + 1 to c + p - 1,
/// and from c = p on the first channel too, as in PyTorch; their squares are divided by size.
struct CrossMapLRN2dSpec {
  static constexpr const char* name = "CrossMapLRN2d";
  static constexpr const char* brief = "each element over a power of its neighbouring channels, as Caffe has it";
  int64_t size = 1;
  double alpha = 1e-4, beta = 0.75, k = 1;
  void describe(auto& field) {
    field("size", size, "how many channels count as neighbours", as::required | as::bare);
    field("alpha", alpha, "multiplies the mean of squares");
    field("beta", beta, "the exponent");
    field("k", k, "added before the power");
  }
};
class CrossMapLRN2d final : public Layer<CrossMapLRN2d, CrossMapLRN2dSpec> {
 public:
  using Layer::Layer;
  void build() override;
  Tensor run(const Tensor& x);
};

using Distances = Types<CosineSimilarity, PairwiseDistance, LocalResponseNorm, CrossMapLRN2d>;

}  // namespace luth::nn
