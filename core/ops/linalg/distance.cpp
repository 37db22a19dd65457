#include "core/ops/linalg/distance.h"

#include <limits>
#include <vector>

#include "core/ops/common/checks.h"
#include "core/ops/common/chunked.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/root.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/linalg/distance_norms.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

void check_p(double p) {
  if (!(p >= 0)) throw Error("p must not be negative, got {}", p);
}
Tensor last_norm(const Tensor& t, double p, bool keepdim = false) {
  return norm(t, {.p = p, .dim = {-1}, .keepdim = keepdim});
}
Tensor squares(const Tensor& t) { return sum(mul(t, t), {.dim = {-1}, .keepdim = true}); }

Tensor concatenated(const Tensors& slices, int64_t dim) { return slices.size() == 1 ? slices[0] : cat(slices, {dim}); }
// x1[i] - x2[j] for the positions i in [begin, end) and all j: [b, end - begin, m, k].
Tensor differences(const Tensor& a, const Tensor& b, int64_t begin, int64_t end) {
  return sub(unsqueeze(slice(a, {1, begin, end, 1}), {2}), unsqueeze(b, {1}));
}
Tensor positions_in(const std::vector<int64_t>& list, Device& device) {
  return to_device(Tensor::from({int64_t(list.size())}, list.data()), {&device});
}

// The derivatives of norms y [b, n, m, 1] by differences d, times g. They are 0 where y is.
Tensor slopes(const Tensor& d, const Tensor& y, const Tensor& g, double p) {
  const Tensor none = eq(y, 0);
  if (p == 1) return masked_fill(mul(g, sign(d)), none, 0);
  const Tensor some = masked_fill(y, none, 1);
  if (p == 2) return masked_fill(mul(g, div(d, some)), none, 0);
  if (std::isinf(p)) {
    const Tensor ties = cast_to(eq(abs(d), y), d.dtype());
    return mul(sign(d), mul(ties, div(g, sum(ties, {.dim = {-1}, .keepdim = true}))));
  }
  const Tensor zero = logical_or(eq(d, 0), none);
  return masked_fill(mul(g, mul(sign(d), pow(div(masked_fill(abs(d), zero, 1), some), p - 1))), zero, 0);
}

}  // namespace

// Kernels rely on these checks.
Spec RowDistances::infer(const Inputs& in) const {
  const Shape &a = in[0].shape(), &b = in[1].shape();
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[2] || (triangle && a[1] != b[1]))
    throw Error("there are no such pairs of rows of {} and {}", to_string(a), to_string(b));
  if (triangle) return {{a[0], pairs_before(a[1], a[1])}, in[0].dtype()};
  return {{a[0], a[1], b[1]}, in[0].dtype()};
}
Spec RowDistancesBackward::infer(const Inputs& in) const {
  const Shape pairs = RowDistances{.p = p, .triangle = triangle}.infer({in[1], in[2]}).shape;
  if (!(in[0].shape() == pairs) || !(in[3].shape() == pairs))
    throw Error("grad and result are {} and {}, not {}", to_string(in[0].shape()), to_string(in[3].shape()),
                to_string(pairs));
  return {in[1].shape(), in[1].dtype()};
}
Tensor RowDistances::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  const int64_t n = a.shape(1), m = b.shape(1);
  const double of = a.shape(2) == 0 ? 1 : p;  // there is no largest of no elements
  auto rows = [=](int64_t begin, int64_t end) { return last_norm(differences(a, b, begin, end), of); };
  const double each = double(a.shape(0)) * double(m) * double(a.shape(2));  // differences for a row of a
  const Tensor all = concatenated(in_slices(n, each, {a, b}, rows), 1);
  if (!triangle) return all;
  std::vector<int64_t> later;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) later.push_back(i * n + j);
  return index_select(reshape(all, {{a.shape(0), n * n}}), positions_in(later, a.device()), {.dim = 1});
}
Tensors RowDistances::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &a = c.in[0], &b = c.in[1], &y = c.out[0];
  auto turned = [&](const Tensor& t) { return triangle ? t : transpose(t, {1, 2}); };
  Tensors out(2);
  if (c.wants(0)) out[0] = row_distances_backward(dy, a, b, y, {.p = p, .triangle = triangle});
  if (c.wants(1)) {
    const RowDistancesBackward op{.p = p, .triangle = triangle, .below = triangle};
    out[1] = row_distances_backward(turned(dy), b, a, turned(y), op);
  }
  return out;
}
Cases<RowDistances> RowDistances::samples() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {{{}, {{2, 3, 4}, {2, 5, 4}}},
          {{1}, {{1, 3, 2}, {1, 2, 2}}},
          {{3}, {{1, 2, 3}, {1, 2, 3}}},
          {{infinity}, {{1, 2, 3}, {1, 3, 3}}},
          {{2, true}, {{1, 4, 3}, {1, 4, 3}}}};
}

Tensor RowDistancesBackward::decompose(const Inputs& in) const {
  const Tensor &g = in[0], &a = in[1], &b = in[2], &y = in[3];
  const int64_t n = a.shape(1);
  if (y.numel() == 0) return zeros(a.shape(), a.dtype(), a.device());
  auto rows = [=, p = p](int64_t begin, int64_t end) {
    auto part = [&](const Tensor& t) { return unsqueeze(slice(t, {1, begin, end, 1}), {3}); };
    return sum(slopes(differences(a, b, begin, end), part(y), part(g), p), {.dim = {2}});
  };
  auto rows_of_triangle = [=, p = p, below = below](int64_t begin, int64_t end) {
    std::vector<int64_t> own, others, pairs;
    for (int64_t i = begin; i < end; ++i)
      for (int64_t j = below ? 0 : i + 1; j < (below ? i : n); ++j) {
        own.push_back(i), others.push_back(j);
        pairs.push_back(below ? pair_position(n, j, i) : pair_position(n, i, j));
      }
    auto picked = [&](const Tensor& t, const Tensor& at) { return index_select(t, at, {.dim = 1}); };
    const Tensor row = positions_in(own, a.device()), pair = positions_in(pairs, a.device());
    const Tensor d = sub(picked(a, row), picked(b, positions_in(others, a.device())));
    const Tensor each = slopes(d, unsqueeze(picked(y, pair), {2}), unsqueeze(picked(g, pair), {2}), p);
    const Tensor none = zeros({a.shape(0), end - begin, a.shape(2)}, a.dtype(), a.device());
    return index_add(none, sub(row, begin), each, {.dim = 1});
  };
  auto made = [&](auto f) { return concatenated(in_slices(n, double(b.numel()), {g, a, b, y}, f), 1); };
  return triangle ? made(rows_of_triangle) : made(rows);
}
Cases<RowDistancesBackward> RowDistancesBackward::samples() {
  return {{{}, {{2, 3, 5}, {2, 3, 4}, {2, 5, 4}, {2, 3, 5}}, 0.5, 2},
          {{1}, {{1, 3, 2}, {1, 3, 2}, {1, 2, 2}, {1, 3, 2}}, 0.5, 2},
          {{3}, {{1, 2, 2}, {1, 2, 3}, {1, 2, 3}, {1, 2, 2}}, 0.5, 2},
          {{2, true}, {{1, 6}, {1, 4, 3}, {1, 4, 3}, {1, 6}}, 0.5, 2},
          {{1, true, true}, {{1, 3}, {1, 3, 2}, {1, 3, 2}, {1, 3}}, 0.5, 2}};
}

namespace {
// 16-bit floats are rounded once, at the end. p = 0 counts.
Tensor distances(const Tensor& a, const Tensor& b, double p, bool triangle) {
  const Dtype d = a.dtype();
  const Tensor x1 = size_of(d) == 2 ? cast_to(a, Dtype::f32) : a, x2 = size_of(d) == 2 ? cast_to(b, Dtype::f32) : b;
  const RowDistances op{.p = p, .triangle = triangle};
  return cast_to(p == 0 ? op.decompose({x1, x2}) : row_distances(x1, x2, op), d);
}
}  // namespace

Tensor Cdist::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  check_floating(in[0], "x1");
  check_floating(in[1], "x2");
  if (a.dim() < 2 || b.dim() < 2)
    throw Error("both inputs need at least 2 dims, got shapes {} and {}", to_string(a.shape()), to_string(b.shape()));
  const int64_t k = a.shape(-1), n = a.shape(-2), m = b.shape(-2);
  if (k != b.shape(-1)) throw Error("the rows have {} and {} elements; they must have equally many", k, b.shape(-1));
  check_p(p);
  const bool always = compute_mode == "use_mm_for_euclid_dist";
  if (!always && compute_mode != "use_mm_for_euclid_dist_if_necessary" &&
      compute_mode != "donot_use_mm_for_euclid_dist")
    throw Error("'{}' is no compute_mode", compute_mode);
  const bool product = always || (compute_mode == "use_mm_for_euclid_dist_if_necessary" && (n > 25 || m > 25));
  if (p == 2 && product) {
    matrix::need_same_dtype(in[0], in[1]);
    // (a - b)² = -2 a b + a² 1 + 1 b² is one product, which adds the squares last
    const Dtype d = a.dtype(), wide = size_of(d) == 2 ? Dtype::f32 : d;
    const Tensor x = cast_to(a, wide), y = cast_to(b, wide), x2 = squares(x), y2 = squares(y);
    const Tensor left = cat({mul(x, -2), x2, full(x2.shape(), 1, wide, x.device())}, {-1});
    const Tensor right = cat({y, full(y2.shape(), 1, wide, y.device()), y2}, {-1});
    return cast_to(safe_root(matmul(left, transpose(right, {-2, -1}))), d);
  }
  const Shape batch = broadcast({a.shape().begin(), a.shape().end() - 2}, {b.shape().begin(), b.shape().end() - 2});
  Shape shape = batch;
  for (int64_t extent : {n, m}) shape.push_back(extent);
  check_shape(shape, size_of(a.dtype()));
  const int64_t count = batch.numel();
  auto matrices = [k](const Tensor& t, int64_t samples, int64_t rows) { return reshape(t, {{samples, rows, k}}); };
  if (count > 1 && b.numel() == m * k && m > 0)  // all rows meet one matrix, which is not copied for each sample
    return reshape(distances(matrices(a, 1, count * n), matrices(b, 1, m), p, false), {shape});
  if (count > 1 && a.numel() == n * k && n > 0) {
    const Tensor all = distances(matrices(a, 1, n), matrices(b, 1, count * m), p, false);
    return contiguous(reshape(transpose(reshape(all, {{n, count, m}}), {0, 1}), {shape}));
  }
  auto expanded = [&](const Tensor& t, int64_t rows) {
    Shape whole = batch;
    for (int64_t extent : {rows, k}) whole.push_back(extent);
    return matrices(expand_to(t, whole), count, rows);
  };
  return reshape(distances(expanded(a, n), expanded(b, m), p, false), {shape});
}
Cases<Cdist> Cdist::samples() {
  return {{{}, {{2, 3}, {4, 3}}},
          {{1, "donot_use_mm_for_euclid_dist"}, {{2, 2, 3}, {3, 3}}},
          {{3}, {{2, 3}, {2, 3}}},
          {{std::numeric_limits<double>::infinity()}, {{2, 3}, {2, 3}}},
          {{2, "use_mm_for_euclid_dist"}, {{3, 2}, {2, 2}}, 1, 2},
          {{}, {{0, 3}, {2, 3}}}};
}

Tensor Pdist::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  check_floating(in[0]);
  if (x.dim() != 2) throw Error("expects a matrix, got shape {}", to_string(x.shape()));
  check_p(p);
  const int64_t n = x.shape(0);
  check_shape({n, n}, sizeof(int64_t));
  const int64_t count = n < 2 ? 0 : n * (n - 1) / 2;
  return reshape(distances(unsqueeze(x, {0}), unsqueeze(x, {0}), p, true), {{count}});
}
Cases<Pdist> Pdist::samples() {
  return {{{}, {{3, 2}}}, {{1}, {{3, 2}}}, {{3}, {{4, 2}}}, {{std::numeric_limits<double>::infinity()}, {{3, 2}}}};
}

Tensor PairwiseDistance::decompose(const Inputs& in) const {
  return last_norm(add(sub(in[0], in[1]), eps), p, keepdim);
}

Tensor CosineSimilarity::decompose(const Inputs& in) const {
  const Dtype dtype = result_type(in);
  if (!is_floating(dtype)) throw Error("wants floating inputs, got {}", name(dtype));
  Shape shape = broadcast(in[0].shape(), in[1].shape());
  auto directions = [&](const Tensor& t) {
    Tensor x = cast_to(expand_to(t, shape), dtype);
    Tensor length = euclidean_norm(x, {.dim = {dim}, .keepdim = true});
    // as in PyTorch, eps is no part of the gradient
    Tensor raise = sub(maximum(length.detach(), eps), length.detach());
    return div(x, add(length, raise));
  };
  return sum(mul(directions(in[0]), directions(in[1])), {.dim = {dim}});
}

namespace {
const DefineAll<RowDistances, RowDistancesBackward, Cdist, Pdist, PairwiseDistance, CosineSimilarity, Dist> define_all_;
}  // namespace

// Powers of 16-bit floats overflow: they are summed in float32 and rounded once.
Tensor Dist::decompose(const Inputs& in) const {
  const Norm op{.p = p};
  Tensor apart = sub(in[0], in[1]);
  const Dtype d = apart.dtype();
  if (d != Dtype::f16 && d != Dtype::bf16) return norm(apart, op);
  return cast_to(norm(cast_to(apart, Dtype::f32), op), d);
}

}  // namespace luth::ops
