// Sums, means and maxima over bags of a table's rows, and embedding that changes its table or counts rows. See op.h for
// the recipe; written in other operators.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// F.embedding with the arguments that are not free: max_norm, scale_grad_by_freq.
struct EmbeddingRenormed {
  static constexpr Doc doc{"embedding.renormed", "input, weight",
                           "The rows of weight at the positions that input holds, after rows longer than max_norm were "
                           "brought down to it in weight itself."};
  static constexpr Traits traits{.offered = Offered::function};
  std::optional<int64_t> padding_idx{};
  std::optional<double> max_norm{};
  double norm_type = 2;
  bool scale_grad_by_freq = false, sparse = false;
  int base = 0;
  void describe(auto& field) {
    field("padding_idx", padding_idx, "a row that gets no gradient", as::index);
    field("max_norm", max_norm, "bring the rows that are used down to this norm, in weight itself");
    field("norm_type", norm_type, "the exponent of that norm");
    field("scale_grad_by_freq", scale_grad_by_freq, "divide each row's gradient by how often input names it");
    field("sparse", sparse, "must be false: gradients are dense");
    field("base", base, "from where indices count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<EmbeddingRenormed> samples();
};
/// input: N x L positions, a row for each bag; or one dim, in which `offsets` says where each bag begins.
struct EmbeddingBag {
  static constexpr Doc doc{"embedding_bag", "input, weight, offsets?, per_sample_weights?",
                           "The sum, mean or maximum of weight's rows at the positions of each bag; 0 for empty ones."};
  static constexpr Traits traits{.order =
                                     "input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, "
                                     "per_sample_weights, include_last_offset, padding_idx",
                                 .offered = Offered::function};
  std::optional<double> max_norm{};
  double norm_type = 2;
  bool scale_grad_by_freq = false;
  std::string mode = "mean";
  bool sparse = false, include_last_offset = false;
  std::optional<int64_t> padding_idx{};
  int base = 0;
  void describe(auto& field) {
    field("max_norm", max_norm, "bring the rows that are used down to this norm, in weight itself");
    field("norm_type", norm_type, "the exponent of that norm");
    field("scale_grad_by_freq", scale_grad_by_freq, "divide each row's gradient by how often input names it");
    field("mode", mode, "'sum', 'mean' or 'max'");
    field("sparse", sparse, "must be false: gradients are dense");
    field("include_last_offset", include_last_offset, "whether offsets ends with the end of the last bag");
    field("padding_idx", padding_idx, "a row that counts for nothing", as::index);
    field("base", base, "from where indices and offsets count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<EmbeddingBag> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::EmbeddingBag> embedding_bag;
}
