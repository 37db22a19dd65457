#include "core/ops/create/signal_windows.h"

#include <cmath>
#include <numbers>

#include "core/math/bessel.h"
#include "core/ops/elementwise/copy.h"

namespace luth::ops {
namespace {

const DefineAll<Bartlett, Blackman, Cosine, Exponential, Gaussian, GeneralCosine, GeneralHamming, Hamming, Hann, Kaiser,
                Nuttall, BartlettWindow, BlackmanWindow, HannWindow, HammingWindow, KaiserWindow>
    define_all_;

// a[0] - a[1] cos(x) + a[2] cos(2 x) - …, x = 2 pi i / n.
double cosines(const std::vector<double>& a, double i, double n) {
  double y = 0;
  for (size_t k = 0; k < a.size(); ++k)
    y += (k % 2 ? -a[k] : a[k]) * std::cos(2 * std::numbers::pi * double(k) * i / n);
  return y;
}
void check_positive(double v, const char* what) {
  if (!(v > 0)) throw Error("{} must be above 0, got {}", what, v);
}

}  // namespace

template <class F>
Tensor Window::made(F&& f) const {
  if (M < 0) throw Error("a window of {} numbers cannot be", M);
  const Dtype to = dtype.value_or(default_dtype());
  if (!is_floating(to)) throw Error("a window is of a floating point dtype, not {}", name(to));
  if (M > int64_t(1) << 32) throw Error(ErrorCode::memory, "a window of {} numbers does not fit into memory", M);
  const Tensor y = Tensor::empty({M}, Dtype::f64, host());
  double* const out = y.data<double>();
  for (int64_t i = 0; i < M; ++i) out[i] = M == 1 ? 1 : f(double(i), double(sym ? M - 1 : M));  // one alone is 1
  return to_device(cast_to(y, to), {&place()});
}

Tensor Bartlett::decompose(const Inputs&) const {
  return made([](double i, double n) { return 1 - std::fabs(2 * i / n - 1); });
}
Tensor Blackman::decompose(const Inputs&) const {
  return made([](double i, double n) { return cosines({0.42, 0.5, 0.08}, i, n); });
}
Tensor Cosine::decompose(const Inputs&) const {
  return made([](double i, double n) { return std::sin(std::numbers::pi * (i + 0.5) / (n + 1)); });
}
Tensor Exponential::decompose(const Inputs&) const {
  check_positive(tau, "tau");
  if (sym && center) throw Error("center must be nil for a symmetric window");
  return made([&](double i, double n) { return std::exp(-std::fabs(i - center.value_or(n / 2)) / tau); });
}
Tensor Gaussian::decompose(const Inputs&) const {
  check_positive(std, "std");
  return made([&](double i, double n) {
    const double x = (i - n / 2) / std;
    return std::exp(-x * x / 2);
  });
}
Tensor GeneralCosine::decompose(const Inputs&) const {
  if (a.empty()) throw Error("a must hold at least one weight");
  return made([&](double i, double n) { return cosines(a, i, n); });
}
Tensor GeneralHamming::decompose(const Inputs&) const {
  return made([&](double i, double n) { return cosines({alpha, 1 - alpha}, i, n); });
}
Tensor Hamming::decompose(const Inputs&) const {
  return made([](double i, double n) { return cosines({0.54, 0.46}, i, n); });
}
Tensor Hann::decompose(const Inputs&) const {
  return made([](double i, double n) { return cosines({0.5, 0.5}, i, n); });
}
Tensor Kaiser::decompose(const Inputs&) const {
  if (beta < 0) throw Error("beta must be at least 0, got {}", beta);
  return made([&](double i, double n) {
    const double x = 2 * i / n - 1, part = std::sqrt(std::fmax(0, 1 - x * x));
    if (part == 1) return 1.0;
    // I0(beta part) / I0(beta), both divided by their growth, which may be infinite
    const double fall = std::exp(beta * (part - 1));
    return fall == 0 ? 0.0 : fall * math::bessel_ie<0>(beta * part) / math::bessel_ie<0>(beta);
  });
}
Tensor Nuttall::decompose(const Inputs&) const {
  return made([](double i, double n) { return cosines({0.3635819, 0.4891775, 0.1365995, 0.0106411}, i, n); });
}

Tensor HammingWindow::decompose(const Inputs& in) const {
  GeneralCosine w;
  w.a = {alpha, beta};
  return as(w).decompose(in);
}
Tensor KaiserWindow::decompose(const Inputs& in) const {
  Kaiser w;
  w.beta = beta;
  return as(w).decompose(in);
}

}  // namespace luth::ops
