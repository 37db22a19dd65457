#include "core/ops/nn/embedding_bag.h"

#include <cmath>
#include "core/ops/common/sample_tensors.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/positions.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/scatter_reduce.h"
#include "core/ops/nn/embedding.h"
#include "core/ops/nn/normalize.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<EmbeddingBag, EmbeddingRenormed> define_all_;

void check_bags(const EmbeddingBag& op, const Inputs& in) {
  const Tensor &input = in[0], &weight = in[1];
  check_table(input, weight);
  if (op.mode != "sum" && op.mode != "mean" && op.mode != "max")
    throw Error("mode must be 'sum', 'mean' or 'max', not '{}'", op.mode);
  if (op.sparse) throw Error("sparse gradients do not exist in luth; leave sparse false");
  if (op.mode == "max" && op.scale_grad_by_freq) throw Error("mode 'max' does not scale gradients by frequency");
  if (input.dim() == 2 && in[2]) throw Error("offsets must be nil where input has 2 dims: its rows are the bags");
  if (input.dim() == 1 && !in[2]) throw Error("offsets are needed where input has 1 dim");
  if (input.dim() != 1 && input.dim() != 2)
    throw Error("input must have 1 or 2 dims, but has shape {}", to_string(input.shape()));
  if (in[2]) {
    check_index_dtype("offsets", in[2].dtype());
    if (in[2].dim() != 1) throw Error("offsets must have 1 dim, but have shape {}", to_string(in[2].shape()));
    if (op.include_last_offset && in[2].numel() == 0)
      throw Error("offsets must hold the end of the last bag where include_last_offset is true");
  }
  if (!in[3]) return;
  if (op.mode != "sum") throw Error("per_sample_weights go with mode 'sum' alone, not with '{}'", op.mode);
  if (!(in[3].shape() == input.shape()))
    throw Error("per_sample_weights have shape {}, but input {}", to_string(in[3].shape()), to_string(input.shape()));
  if (in[3].dtype() != weight.dtype())
    throw Error("weight is {} and per_sample_weights {}; they must have one dtype", name(weight.dtype()),
                name(in[3].dtype()));
}
void check_offsets(const Tensor& offsets, int64_t positions, int base) {
  if (!is_readable(offsets)) return;
  NoGrad no_grad;
  const Tensor all = contiguous(cast_to(offsets, Dtype::i64));
  const int64_t *at = all.data<int64_t>(), n = all.numel(), first = at[0], last = at[n - 1];
  if (first != base) throw Error("offsets must begin with {}, not {}", base, first);
  for (int64_t i = 1; i < n; ++i)
    if (at[i] < at[i - 1]) throw Error("offsets must not descend, as from {} to {}", at[i - 1], at[i]);
  if (last > positions + base)
    throw Error("offsets end with {}, which is beyond the {} positions of input", last, positions);
}

/// Rows of weight that input names and that are longer than max_norm become as long, in place.
template <class Op>
void shorten_rows(const Op& op, const Tensor& input, const Tensor& weight) {
  NoGrad no_grad;
  Tensor at = reshape(input, {.shape = {input.numel()}});
  Tensor rows = renorm(index_select(weight, at, {.dim = 0, .base = op.base}), {op.norm_type, 0, *op.max_norm});
  index_copy.into(weight, at, rows, {.base = op.base});
}

/// The rows that input names, with gradients over how often it does if that is asked for.
template <class Op>
Tensor named_rows(const Op& op, const Tensor& input, const Tensor& weight, std::optional<int64_t> padding = {}) {
  Tensor rows = embedding(input, weight, {padding, op.base});
  if (!op.scale_grad_by_freq) return rows;
  Tensor at = reshape(input, {.shape = {input.numel()}}), share;
  {
    NoGrad no_grad;
    Tensor one = full({input.numel()}, 1, weight.dtype(), weight.device());
    Tensor often =
        scatter_add(zeros({weight.shape()[0]}, weight.dtype(), weight.device()), at, one, {.dim = 0, .base = op.base});
    share = reciprocal(index_select(often, at, {.dim = 0, .base = op.base}));
    share = unsqueeze(reshape(share, {.shape = input.shape()}), {.dim = -1});
  }
  Tensor still = rows.detach();
  return add(still, mul(sub(rows, still), share));  // the difference is 0, and its gradient is not
}

/// Sums over bags of a flat input.
Tensor flat_sums(const EmbeddingBag& op, const Tensor& rows, const Tensor& offsets) {
  const int64_t n = rows.shape()[0], bags = offsets.numel();
  const Tensor none = zeros({bags, rows.shape()[1]}, rows.dtype(), rows.device());
  const Tensor total = index_add(none, bag_of(offsets, n, op.base), rows, {});
  return op.include_last_offset ? narrow(total, {.dim = 0, .start = 0, .length = bags - 1}) : total;
}
/// The largest over bags of a flat input. `counts`: null, or where a position counts. The first of equal ones gets the
/// gradient, as in `largest`.
Tensor flat_largest(const EmbeddingBag& op, const Tensor& rows, const Tensor& offsets, const Tensor& counts) {
  const int64_t n = rows.shape()[0], features = rows.shape()[1], bags = offsets.numel() - op.include_last_offset;
  const Dtype dtype = rows.dtype();
  Tensor at, empty;
  {
    NoGrad no_grad;
    Tensor bag = expand(unsqueeze(bag_of(offsets, n, op.base), {.dim = 1}), {.size = {n, features}});
    Tensor skipped = counts ? unsqueeze(logical_not(counts), {.dim = 1}) : Tensor();
    Tensor seen = skipped ? masked_fill(rows, skipped, -INFINITY) : rows.detach();
    Tensor most = full({offsets.numel(), features}, -INFINITY, dtype, rows.device());
    most = scatter_reduce(most, bag, seen, {.reduce = "amax"});
    Tensor is_most = logical_or(eq(seen, gather(most, bag, {})), ne(seen, seen));  // a nan is the largest
    if (skipped) is_most = logical_and(is_most, logical_not(skipped));
    Tensor position = expand(unsqueeze(counting(n, rows.device()), {.dim = 1}), {.size = {n, features}});
    Tensor none = full({offsets.numel(), features}, n, Dtype::i64, rows.device());
    at = scatter_reduce(none, bag, masked_fill(position, logical_not(is_most), n), {.reduce = "amin"});
    at = narrow(at, {.dim = 0, .start = 0, .length = bags});
    empty = eq(at, n);
    at = masked_fill(at, empty, 0);
  }
  return masked_fill(gather(rows, at, {}), empty, 0);
}
/// The largest of each bag, bags x positions x features; `there`: which positions count.
Tensor largest(const Tensor& rows, const Tensor& there) {
  const Shape& s = rows.shape();
  if (s[1] == 0) return zeros({s[0], s[2]}, rows.dtype(), rows.device());
  Tensor masked = masked_fill(rows, unsqueeze(logical_not(there), {.dim = 2}), -INFINITY);
  const Tensor empty = logical_not(any_dims(there, {.dim = {1}, .keepdim = true}));
  return masked_fill(max_dim(masked, {.dim = 1})[0], empty, 0);
}
/// The lengths of the bags of a flat input of n positions.
Tensor lengths(const EmbeddingBag& op, const Tensor& offsets, int64_t n) {
  const Tensor begin = cast_to(offsets, Dtype::i64), end = full({1}, n + op.base, Dtype::i64, offsets.device());
  const Tensor length = sub(cat({narrow(begin, {0, 1, offsets.numel() - 1}), end}, {0}), begin);
  return op.include_last_offset ? narrow(length, {0, 0, offsets.numel() - 1}) : length;
}
/// By what the mean divides: how many positions of each bag count, at least 1. bags x 1, or a number.
Value bag_sizes(const EmbeddingBag& op, const Tensor& input, const Tensor& offsets, std::optional<int64_t> skip,
                Dtype dtype) {
  if (!offsets && !skip) return std::max<int64_t>(input.shape()[1], 1);
  NoGrad no_grad;
  Tensor size;
  if (!skip) {
    size = lengths(op, offsets, input.numel());
  } else {
    const Tensor counts = cast_to(ne(input, *skip + op.base), Dtype::i64);
    size = offsets ? flat_sums(op, unsqueeze(counts, {1}), offsets) : sum(counts, {.dim = {1}, .keepdim = true});
  }
  return cast_to(reshape(clamp(size, 1, Value()), {{-1, 1}}), dtype);
}
/// The positions of a flat input as a matrix, a row for each bag, and which of them are the bag's; null where that
/// would be much more than the input, and where it is on another device, which must not be waited for.
std::pair<Tensor, Tensor> as_rows(const EmbeddingBag& op, const Tensor& input, int64_t rows, const Tensor& offsets) {
  if (!input.device().on_host() || !input.device().has_data()) return {};
  NoGrad no_grad;
  const Tensor all = contiguous(cast_to(input, Dtype::i64));
  for (int64_t i = 0; i < all.numel(); ++i) {  // here, where an error knows the position in input
    const int64_t v = all.data<int64_t>()[i];
    if (v < op.base || v - op.base >= rows) throw_bad_position("input", input.shape(), i, v, rows, op.base, false);
  }
  const Tensor length = lengths(op, offsets, input.numel());
  const int64_t bags = length.numel(), longest = std::max<int64_t>(1, amax(length).item().integer());
  if (double(bags) * double(longest) > 2 * double(input.numel()) + 64) return {};
  const Tensor column = counting(longest, input.device()), there = lt(column, unsqueeze(length, {1}));
  const Tensor begin = sub(cast_to(narrow(offsets, {0, 0, bags}), Dtype::i64), op.base);
  const Tensor at = where(there, add(unsqueeze(begin, {1}), column), 0);
  return {reshape(index_select(input, reshape(at, {{-1}}), {}), {{bags, longest}}), there};
}
}  // namespace

Tensor EmbeddingBag::decompose(const Inputs& in) const {
  check_bags(*this, in);
  const Tensor &input = in[0], &weight = in[1], &offsets = in[2];
  if (offsets) check_offsets(offsets, input.numel(), base);
  if (max_norm) shorten_rows(*this, input, weight);
  const std::optional<int64_t> skip = padding_row(padding_idx, weight.shape()[0]);
  // the largest of nothing is 0, as the sum is
  const bool sums = mode != "max" || input.numel() == 0 || (offsets && offsets.numel() == include_last_offset);
  if (!scale_grad_by_freq && sums && is_floating(weight.dtype())) {
    const Tensor total = row_sums(weight, input, in[3], offsets, {base, include_last_offset, skip});
    return mode != "mean" ? total : div(total, bag_sizes(*this, input, offsets, skip, weight.dtype()));
  }
  if (mode == "max") {
    auto [index, there] = offsets ? as_rows(*this, input, weight.shape()[0], offsets)
                                  : std::pair(input, full(input.shape(), true, Dtype::boolean, input.device()));
    if (!index) {
      const Tensor counts = skip ? ne(input, *skip + base) : Tensor();
      return flat_largest(*this, embedding(input, weight, {{}, base}), offsets, counts);
    }
    if (skip) there = logical_and(there, ne(index, *skip + base));
    return largest(embedding(index, weight, {{}, base}), there);
  }
  Tensor rows = named_rows(*this, input, weight);
  if (in[3]) rows = mul(rows, unsqueeze(in[3], {.dim = -1}));
  if (skip) rows = masked_fill(rows, unsqueeze(eq(input, *skip + base), {.dim = -1}), 0);
  const Tensor total = offsets ? flat_sums(*this, rows, offsets) : sum(rows, {.dim = {1}});
  return mode == "sum" ? total : div(total, bag_sizes(*this, input, offsets, skip, weight.dtype()));
}

Tensor EmbeddingRenormed::decompose(const Inputs& in) const {
  const Tensor &input = in[0], &weight = in[1];
  check_table(input, weight);
  if (sparse) throw Error("sparse gradients do not exist in luth; leave sparse false");
  if (max_norm) shorten_rows(*this, input, weight);
  return named_rows(*this, input, weight, padding_idx);
}

// ---- cases ---------------------------------------------------------------------------------------------------------

// Rows that are named once, so that gradients are those of the formula; no max_norm, which writes into weight.
Cases<EmbeddingRenormed> EmbeddingRenormed::samples() {
  return {{{.padding_idx = 1, .scale_grad_by_freq = true}, {}, 0, 0, [] {
             return Inputs{sample_integers({2}, {0, 3}), sample_values({4, 2}, 0.25)};
           }}};
}
Cases<EmbeddingBag> EmbeddingBag::samples() {
  const EmbeddingBag sum{.mode = "sum"}, max{.mode = "max"}, last{.include_last_offset = true, .base = 1};
  auto rows = [] { return Inputs{sample_integers({2, 3}, {0, 3, 3, 1, 0, 2}), sample_values({4, 2}, 0.25)}; };
  auto weighted = [] {
    return Inputs{sample_integers({2, 2}, {0, 3, 3, 1}), sample_values({4, 2}, 0.25), Value(),
                  sample_values({2, 2}, 0.25)};
  };
  auto flat = [] {
    return Inputs{sample_integers({4}, {0, 1, 3, 1}), sample_values({4, 3}, 0.25), sample_integers({3}, {0, 3, 3})};
  };
  auto ended = [] {
    return Inputs{sample_integers({4}, {4, 2, 1, 2}), sample_values({4, 2}, 0.25), sample_integers({3}, {1, 3, 5})};
  };
  return {{{}, {}, 0, 0, rows},  {sum, {}, 0, 0, weighted}, {max, {}, 0, 0, flat},
          {max, {}, 0, 0, rows}, {last, {}, 0, 0, ended},   {sum, {}, 0, 0, flat}};
}

}  // namespace luth::ops
