#include "core/ops/linalg/distance.h"

#include <limits>
#include <utility>

#include "core/ops/common/checks.h"
#include "core/ops/common/chunked.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
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
// The root of sums of squares that cancellation may have left below 0; its gradient at 0 is 0.
Tensor safe_root(const Tensor& squares) {
  Tensor zero = le(squares, 0);
  return where(zero, 0, sqrt(where(zero, 1, squares)));
}
Tensor squares(const Tensor& t) { return sum(mul(t, t), {.dim = {-1}, .keepdim = true}); }

Tensor concatenated(const Tensors& slices, int64_t dim) { return slices.size() == 1 ? slices[0] : cat(slices, {dim}); }
// The positions i < j of all pairs of n ≥ 2, ordered by i, then j: n (n - 1) / 2 each.
std::pair<Tensor, Tensor> pairs(int64_t n, Device& device) {
  const int64_t count = n * (n - 1) / 2;
  Tensor i = counting(n - 1, device);
  Tensor starts = sub(mul(i, n - 1), floor_divide(mul(i, sub(i, 1)), 2));  // where the pairs of each i begin
  Tensor steps = index_fill(zeros({count}, Dtype::i64, device), slice(starts, {0, 1, n - 1, 1}), 1);
  Tensor first = cumsum(steps, {0});
  Tensor second = add(sub(counting(count, device), index_select(starts, first)), add(first, 1));
  return {first, second};
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
    Tensor cross = matmul(a, transpose(b, {-2, -1}));
    return safe_root(sub(add(squares(a), transpose(squares(b), {-2, -1})), mul(cross, 2)));
  }
  Shape shape = broadcast({a.shape().begin(), a.shape().end() - 2}, {b.shape().begin(), b.shape().end() - 2});
  const double each = double(shape.numel()) * double(m) * double(k);  // differences for a row of a
  for (int64_t extent : {n, m}) shape.push_back(extent);
  check_shape(shape, size_of(a.dtype()));
  if (k == 0) return full(shape, 0, a.dtype(), a.device());
  auto rows = [a = a, b = b, p = p](int64_t begin, int64_t end) {
    return last_norm(sub(unsqueeze(slice(a, {-2, begin, end, 1}), {-2}), unsqueeze(b, {-3})), p);
  };
  return concatenated(in_slices(n, each, {a, b}, rows), -2);
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
  const int64_t n = x.shape(0), k = x.shape(1);
  check_shape({n, n}, sizeof(int64_t));
  const int64_t count = n < 2 ? 0 : n * (n - 1) / 2;
  if (k == 0) return full({count}, 0, x.dtype(), x.device());
  if (count == 0) return last_norm(slice(x, {0, 0, 0, 1}), p);
  const auto [first, second] = pairs(n, x.device());
  auto some = [x = x, p = p, first = first, second = second](int64_t begin, int64_t end) {
    auto rows = [&](const Tensor& list) { return index_select(x, slice(list, {0, begin, end, 1})); };
    return last_norm(sub(rows(first), rows(second)), p);
  };
  return concatenated(in_slices(count, double(k), {x}, some), 0);
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
const DefineAll<Cdist, Pdist, PairwiseDistance, CosineSimilarity, Dist> define_all_;
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
