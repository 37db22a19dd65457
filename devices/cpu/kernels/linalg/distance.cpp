// Norms of the differences of all pairs of rows, and their gradient. Differences and sums are in double.
#include "core/ops/linalg/distance.h"

#include "core/ops/linalg/distance_norms.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

constexpr int64_t width = 32, height = 64, depth = 128;  // rows of x2 and of x1 in a block; elements of rows at a time

/// Adds n differences of one row and `width` others, whose elements lie side by side, to the totals of these.
template <class C, class Norm>
void add_differences(const Norm& norm, const C* x, const double (*others)[width], int64_t n, double* totals) {
  double total[width];
  std::copy_n(totals, width, total);
  for (int64_t c = 0; c < n; ++c) {
    const double one = double(x[c]);
    each_lane<width, double>([&](int l) { total[l] = norm.step(total[l], one - others[c][l]); });
  }
  std::copy_n(total, width, totals);
}
// The powers first, in a loop of their own: libmvec has them for registers full of C.
template <class C>
void add_differences(const ops::PowerNorm<C>& norm, const C* x, const double (*others)[width], int64_t n,
                     double* totals) {
  for (int64_t c = 0; c < n; ++c) {
    C power[width];
    for (int64_t l = 0; l < width; ++l) power[l] = norm.power(double(x[c]) - others[c][l]);
    for (int64_t l = 0; l < width; ++l) totals[l] += double(power[l]);
  }
}
/// n elements of w rows that lie `stride` apart, side by side.
template <class C>
void set_side_by_side(const C* rows, int64_t stride, int64_t w, int64_t n, double (*to)[width]) {
  C part[depth][width];
  for (int64_t l = 0; l < w; l += row_block)
    scatter_rows(rows + l * stride, stride, n, std::min(row_block, w - l), &part[0][l], width);
  for (int64_t c = 0; c < n; ++c)
    for (int64_t l = 0; l < w; ++l) to[c][l] = double(part[c][l]);
}
/// The totals of h rows of a with w rows of b, of k elements.
template <class C, class Norm>
void add_block(const Norm& norm, const C* a, int64_t h, const C* b, int64_t w, int64_t k, double (*totals)[width]) {
  double others[depth][width];
  for (int64_t c = 0; w < width && c < depth; ++c) std::fill_n(others[c] + w, width - w, 0.0);
  for (int64_t i = 0; i < h; ++i) std::fill_n(totals[i], width, 0.0);
  for (int64_t c = 0; c < k; c += depth) {
    const int64_t n = std::min(depth, k - c);
    set_side_by_side(b + c, k, w, n, others);
    for (int64_t i = 0; i < h; ++i) add_differences(norm, a + i * k + c, others, n, totals[i]);
  }
}
template <class Norm, class C = typename Norm::Element>
void all_distances(const ops::RowDistances& op, const Norm& norm, const Tensor& x1, const Tensor& x2, C* y) {
  const int64_t n = x1.shape(1), m = x2.shape(1), k = x1.shape(2);
  const int64_t across = (m + width - 1) / width, down = (n + height - 1) / height;
  const C *a = x1.data<C>(), *b = x2.data<C>();
  parallel_each(x1.shape(0) * down * across, row_grain(std::min(n, height) * width * k), [&](int64_t block) {
    const int64_t j0 = block % across * width, i0 = block / across % down * height, s = block / across / down;
    const int64_t w = std::min(width, m - j0), h = std::min({height, n - i0, op.triangle ? j0 + w - i0 - 1 : n});
    if (h <= 0) return;
    double totals[height][width];
    add_block(norm, a + (s * n + i0) * k, h, b + (s * m + j0) * k, w, k, totals);
    for (int64_t i = i0; i < i0 + h; ++i) {
      C* row = y + (op.triangle ? s * ops::pairs_before(n, n) + ops::pair_position(n, i, 0) : (s * n + i) * m);
      for (int64_t j = op.triangle ? std::max(i + 1, j0) : j0; j < j0 + w; ++j)
        row[j] = C(norm.root(totals[i - i0][j - j0]));
    }
  });
}
void row_distances(const ops::RowDistances& op, Tensor& y, const Dense& x1, const Dense& x2) {
  ops::with_norm(op.p, y.dtype(), [&]<class Norm>(const Norm& norm) {
    all_distances(op, norm, x1, x2, y.data<typename Norm::Element>());
  });
}

/// out[l] = sum over m rows of b of weight * slope(a[l] - b[l]) for l < w; rows of b lie k apart. Sums are in C within
/// blocks, and in double across them.
template <int w, class C, class Norm>
void sum_slopes(const Norm& norm, const C* a, const C* b, int64_t m, int64_t k, const C* weight, const C* far, C* out) {
  double total[w] = {};
  for (int64_t from = 0; from < m; from += depth) {
    C sum[w] = {};
    for (int64_t j = from; j < std::min(m, from + depth); ++j)
      each_lane<w, C>([&](int l) { sum[l] += weight[j] * norm.slope(a[l] - b[j * k + l], far[j]); });
    for (int l = 0; l < w; ++l) total[l] += double(sum[l]);
  }
  for (int l = 0; l < w; ++l) out[l] = C(total[l]);
}
template <class C, class Norm>
void sum_row(const Norm& norm, const C* a, const C* b, int64_t m, int64_t k, const C* weight, const C* far, C* out) {
  int64_t c = 0;
  for (; c + 64 <= k; c += 64) sum_slopes<64>(norm, a + c, b + c, m, k, weight, far, out + c);
  for (; c + 8 <= k; c += 8) sum_slopes<8>(norm, a + c, b + c, m, k, weight, far, out + c);
  if (c < k && k >= 8) c = k - 8, sum_slopes<8>(norm, a + c, b + c, m, k, weight, far, out + c), c = k;
  for (; c < k; ++c) sum_slopes<1>(norm, a + c, b + c, m, k, weight, far, out + c);
}
template <class Norm, class C = typename Norm::Element>
void all_slopes(const ops::RowDistancesBackward& op, const Norm& norm, const Tensor& grad, const Tensor& x1,
                const Tensor& x2, const Tensor& result, Tensor& dx) {
  const int64_t n = x1.shape(1), m = x2.shape(1), k = x1.shape(2);
  const C *a = x1.data<C>(), *b = x2.data<C>(), *g = grad.data<C>(), *y = result.data<C>();
  C* out = dx.data<C>();
  parallel_for(x1.shape(0) * n, row_grain(m * k), [&](int64_t begin, int64_t end) {
    const Buffer<C> weight(m), far(m);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t s = r / n, i = r % n, first = op.triangle && !op.below ? i + 1 : 0, last = op.below ? i : m;
      for (int64_t j = first; j < last; ++j) {
        const int64_t pair = op.below ? ops::pair_position(n, j, i) : ops::pair_position(n, i, j);
        const int64_t at = op.triangle ? s * ops::pairs_before(n, n) + pair : r * m + j;
        far[j] = y[at] == C(0) ? C(1) : y[at];  // no difference, and no slope
        weight[j] = y[at] == C(0) ? 0 : norm.weight(g[at], y[at], a + r * k, b + (s * m + j) * k, k);
      }
      sum_row(norm, a + r * k, b + (s * m + first) * k, last - first, k, weight.get() + first, far.get() + first,
              out + r * k);
    }
  });
}
void row_distances_backward(const ops::RowDistancesBackward& op, Tensor& dx, const Dense& grad, const Dense& x1,
                            const Dense& x2, const Dense& y) {
  ops::with_norm(op.p, dx.dtype(), [&](const auto& norm) { all_slopes(op, norm, grad, x1, x2, y, dx); });
}

const Kernel<row_distances> row_distances_;
const Kernel<row_distances_backward> row_distances_backward_;

}  // namespace
}  // namespace luth::cpu
