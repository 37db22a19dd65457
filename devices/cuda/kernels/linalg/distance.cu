// Norms of the differences of all pairs of rows, and their gradient, on CUDA: a thread to a result. Sums are in double.
#include "core/ops/linalg/distance.h"

#include "core/ops/linalg/distance_norms.h"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

/// Rows of two tensors, [b, n, k] and [b, m, k], and where the result of a pair of them is.
template <class C>
struct RowPairs {
  const C *a, *b;
  int64_t n, m, k;
  bool triangle, below;
  __device__ int64_t at(int64_t s, int64_t i, int64_t j) const {
    if (!triangle) return (s * n + i) * m + j;
    return s * ops::pairs_before(n, n) + (below ? ops::pair_position(n, j, i) : ops::pair_position(n, i, j));
  }
  __device__ bool has(int64_t i, int64_t j) const { return !triangle || (below ? j < i : i < j); }
};

template <class C, class Norm>
struct Distance {
  RowPairs<C> rows;
  Norm norm;
  C* y;
  __device__ void operator()(int64_t at) const {
    const int64_t j = at % rows.m, i = at / rows.m % rows.n, s = at / rows.m / rows.n;
    if (!rows.has(i, j)) return;
    const C *a = rows.a + (s * rows.n + i) * rows.k, *b = rows.b + (s * rows.m + j) * rows.k;
    double total = 0;
    for (int64_t c = 0; c < rows.k; ++c) total = norm.step(total, double(a[c]) - double(b[c]));
    y[rows.at(s, i, j)] = C(norm.root(total));
  }
};
template <class C, class Norm>
struct DistanceSlopes {
  RowPairs<C> rows;
  Norm norm;
  const C *g, *y;
  C* dx;
  __device__ void operator()(int64_t at) const {
    const int64_t c = at % rows.k, i = at / rows.k % rows.n, s = at / rows.k / rows.n;
    const C* a = rows.a + (s * rows.n + i) * rows.k;
    double total = 0;
    for (int64_t j = 0; j < rows.m; ++j) {
      if (!rows.has(i, j)) continue;
      const C *b = rows.b + (s * rows.m + j) * rows.k, grad = g[rows.at(s, i, j)], far = y[rows.at(s, i, j)];
      if (far == C(0)) continue;
      const C slope = norm.slope(a[c] - b[c], far);
      total += double(slope * (slope == C(0) && far == far ? grad : norm.weight(grad, far, a, b, rows.k)));
    }
    dx[at] = C(total);
  }
};

template <class C>
RowPairs<C> pairs_of(const Tensor& x1, const Tensor& x2, bool triangle, bool below) {
  return {x1.data<C>(), x2.data<C>(), x1.shape(1), x2.shape(1), x1.shape(2), triangle, below};
}
void row_distances(const ops::RowDistances& op, Tensor& y, const Dense& x1, const Dense& x2) {
  ops::with_norm(op.p, y.dtype(), [&]<class Norm>(const Norm& norm) {
    using C = typename Norm::Element;
    const Distance<C, Norm> f{pairs_of<C>(x1, x2, op.triangle, false), norm, y.data<C>()};
    start_for_each(y, x1.shape(0) * x1.shape(1) * x2.shape(1), f);
  });
}
void row_distances_backward(const ops::RowDistancesBackward& op, Tensor& dx, const Dense& grad, const Dense& x1,
                            const Dense& x2, const Dense& y) {
  ops::with_norm(op.p, dx.dtype(), [&]<class Norm>(const Norm& norm) {
    using C = typename Norm::Element;
    const RowPairs<C> rows = pairs_of<C>(x1, x2, op.triangle, op.below);
    start_for_each(dx, dx.numel(), DistanceSlopes<C, Norm>{rows, norm, grad.data<C>(), y.data<C>(), dx.data<C>()});
  });
}

const Kernel<row_distances> row_distances_;
const Kernel<row_distances_backward> row_distances_backward_;

}  // namespace
}  // namespace luth::cuda
