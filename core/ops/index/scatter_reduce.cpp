#include "core/ops/index/scatter_reduce.h"

#include <algorithm>
#include "core/ops/common/sample_tensors.h"

#include "core/ops/common/positions.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/mask.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<ScatterReduce, IndexReduce, TakeAlongDim, UnravelIndex, NonzeroStatic> define_all_;

Tensor ones_of(const Tensor& t, Dtype d) { return full(t.shape(), 1, d, t.device()); }

// The neutral element of a reduction, which is written over elements of input that take no part.
Scalar neutral(const std::string& reduce, Dtype d) {
  if (reduce == "prod") return 1;
  if (reduce != "amax" && reduce != "amin") return 0;
  const bool least = reduce == "amax";
  Scalar v;
  dispatch(AllTypes{}, d, [&]<class T>(Type<T>) {
    if constexpr (is_float<T>)
      v = least ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    else if constexpr (std::is_same_v<T, bool>)
      v = Scalar(!least);
    else
      v = int64_t(least ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
  });
  return v;
}

void check_reduce(const std::string& reduce, bool sums) {
  for (const char* known : {"prod", "mean", "amax", "amin"})
    if (reduce == known) return;
  if (sums && reduce == "sum") return;
  throw Error("reduce must be {}'prod', 'mean', 'amax' or 'amin', not '{}'", sums ? "'sum', " : "", reduce);
}

Tensor where_not(const Tensor& mask, const Tensor& value) { return masked_fill(value, mask, 0); }

}  // namespace

// How many elements each position of the result is made of, at least 1.
Tensor ScatterReduce::counts(const Tensor& like, const Tensor& index, const Tensor& src) const {
  const Tensor n = full(like.shape(), include_self ? 1 : 0, like.dtype(), like.device());
  scatter_add.into(n, index, ones_of(src, like.dtype()), {.dim = dim, .base = base});
  return maximum(n, 1);
}

Tensor ScatterReduce::decompose(const Inputs& in) const {
  check_reduce(reduce, true);
  const Tensor &x = in[0], &index = in[1], &src = in[2];
  if (reduce == "mean" && x.dtype() == Dtype::boolean) throw Error("the mean of bool elements is not defined");
  Tensor y = clone(x);
  if (!include_self) scatter_value.into(y, index, neutral(reduce, x.dtype()), {.dim = dim, .base = base});
  if (reduce == "sum" || reduce == "mean")
    scatter_add.into(y, index, src, {.dim = dim, .base = base});
  else
    scatter.into(y, index, src, {.dim = dim, .base = base, .reduce = reduce == "prod" ? "multiply" : reduce});
  if (reduce != "mean") return y;
  if (is_floating(x.dtype())) return div(y, counts(y, index, src));
  const Tensor n = counts(full(y.shape(), 0, Dtype::i64, y.device()), index, src);
  return cast_to(floor_divide(y, n), y.dtype());
}

Tensors ScatterReduce::vjp(const Call& c, const Tensor& dy) const {
  if (reduce == "prod") return of_product(c, dy);
  if (reduce == "amax" || reduce == "amin") return of_extreme(c, dy);
  const Tensor &index = c.in[1], &src = c.in[2];
  const Tensor g = reduce == "mean" ? div(dy, counts(dy.detach(), index, src)) : dy;
  Tensors out(3);
  if (c.wants(0)) out[0] = include_self ? g : scatter_value(g, index, 0, {.dim = dim, .base = base});
  if (c.wants(2)) out[2] = gather(g, index, {.dim = dim, .base = base});
  return out;
}

// The gradient of an element is the product of the others: result / element. Of the only 0 it is the product with 1 in
// its place.
Tensors ScatterReduce::of_product(const Call& c, const Tensor& dy) const {
  const Tensor &x = c.in[0], &index = c.in[1], &src = c.in[2];
  Tensors out(3);
  if (c.wants(0)) {
    const Tensor others = scatter_reduce(ones_of(x, x.dtype()), index, src, *this);
    out[0] = mul(dy, others);
    if (!include_self) out[0] = scatter_value(out[0], index, 0, {.dim = dim, .base = base});
  }
  if (!c.wants(2)) return out;
  const Tensor zero = eq(src, 0);
  const Tensor zeros = full(x.shape(), 0, Dtype::i64, x.device());
  scatter_add.into(zeros, index, cast_to(zero, Dtype::i64), {.dim = dim, .base = base});
  const Tensor near = gather(zeros, index, {.dim = dim, .base = base});
  const Tensor only = logical_and(zero, eq(near, 1));
  const Tensor without = scatter_reduce(x, index, masked_fill(src, only, 1), *this);
  const Tensor of_zero = gather(mul(dy, without), index, {.dim = dim, .base = base});
  const Tensor of_others = div(gather(mul(dy, c.out[0]), index, {.dim = dim, .base = base}), masked_fill(src, zero, 1));
  out[2] = where_not(gt(near, 1), where(only, of_zero, of_others));
  return out;
}

// Equal elements share the gradient.
Tensors ScatterReduce::of_extreme(const Call& c, const Tensor& dy) const {
  const Tensor &x = c.in[0], &index = c.in[1], &src = c.in[2];
  Tensor self = cast_to(eq(x, c.out[0]), dy.dtype());
  if (!include_self) self = scatter_value(self, index, 0, {.dim = dim, .base = base});
  const Tensor mine = cast_to(eq(src, gather(c.out[0], index, {.dim = dim, .base = base})), dy.dtype());
  const Tensor n = scatter_add(self, index, mine, {.dim = dim, .base = base});
  const Tensor g = div(dy, n);
  Tensors out(3);
  if (c.wants(0)) out[0] = mul(self, g);
  if (c.wants(2)) out[2] = mul(mine, gather(g, index, {.dim = dim, .base = base}));
  return out;
}

Tensor IndexReduce::decompose(const Inputs& in) const {
  check_reduce(reduce, false);
  const Tensor &x = in[0], &index = in[1], &source = in[2];
  check_index_dtype("index", index.dtype());
  const int d = wrap_dim(dim, x.dim());
  if (index.dim() > 1) throw Error("index must have one dim, but has shape {}", to_string(index.shape()));
  const ScatterReduce each{.dim = dim, .base = base, .reduce = reduce, .include_self = include_self};
  if (x.dim() == 0)
    return reshape(scatter_reduce(reshape(x, {Shape{1}}), reshape(index, {Shape{index.numel()}}),
                                  reshape(source, {Shape{1}}), each),
                   {Shape{}});
  Shape want = x.shape(), along(x.dim(), 1);
  want[d] = along[d] = index.numel();
  if (!(source.shape() == want))
    throw Error("source has shape {}; with {} positions along dim {} of an input of shape {} it must have {}",
                to_string(source.shape()), index.numel(), shown(d), to_string(x.shape()), to_string(want));
  return scatter_reduce(x, expand_to(reshape(index, {along}), want), source, each);
}

Tensor TakeAlongDim::decompose(const Inputs& in) const {
  Tensor x = in[0], index = in[1];
  check_index_dtype("indices", index.dtype());
  if (!dim) {
    x = reshape(x, {Shape{x.numel()}});
    return gather(x, reshape(index, {Shape{index.numel()}}), {.base = base});
  }
  if (x.dim() != index.dim())
    throw Error("input and indices must have equally many dims: their shapes are {} and {}", to_string(x.shape()),
                to_string(index.shape()));
  const int d = wrap_dim(*dim, x.dim());
  index = where(lt(index, 0), add(index, (x.dim() ? x.shape()[d] : 1) + base), index);  // PyTorch wraps here
  if (x.dim() == 0) return gather(x, index, {.base = base});
  Shape a = x.shape(), b = index.shape();
  a[d] = b[d] = 1;
  Shape to = broadcast(a, b);
  to[d] = x.shape()[d];
  x = expand_to(x, to);
  to[d] = index.shape()[d];
  return gather(x, expand_to(index, to), {.dim = d, .base = base});
}

// As in PyTorch, positions beyond the tensor begin again at the first.
Tensors UnravelIndex::decompose(const Inputs& in) const {
  Tensor at = in[0];
  check_index_dtype("indices", at.dtype());
  int64_t inner = 1;
  for (int64_t extent : shape) {
    if (extent < 0) throw Error("negative extent in {}", to_string(shape));
    if (extent == 0 && at.numel()) throw Error("a tensor of shape {} has no positions", to_string(shape));
    if (__builtin_mul_overflow(inner, std::max<int64_t>(extent, 1), &inner))
      throw Error("a tensor of shape {} has more positions than there can be", to_string(shape));
  }
  at = cast_to(at, Dtype::i64);
  if (base) at = where(lt(at, 0), at, sub(at, base));  // negative ones count from the end
  Tensors out;
  for (int64_t extent : shape) {
    extent = std::max<int64_t>(extent, 1);
    inner /= extent;
    out.push_back(add(remainder(floor_divide(at, inner), extent), base));
  }
  return out;
}

Tensor NonzeroStatic::decompose(const Inputs& in) const {
  if (size < 0) throw Error("size must not be negative, got {}", size);
  const Tensor found = nonzero(in[0], {.base = base});
  const int64_t n = std::min(size, found.shape()[0]);
  const Tensor y = full({size, in[0].dim()}, fill_value < 0 || fill_value == INT64_MAX ? fill_value : fill_value + base,
                        Dtype::i64, in[0].tensor().device());
  copy.into(narrow(y, {0, 0, n}), narrow(found, {0, 0, n}));
  return y;
}

// ---- samples --------------------------------------------------------------------------------------------------------

namespace {

// No two elements are equal, not even in tensors of another `from`.
Tensor values(const Shape& s, double from) { return sample_values(s, 0.25, from - 1); }

template <class Op>
Op reducing(int64_t dim, int base, const char* reduce, bool include_self) {
  Op op;
  op.dim = dim, op.base = base, op.reduce = reduce, op.include_self = include_self;
  return op;
}

}  // namespace

Cases<ScatterReduce> ScatterReduce::samples() {
  Cases<ScatterReduce> all;
  for (const char* reduce : {"sum", "prod", "mean", "amax", "amin"})
    for (bool self : {true, false}) {
      all.push_back(
          {reducing<ScatterReduce>(0, 0, reduce, self), {}, 0, 0, [] {
             return Inputs{values({3, 2}, 0.1), sample_integers({3, 2}, {2, 0, 0, 0, 2, 2}), values({3, 2}, 0.07)};
           }});
      all.push_back({reducing<ScatterReduce>(-1, 1, reduce, self), {}, 0, 0, [] {
                       return Inputs{values({2, 3}, 0.1), sample_integers({2, 2}, {3, 3, 2, 1}), values({2, 2}, 0.07)};
                     }});
    }
  return all;
}
Cases<IndexReduce> IndexReduce::samples() {
  Cases<IndexReduce> all;
  for (const char* reduce : {"prod", "mean", "amax", "amin"})
    for (bool self : {true, false})
      all.push_back({reducing<IndexReduce>(1, 0, reduce, self), {}, 0, 0, [] {
                       return Inputs{values({2, 3}, 0.1), sample_integers({3}, {2, 0, 2}), values({2, 3}, 0.07)};
                     }});
  all.push_back({reducing<IndexReduce>(0, 1, "amax", true), {}, 0, 0, [] {
                   return Inputs{values({}, 0.1), sample_integers({1}, {1}), values({}, 0.07)};
                 }});
  return all;
}
Cases<TakeAlongDim> TakeAlongDim::samples() {
  return {{{0, 0},
           {},
           0,
           0,
           [] {
             return Inputs{values({3, 2}, 0), sample_integers({2, 1}, {2, 0})};
           }},
          {{-1, 1},
           {},
           0,
           0,
           [] {
             return Inputs{values({1, 3}, 0), sample_integers({2, 2}, {3, 1, 2, 2})};
           }},
          {{{}, 0}, {}, 0, 0, [] {
             return Inputs{values({2, 3}, 0), sample_integers({2}, {5, 0})};
           }}};
}
Cases<UnravelIndex> UnravelIndex::samples() {
  return {{{{2, 3}},
           {},
           0,
           0,
           [] {
             return Inputs{sample_integers({3}, {5, 0, 2})};
           }},
          {{{2, 3, 2}, 1}, {}, 0, 0, [] {
             return Inputs{sample_integers({2, 1}, {12, 1})};
           }}};
}
Cases<NonzeroStatic> NonzeroStatic::samples() { return {{{4}, {{2, 3}}}, {{8, 0, 1}, {{2, 3}}}, {{2, -1}, {{}}}}; }

}  // namespace luth::ops
