// Embedding: rows of a table by index; and one_hot. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// Throws unless `input` holds positions and `weight` is a matrix.
void check_table(const Value& input, const Value& weight);
/// padding_idx, which may count from the end, from 0. Throws unless it is one of the rows.
std::optional<int64_t> padding_row(const std::optional<int64_t>& padding_idx, int64_t rows);
/// For each position of a flat input the bag that it lies in, from 0, where `offsets` say where each begins; the number
/// of bags, with `ended`, if it lies behind the last.
Tensor bag_of(const Tensor& offsets, int64_t positions, int base);

struct Embedding {
  static constexpr Doc doc{"embedding", "input, weight", "The rows of weight at the positions that input holds."};
  static constexpr Traits traits{
      .saves = "weight: input, weight.meta", .offered = Offered::function, .kernel_required = true};
  std::optional<int64_t> padding_idx{};
  int base = 0;
  void describe(auto& field) {
    field("padding_idx", padding_idx, "a row that gets no gradient", as::index);
    field("base", base, "from where indices count", as::base);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Embedding> samples();
};
/// Zeros of `rows` rows, to which those of grad are added in order; none to row padding_idx.
struct EmbeddingBackward {
  static constexpr Doc doc{"embedding_backward", "grad, input", "The gradient of embedding in its weight.",
                           "weight_grad"};
  static constexpr Traits traits{.saves = "grad: input", .internal = true, .kernel_required = true};
  int64_t rows = 0;
  Embedding forward{};  // padding_idx counts from 0
  void describe(auto& field) {
    field("rows", rows, "the rows of weight", as::required);
    forward.describe(field);
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<EmbeddingBackward> samples();
};
/// table [R, C], input [N, K] and weights [N, K] give [N, C]. Or input and weights are vectors, in which `offsets` say
/// where each bag begins, from 0; with `ended` the last of them is the end of the last bag.
struct RowSums {
  static constexpr Doc doc{
      "row_sums", "table, input, weights?, offsets?",
      "For each row of input, or bag, the sum of the rows of table at its positions, times weights."};
  static constexpr Traits traits{.saves = "table: table.meta, input, weights, offsets; weights: table, input, offsets",
                                 .internal = true,
                                 .kernel_required = true};
  int base = 0;
  bool ended = false;
  std::optional<int64_t> skip{};
  void describe(auto& field) {
    field("base", base, "from where indices and offsets count", as::base);
    field("ended", ended, "whether offsets ends with the end of the last bag");
    field("skip", skip, "a row of table, from 0, that counts for nothing");
  }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<RowSums> samples();
};
struct OneHot {
  static constexpr Doc doc{"one_hot", "input", "A row for each element, 1 at the class that it names and 0 elsewhere."};
  static constexpr Traits traits{
      .not_differentiable = "its input holds classes", .second_names = "tensor: input", .offered = Offered::functional};
  int64_t num_classes = -1;
  int base = 0;
  void describe(auto& field) {
    field("num_classes", num_classes, "how many classes there are; -1: as many as the largest one says");
    field("base", base, "from where classes count", as::base);
  }
  Spec infer(const Inputs& in) const;
  static Cases<OneHot> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Embedding> embedding;
inline constexpr Fn<ops::EmbeddingBackward> embedding_backward;
inline constexpr Fn<ops::RowSums> row_sums;
inline constexpr Fn<ops::OneHot> one_hot;
}  // namespace luth
