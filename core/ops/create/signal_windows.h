// Windows for signals: torch.signal.windows.* and the older torch.hann_window and its like. See op.h for the recipe.
// Formulas: F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", 1978, as
// PyTorch has them. Numbers are computed in double on the host and rounded once.
#pragma once
#include "core/ops/create/factory.h"

namespace luth::ops {

struct AnyWindow : Constant, Options {
  static constexpr Traits family = Constant::family.with({.offered = Offered::function, .factory = true}),
                          traits = family;
};
/// What all of torch.signal.windows take.
struct Window : AnyWindow {
  int64_t M = 0;
  bool sym = true;
  void describe_M(auto& field) { field("M", M, "how many numbers", as::required); }
  void describe_rest(auto& field) {
    field("sym", sym, "symmetric; false: one period of a window that repeats", as::named);
    describe_options(field);
  }
  void describe(auto& field) {
    describe_M(field);
    describe_rest(field);
  }
  template <class Op>
  static Cases<Op> windows(Op op = {}) {
    op.M = 5;
    Op periodic = op;
    periodic.sym = false;
    return {{op, {}}, {periodic, {}}};
  }
  /// f(i, n) for i from 0 to M - 1, where n is the number of steps in the window.
  template <class F>
  Tensor made(F&& f) const;
};
struct Bartlett : Window {
  static constexpr Doc doc{"signal_windows_bartlett", "", "A triangle that begins and ends at 0."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Bartlett> samples() { return windows<Bartlett>(); }
};
struct Blackman : Window {
  static constexpr Doc doc{"signal_windows_blackman", "", "Blackman's window: three cosine terms."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Blackman> samples() { return windows<Blackman>(); }
};
struct Cosine : Window {
  static constexpr Doc doc{"signal_windows_cosine", "", "Half a sine wave."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Cosine> samples() { return windows<Cosine>(); }
};
struct Exponential : Window {
  static constexpr Doc doc{"signal_windows_exponential", "", "exp(-|i - center| / tau)."};
  std::optional<double> center{};
  double tau = 1;
  void describe(auto& field) {
    describe_M(field);
    field("center", center, "where the largest number is, from 0; nil: the middle", as::named);
    field("tau", tau, "the distance in which the window falls by e", as::named);
    describe_rest(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Exponential> samples() { return windows<Exponential>(); }
};
struct Gaussian : Window {
  static constexpr Doc doc{"signal_windows_gaussian", "", "A bell of the given standard deviation."};
  double std = 1;
  void describe(auto& field) {
    describe_M(field);
    field("std", std, "the standard deviation, in positions", as::named);
    describe_rest(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Gaussian> samples() { return windows<Gaussian>(); }
};
struct GeneralCosine : Window {
  static constexpr Doc doc{"signal_windows_general_cosine", "",
                           "A sum of cosines with the given weights, whose signs alternate."};
  std::vector<double> a;
  void describe(auto& field) {
    describe_M(field);
    field("a", a, "the weights", as::named | as::required);
    describe_rest(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<GeneralCosine> samples() {
    GeneralCosine op;
    op.a = {0.5, 0.3, 0.2};
    return windows(op);
  }
};
struct GeneralHamming : Window {
  static constexpr Doc doc{"signal_windows_general_hamming", "", "alpha - (1 - alpha) cos(2 pi i / n)."};
  double alpha = 0.54;
  void describe(auto& field) {
    describe_M(field);
    field("alpha", alpha, "the weight of the constant", as::named);
    describe_rest(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<GeneralHamming> samples() { return windows<GeneralHamming>(); }
};
struct Hamming : Window {
  static constexpr Doc doc{"signal_windows_hamming", "", "Hamming's window: 0.54 - 0.46 cos(2 pi i / n)."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Hamming> samples() { return windows<Hamming>(); }
};
struct Hann : Window {
  static constexpr Doc doc{"signal_windows_hann", "", "Hann's window: (1 - cos(2 pi i / n)) / 2."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Hann> samples() { return windows<Hann>(); }
};
struct Kaiser : Window {
  static constexpr Doc doc{"signal_windows_kaiser", "", "Kaiser's window, by the modified Bessel function of order 0."};
  double beta = 12;
  void describe(auto& field) {
    describe_M(field);
    field("beta", beta, "how narrow it is; at least 0", as::named);
    describe_rest(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Kaiser> samples() { return windows<Kaiser>(); }
};
struct Nuttall : Window {
  static constexpr Doc doc{"signal_windows_nuttall", "", "Nuttall's window: four cosine terms."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Nuttall> samples() { return windows<Nuttall>(); }
};

// ---- the older functions --------------------------------------------------------------------------------------------

struct OldWindow : AnyWindow {
  int64_t window_length = 0;
  bool periodic = true;
  void describe_first(auto& field) {
    field("window_length", window_length, "how many numbers", as::required);
    field("periodic", periodic, "one period of a window that repeats; false: symmetric");
  }
  void describe(auto& field) {
    describe_first(field);
    describe_options(field);
  }
  template <class W>
  W as(W w = {}) const {
    static_cast<Options&>(w) = *this;
    w.M = window_length;
    w.sym = !periodic;
    return w;
  }
  template <class Op>
  static Cases<Op> lengths() {
    Op op;
    op.window_length = 5;
    return {{op, {}}};
  }
};
struct BartlettWindow : OldWindow {
  static constexpr Doc doc{"bartlett_window", "", "A triangle that begins at 0."};
  Tensor decompose(const Inputs& in) const { return as<Bartlett>().decompose(in); }
  static Cases<BartlettWindow> samples() { return lengths<BartlettWindow>(); }
};
struct BlackmanWindow : OldWindow {
  static constexpr Doc doc{"blackman_window", "", "Blackman's window: three cosine terms."};
  Tensor decompose(const Inputs& in) const { return as<Blackman>().decompose(in); }
  static Cases<BlackmanWindow> samples() { return lengths<BlackmanWindow>(); }
};
struct HannWindow : OldWindow {
  static constexpr Doc doc{"hann_window", "", "Hann's window: (1 - cos(2 pi i / n)) / 2."};
  Tensor decompose(const Inputs& in) const { return as<Hann>().decompose(in); }
  static Cases<HannWindow> samples() { return lengths<HannWindow>(); }
};
struct HammingWindow : OldWindow {
  static constexpr Doc doc{"hamming_window", "", "Hamming's window: alpha - beta cos(2 pi i / n)."};
  double alpha = 0.54, beta = 0.46;
  void describe(auto& field) {
    describe_first(field);
    field("alpha", alpha, "the weight of the constant");
    field("beta", beta, "the weight of the cosine");
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<HammingWindow> samples() { return lengths<HammingWindow>(); }
};
struct KaiserWindow : OldWindow {
  static constexpr Doc doc{"kaiser_window", "", "Kaiser's window, by the modified Bessel function of order 0."};
  double beta = 12;
  void describe(auto& field) {
    describe_first(field);
    field("beta", beta, "how narrow it is; at least 0");
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<KaiserWindow> samples() { return lengths<KaiserWindow>(); }
};

}  // namespace luth::ops
