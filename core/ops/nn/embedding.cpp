#include "core/ops/nn/embedding.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/positions.h"
#include "core/ops/common/row_sums.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/pad.h"

namespace luth::ops {
namespace {
const DefineAll<Embedding, EmbeddingBackward, RowSums, OneHot> define_all_;
}  // namespace

void check_table(const Value& input, const Value& weight) {
  check_index_dtype("input", input.dtype());
  if (weight.dim() != 2) throw Error("weight must have 2 dims, but has shape {}", to_string(weight.shape()));
}
std::optional<int64_t> padding_row(const std::optional<int64_t>& padding_idx, int64_t rows) {
  if (!padding_idx) return {};
  if (*padding_idx < -rows || *padding_idx >= rows)
    throw Error("padding_idx {} is beyond the {} rows of weight", shown(*padding_idx), rows);
  return *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
}
Spec Embedding::infer(const Inputs& in) const {
  check_table(in[0], in[1]);
  padding_row(padding_idx, in[1].shape()[0]);
  Shape s = in[0].shape();
  s.push_back(in[1].shape()[1]);
  return {s, in[1].dtype()};
}
Tensors Embedding::vjp(const Call& c, const Tensor& dy) const {
  const int64_t rows = c.in[1].shape()[0];
  return {Tensor(), embedding_backward(dy, c.in[0], {rows, {padding_row(padding_idx, rows), base}})};
}
Spec EmbeddingBackward::infer(const Inputs& in) const { return {{rows, in[0].shape().back()}, in[0].dtype()}; }
Tensors EmbeddingBackward::vjp(const Call& c, const Tensor& dy) const {
  const auto& [padding, base] = forward;
  Tensor rows_of = embedding(c.in[1], dy, {.base = base});
  if (padding) rows_of = masked_fill(rows_of, unsqueeze(eq(c.in[1], *padding + base), {.dim = -1}), 0);
  return {rows_of};
}

Tensor bag_of(const Tensor& offsets, int64_t positions, int base) {
  NoGrad no_grad;
  Tensor begins = scatter_add(zeros({positions + 1}, Dtype::i64, offsets.device()), offsets,
                              full(offsets.shape(), 1, Dtype::i64, offsets.device()), {.dim = 0, .base = base});
  return sub(cumsum(narrow(begins, {.dim = 0, .start = 0, .length = positions}), {.dim = 0}), 1);
}

Spec RowSums::infer(const Inputs& in) const {
  check_table(in[1], in[0]);
  const Value& offsets = in[3];
  if (offsets && (in[1].dim() != 1 || offsets.dim() != 1)) throw Error("input and offsets must have 1 dim");
  if (offsets) check_index_dtype("offsets", offsets.dtype());
  if (!offsets && in[1].dim() != 2) throw Error("input must have 2 dims, but has shape {}", to_string(in[1].shape()));
  if (in[2] && !(in[2].shape() == in[1].shape())) throw Error("weights must have the shape of input");
  if (in[2]) check_same_dtype("table", in[0], "weights", in[2]);
  const int64_t bags = offsets ? offsets.shape()[0] - ended : in[1].shape()[0];
  return {{std::max<int64_t>(0, bags), in[0].shape()[1]}, in[0].dtype()};
}
Tensors RowSums::vjp(const Call& c, const Tensor& dy) const {
  const Value &input = c.in[1], &weights = c.in[2], &offsets = c.in[3];
  Shape s = input.shape();
  s.push_back(dy.shape()[1]);
  Tensor each;  // the gradient of the sum that each position is in
  if (offsets)  // positions behind the last bag get zeros
    each = index_select(ended ? constant_pad_nd(dy, {{0, 0, 0, 1}, 0}) : dy, bag_of(offsets, s[0], base), {});
  else
    each = expand(unsqueeze(dy, {.dim = 1}), {s});
  Tensor dtable, dweights;
  if (c.wants(0)) {
    const Tensor shares = weights ? mul(each, unsqueeze(weights, {.dim = -1})) : each;
    dtable = embedding_backward(shares, input, {c.in[0].shape()[0], {.padding_idx = skip, .base = base}});
  }
  if (c.wants(2)) {
    dweights = sum(mul(embedding(input, c.in[0], {.base = base}), each), {.dim = {-1}});
    if (skip) dweights = masked_fill(dweights, eq(input, *skip + base), 0);
  }
  return {dtable, Tensor(), dweights, Tensor()};
}

Spec OneHot::infer(const Inputs& in) const {
  check_index_dtype("input", in[0].dtype());
  if (num_classes == 0 || num_classes < -1) throw Error("num_classes must be at least 1, or -1, not {}", num_classes);
  int64_t classes = num_classes;
  if (classes < 0) {
    if (in[0].numel() == 0) throw Error("an empty input does not say how many classes there are; give num_classes");
    if (!in[0].tensor().device().has_data()) throw Error("the meta device has no data; give num_classes");
    NoGrad no_grad;
    classes = std::max<int64_t>(1, amax(in[0]).item().integer() - base + 1);
  }
  Shape s = in[0].shape();
  s.push_back(classes);
  return {s, Dtype::i64};
}

Cases<Embedding> Embedding::samples() {  // padding rows are not among those picked: their gradient is 0 by definition
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_integers({2, 2}, {0, 3, 3, 1}), sample_values({4, 2}, 0.25)};
           }},
          {{.padding_idx = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_integers({3}, {0, 2, 2}), sample_values({3, 2}, 0.25)};
           }},
          {{.padding_idx = -1, .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{sample_integers({2}, {2, 1}), sample_values({3, 2}, 0.25)};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{sample_integers({}, {1}), sample_values({3, 2}, 0.25)};
           }}};
}
Cases<EmbeddingBackward> EmbeddingBackward::samples() {
  return {{{.rows = 3},
           {},
           0,
           0,
           [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({3}, {0, 2, 2})};
           }},
          {{.rows = 3, .forward = {.padding_idx = 2, .base = 1}}, {}, 0, 0, [] {
             return Inputs{sample_values({3, 2}, 0.25), sample_integers({3}, {1, 3, 2})};
           }}};
}
Cases<RowSums> RowSums::samples() {
  auto plain = [] {
    return Inputs{sample_values({4, 2}, 0.25), sample_integers({2, 3}, {0, 3, 3, 1, 0, 2}), Value(), Value()};
  };
  auto weighted = [] {
    const Tensor input = sample_integers({2, 2}, {1, 3, 3, 2});
    return Inputs{sample_values({3, 2}, 0.25), input, sample_values({2, 2}, 0.25), Value()};
  };
  auto bags = [] {
    const Tensor input = sample_integers({4}, {1, 3, 3, 2});
    return Inputs{sample_values({3, 2}, 0.25), input, sample_values({4}, 0.25), sample_integers({3}, {1, 4, 4})};
  };
  auto ended = [] {
    return Inputs{sample_values({3, 2}, 0.25), sample_integers({4}, {1, 0, 2, 2}), Value(),
                  sample_integers({3}, {0, 1, 3})};
  };
  return {{{}, {}, 0, 0, plain},
          {{.base = 1}, {}, 0, 0, weighted},
          {{.base = 1, .skip = 1}, {}, 0, 0, bags},
          {{.ended = true}, {}, 0, 0, ended}};
}
Cases<OneHot> OneHot::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{sample_integers({2, 2}, {0, 3, 3, 1})};
           }},
          {{.num_classes = 5, .base = 1}, {}, 0, 0, [] {
             return Inputs{sample_integers({3}, {5, 1, 2})};
           }}};
}

}  // namespace luth::ops

namespace luth::basic {
Tensor row_sums(const Tensor& table, const Tensor& input, const Tensor& weights) {
  return luth::row_sums(table, input, weights, Value());
}
}  // namespace luth::basic
