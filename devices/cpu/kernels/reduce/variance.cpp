// Variances and standard deviations.
#include "core/ops/reduce/statistics.h"

#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/reduce/totals.h"

namespace luth::cpu {
namespace {

// Two passes: the mean, then the squared distances from it, both with sums of reductions.
template <class C, class T>
void variance_row(const T* x, int64_t n, double divisor, double& result) {
  C mean = C(reduce_row<Adds<C>, C>(x, n) / double(n));
  double total = 0;
  for (int64_t b = 0; b < n; b += block) {
    C lane[lane_count] = {};
    int64_t end = std::min(n, b + block), i = b;
    for (; i + lane_count <= end; i += lane_count)
      each_lane<lane_count, C>([&](int k) {
        const C d = static_cast<C>(x[i + k]) - mean;
        lane[k] += d * d;
      });
    for (int64_t k = 0; i < end; ++i, ++k) lane[k] += (static_cast<C>(x[i]) - mean) * (static_cast<C>(x[i]) - mean);
    for (C l : lane) total += double(l);
  }
  result = total / divisor;
}
template <class C, class T>
void variance_columns(const T* x, int64_t n, int64_t stride, int64_t width, double divisor, double* total) {
  std::fill_n(total, width, 0.0);
  add_rows<Adds<C>, C>(x, n, stride, width, total);
  C mean[tile];
  for (int64_t k = 0; k < width; ++k) mean[k] = C(total[k] / double(n));
  std::fill_n(total, width, 0.0);
  for (int64_t b = 0; b < n; b += block) {
    C lane[tile];
    std::fill_n(lane, width, C(0));
    for (int64_t i = b; i < std::min(n, b + block); ++i)
      for (int64_t k = 0; k < width; ++k) {
        C d = static_cast<C>(x[i * stride + k]) - mean[k];
        lane[k] += d * d;
      }
    for (int64_t k = 0; k < width; ++k) total[k] += double(lane[k]);
  }
  for (int64_t k = 0; k < width; ++k) total[k] /= divisor;
}
void variance(const auto& op, Tensor& y, const Tensor& input, bool root) {
  double divisor = op.divisor(input);
  with_slices(Floats{}, input, op.dim.mask(input), false, [&]<class T>(const T* data, const Slices& a) {
    using C = compute_t<T>;
    T* out = y.data<T>();
    auto store = [&](int64_t i, double v) { out[i] = cast<T>(root ? std::sqrt(v) : v); };
    for_tiles(a, a.n, [&](int64_t from, int64_t to, int64_t width) {
      double total[tile];
      if (a.inner == 1)
        variance_row<C>(data + from, a.n, divisor, total[0]);
      else
        variance_columns<C>(data + from, a.n, a.step, width, divisor, total);
      for (int64_t k = 0; k < width; ++k) store(to + k, total[k]);
    });
  });
}
void var(const ops::Var& op, Tensor& y, const Strided& x) { variance(op, y, x, false); }
void stddev(const ops::Std& op, Tensor& y, const Strided& x) { variance(op, y, x, true); }

const Kernel<var> var_;
const Kernel<stddev> stddev_;

}  // namespace
}  // namespace luth::cpu
