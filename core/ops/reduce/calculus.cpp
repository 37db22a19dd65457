#include "core/ops/reduce/calculus.h"

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/split.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<Diff, Trapezoid, CumulativeTrapezoid, GradientOf, GradientAt> define_all_;

Tensor part(const Tensor& t, int64_t dim, int64_t start, int64_t end = INT64_MAX) {
  return slice(t, {dim, start, end});
}
// t[1:] and t[:-1]
Tensor right(const Tensor& t, int64_t dim) { return part(t, dim, 1); }
Tensor left(const Tensor& t, int64_t dim) { return part(t, dim, 0, std::max<int64_t>(0, t.shape(dim) - 1)); }

}  // namespace

Tensor Diff::decompose(const Inputs& in) const {
  Tensor x = in[0];
  if (x.dim() == 0) throw Error("expects at least one dim");
  if (n < 0) throw Error("n must not be negative, got {}", n);
  const int d = wrap_dim(dim, x.dim());
  if (n == 0) return x;
  Tensors parts;
  for (const Tensor& t : {in[1].tensor(), x, in[2].tensor()})
    if (t) parts.push_back(t);
  if (parts.size() > 1) x = cat(parts, {d});
  for (int64_t k = std::min(n, x.shape()[d]); k > 0; --k)
    x = x.dtype() == Dtype::boolean ? ne(right(x, d), left(x, d)) : sub(right(x, d), left(x, d));
  return x;
}
Cases<Diff> Diff::samples() {
  return {{{}, {{3, 4}}}, {{.n = 2, .dim = 0}, {{4, 2}, {1, 2}, {2, 2}}}, {{.n = 5}, {{2, 3}}}, {{.n = 0}, {{3}}}};
}

Tensor Trapezoids::heights(const Tensor& y) const {
  const int d = wrap_dim(dim, y.dim());
  if (y.dim() == 0) throw Error("expects at least one dim");
  if (y.dtype() == Dtype::boolean) throw Error("is not implemented for bool");
  return add(left(y, d), right(y, d));
}
Tensor Trapezoids::areas(const Tensor& y, const Tensor& x) const {
  const Tensor sums = heights(y);
  const int d = wrap_dim(dim, y.dim());
  Tensor places = x;
  if (x.dim() == 1) {
    if (x.numel() != y.shape()[d])
      throw Error("there are {} places x for {} samples along dim {}", x.numel(), y.shape()[d], shown(d));
    Shape along(size_t(y.dim()), 1);
    along[d] = x.numel();
    places = reshape(x, {along});
  } else if (x.dim() < y.dim()) {
    Shape shape(size_t(y.dim() - x.dim()), 1);
    for (int64_t n : x.shape()) shape.push_back(n);
    places = reshape(x, {shape});
  }
  return mul(sums, sub(right(places, d), left(places, d)));
}
// Samples at equal distances: all between the first and the last count whole, these two half. Integers are summed as
// such.
static Tensor weighted_samples(const Tensor& y, int64_t dim) {
  const int d = wrap_dim(dim, y.dim());
  const Tensors parts = split_sizes(y, {{1, double(y.shape()[d] - 2), 1}, d});
  auto edge = [d](const Tensor& t) {
    return is_floating(t.dtype()) ? select(t, {d, 0}) : cast_to(select(t, {d, 0}), Dtype::i64);
  };
  return add(sum(parts[1], {.dim = {d}}), div(add(edge(parts[0]), edge(parts[2])), 2));
}
Tensor Trapezoid::decompose(const Inputs& in) const {
  const Tensor& y = in[0];
  if (y.dim() && y.dtype() != Dtype::boolean && y.shape(dim) == 0) return sum(y, {.dim = {dim}, .dtype = y.dtype()});
  if (in[1]) return div(sum(areas(y, in[1]), {.dim = {dim}}), 2);
  if (y.dim() && y.dtype() != Dtype::boolean && y.shape(dim) > 1) return mul(weighted_samples(y, dim), dx);
  return mul(sum(mul(heights(y), dx), {.dim = {dim}}), 0.5);
}
Tensor CumulativeTrapezoid::decompose(const Inputs& in) const {
  const Tensor& y = in[0];
  if (in[1]) return div(cumsum(areas(y, in[1]), {.dim = dim}), 2);
  return mul(cumsum(heights(y), {.dim = dim}), dx.value() / 2);
}
template <class Op>
static Cases<Op> trapezoid_samples() {
  Op wide, columns;
  wide.dx = 0.5;
  columns.dim = 0;
  return {{{}, {{2, 4}}},         {wide, {{5}}},          {columns, {{3, 2}, {3}}},
          {{}, {{2, 3}, {2, 3}}}, {{}, {{2, 3}, {1, 3}}}, {{}, {{2, 0}}}};
}
Cases<Trapezoid> Trapezoid::samples() { return trapezoid_samples<Trapezoid>(); }
Cases<CumulativeTrapezoid> CumulativeTrapezoid::samples() { return trapezoid_samples<CumulativeTrapezoid>(); }

Ints Slopes::dims(const Tensor& t) const {
  if (edge_order != 1 && edge_order != 2) throw Error("edge_order must be 1 or 2, not {}", edge_order);
  Ints all;
  if (dim)
    for (int64_t d : *dim) all.push_back(wrap_dim(d, t.dim()));
  else
    for (int i = 0; i < t.dim(); ++i) all.push_back(i);
  dim_mask(all, t.dim());
  for (int64_t d : all)
    if (t.dim() == 0 || t.shape()[d] < edge_order + 1)
      throw Error("needs at least {} samples along each dim, but the shape is {}", edge_order + 1,
                  to_string(t.shape()));
  return all;
}

namespace {

// a x[i] + b x[i + 1] + c x[i + 2]
Tensor weigh(const Tensor& x, int64_t d, int64_t at, const Value& a, const Value& b, const Value& c) {
  auto one = [&](int64_t i) { return narrow(x, {d, at + i, 1}); };
  return add(add(mul(one(0), a), mul(one(1), b)), mul(one(2), c));
}

Tensor slope(const Tensor& x, int64_t d, double step, bool wide_edge) {
  const int64_t n = x.shape(d);
  auto one = [&](int64_t i) { return narrow(x, {d, i, 1}); };
  Tensor first = wide_edge ? weigh(x, d, 0, -1.5, 2.0, -0.5) : sub(one(1), one(0));
  Tensor last = wide_edge ? weigh(x, d, n - 3, 0.5, -2.0, 1.5) : sub(one(n - 1), one(n - 2));
  Tensor middle = div(div(sub(part(x, d, 2), part(x, d, 0, n - 2)), step), 2);
  return cat({div(first, step), middle, div(last, step)}, {d});
}

// The parabola through three neighbours with distances p and q between them, and its slope at the first, at the one in
// the middle, and at the last.
enum class At { first, middle, last };
std::array<Tensor, 3> weights(const Tensor& p, const Tensor& q, At at) {
  Tensor both = add(p, q), a = mul(p, both), b = mul(p, q), c = mul(q, both);
  if (at == At::first) return {div(sub(mul(p, -2), q), a), div(both, b), div(mul(p, -1), c)};
  if (at == At::middle) return {div(mul(q, -1), a), div(sub(q, p), b), div(p, c)};
  return {div(q, a), div(mul(both, -1), b), div(add(mul(q, 2), p), c)};
}

Tensor slope_at(const Tensor& x, int64_t d, const Tensor& places, bool wide_edge) {
  const int64_t n = x.shape(d);
  if (places.dim() != 1 || places.numel() != n)
    throw Error("spacing has a tensor of shape {} for the {} samples along dim {}", to_string(places.shape()), n,
                shown(d));
  Shape along(size_t(x.dim()), 1);
  along[d] = n - 1;
  const Tensor step = reshape(diff(places, Value(), Value()), {along});
  auto steps = [&](int64_t from, int64_t count) { return narrow(step, {d, from, count}); };
  auto one = [&](int64_t i) { return narrow(x, {d, i, 1}); };
  Tensor first, middle, last;
  if (wide_edge) {
    auto w = weights(steps(0, 1), steps(1, 1), At::first);
    first = weigh(x, d, 0, w[0], w[1], w[2]);
    w = weights(steps(n - 3, 1), steps(n - 2, 1), At::last);
    last = weigh(x, d, n - 3, w[0], w[1], w[2]);
  } else {
    first = div(sub(one(1), one(0)), steps(0, 1));
    last = div(sub(one(n - 1), one(n - 2)), steps(n - 2, 1));
  }
  auto w = weights(steps(0, n - 2), steps(1, n - 2), At::middle);
  middle = add(add(mul(narrow(x, {d, 0, n - 2}), w[0]), mul(narrow(x, {d, 1, n - 2}), w[1])),
               mul(narrow(x, {d, 2, n - 2}), w[2]));
  return cat({first, middle, last}, {d});
}

}  // namespace

Tensors GradientOf::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const Ints along = dims(x);
  if (spacing && spacing->size() != 1 && int(spacing->size()) != along.size())
    throw Error("spacing must be a number or {} of them, one per dim, but has {}", along.size(), spacing->size());
  Tensors out;
  for (int i = 0; i < along.size(); ++i)
    out.push_back(
        slope(x, along[i], spacing ? (*spacing)[spacing->size() == 1 ? 0 : size_t(i)] : 1.0, edge_order == 2));
  return out;
}
Tensors GradientAt::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const Ints along = dims(x);
  if (int(in.size()) != along.size() + 1)
    throw Error("spacing must have {} tensors, one per dim, but has {}", along.size(), in.size() - 1);
  Tensors out;
  for (int i = 0; i < along.size(); ++i) out.push_back(slope_at(x, along[i], in[size_t(i) + 1], edge_order == 2));
  return out;
}
Cases<GradientOf> GradientOf::samples() {
  GradientOf wide, rows;
  wide.spacing = std::vector<double>{0.5}, wide.edge_order = 2;
  rows.spacing = std::vector<double>{2.0, 0.25}, rows.dim = Ints{-1, 0};
  return {{{}, {{3, 4}}}, {wide, {{4, 3}}}, {rows, {{2, 3, 3}}}, {{}, {{2}}}};
}
Cases<GradientAt> GradientAt::samples() {
  static constexpr auto places = [](int64_t n) {
    return Tensor::from<double>({n}, std::array{0.0, 0.5, 1.75, 2.0}.data());
  };
  static constexpr auto values = [] {
    return Tensor::from<double>({3, 4}, std::array{1., 2., -1., 0.5, 2.5, 3., 0., 1., -2., 1.5, 0.25, 4.}.data());
  };
  GradientAt wide, columns;
  wide.edge_order = 2;
  columns.dim = Ints{0};
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{values(), places(3), places(4)};
           }},
          {wide,
           {},
           0,
           0,
           [] {
             return Inputs{values(), places(3), places(4)};
           }},
          {columns, {}, 0, 0, [] {
             return Inputs{values(), places(3)};
           }}};
}

}  // namespace luth::ops
