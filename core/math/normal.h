// The error function's family for kernels on every device, in double: scaled and inverse forms, the normal
// distribution. All vectorise. Polynomials are minimax fits by Remez's exchange in 113 bits.
#pragma once
#include "core/math/erfc.h"

namespace luth::math {

/// erfc x, of double by the form of our own where that is faster than libm's, which is no more accurate.
LUTH_HD inline float complement(float x) { return erfc(x); }
[[gnu::always_inline]] LUTH_HD inline double complement(double x) { return has_fused ? own::erfc(x) : std::erfc(x); }
/// e^(x²) erfc(x).
[[gnu::always_inline]] LUTH_HD inline double erfcx(double x) {
  const double size = std::fabs(x), t = at_most(size, 28.0), square = t * t;
  const bool near = size <= 0.75;
  const double e = own::times_exp(near ? own::erfc_near(x) : 2, square, own::lost_by_product(t, t, square));
  const double y = own::erfcx_right(size);
  return near ? e : x < 0 ? e - y : y;
}

inline constexpr double half_root = 0.70710678118654752440;  // sqrt(1/2)
/// The normal distribution function of -x for x >= 0.
[[gnu::always_inline]] LUTH_HD inline double normal_tail(double x) {
  const double t = at_most(x, 40.0), square = t * t, u = half_root * t;
  const double far = own::erfc_tail(0.5, u, 0.5 * square, 0.5 * own::lost_by_product(t, t, square));
  return t > 1 ? far : 0.5 - 0.5 * fused(own::erf_near(u * u), u, u);
}
/// The normal distribution function.
[[gnu::always_inline]] LUTH_HD inline double ndtr(double x) {
  const double tail = normal_tail(std::fabs(x));
  return x > 0 ? 1 - tail : x <= 0 ? tail : x;
}
/// The same for a float, within 4e-11 of it: x² is exact, and a shorter polynomial in 1 / (t + 3) does.
[[gnu::always_inline]] LUTH_HD inline double ndtr_quick(double x) {
  const double q = 1 / (half_root * std::fabs(x) + 3);
  const double p = polynomial(q, -7193.2246420990359, 16092.656796373654, -14383.614355642987, 6495.9541864028424,
                              -1811.6179432332492, 446.25673962941755, -21.194385401409853, 20.977119747576335,
                              5.9609127776869286, 2.4155540636011033, 0.84580171197044596, 0.28210067069732614);
  const double tail = q * p * own::exp(-0.5 * x * x);
  return x > 0 ? 1 - tail : tail;
}
[[gnu::always_inline]] LUTH_HD inline double log_ndtr(double x) {
  const double left = own::log(0.5 * own::erfcx_right(half_root * std::fabs(x))) - 0.5 * x * x;
  return x < -1 ? left : own::log1p(-ndtr(-x));
}

/// -ln x for x from 0 to 1.
[[gnu::always_inline]] LUTH_HD inline own::Pair minus_log(double x) {
  const own::Reduced r = own::reduced(x);
  const double p = polynomial(r.f, -0.057812037020382116, 0.075825561643951905, -0.072811313541842448,
                              0.076366932842155455, -0.083239511439079469, 0.090926751768434871, -0.10000301094388675,
                              0.11111079440131047, -0.12499994877533742, 0.14285714603612057, -0.166666667121632,
                              0.19999999998374579, -0.24999999999813713, 0.33333333333336496, -0.50000000000000244);
  const auto [base, base_low] = r.log();
  const double high = base + r.f, low = ((base - high) + r.f) + fused(r.f * r.f, p, base_low), sum = high + low;
  return {-sum, (sum - high) - low};
}
/// The inverse of erf over its argument y, of 1 - y²; `all`: down to the least double, else to 2^-53. With w =
/// -ln(1 - y²) it is smooth in w near 0, and farther out it is the root of w less what is smooth in that.
template <bool all>
[[gnu::always_inline]] LUTH_HD inline own::Pair erfinv_slope(double rest) {
  const auto [w, below] = minus_log(rest);
  const double s = std::sqrt(w), a = s - 2.5, b = s - 4.5, off = below - own::lost_by_product(s, s, w);
  const double near =
      polynomial(w, 4.0111310737122961e-16, -1.3439702575971313e-14, 1.9060044248017178e-13, -1.3886653583232956e-12,
                 4.4957039490387182e-12, 9.4719378940515678e-13, 6.8629121197842275e-12, -5.5954257988232418e-10,
                 7.9436707611189496e-10, 2.2760855714407613e-08, -3.7277105432636193e-08, -1.0125600640238787e-06,
                 2.0199888969849685e-06, 4.6611441190150329e-05, -0.00012804329459753752, -0.0023351016415450588,
                 0.011549342038265038, 0.23201366653465466);
  const double middle = polynomial(
      a, -1.4573218577382003e-07, 1.4624006516899561e-07, 1.0819457466289432e-06, -2.2713682699240396e-06,
      -1.9648190638570335e-06, 1.2116728238594103e-05, -9.3732974191013693e-06, -3.3759006764445564e-05,
      8.5066125440440643e-05, 6.6360206867533582e-06, -0.00033153003293296811, 0.00045632595398522506,
      0.00053865365355486436, -0.0024602356400737248, 0.0020606084836326216, 0.0051429028249901651,
      -0.018703787267329949, 0.031162725534911031, -0.035190410384876768, 0.017726860603041527, 0.16405463618920813);
  const double far =
      polynomial(b, 2.2532626390233681e-12, -1.7367624734803246e-11, 4.3630945863466155e-11, 2.6566008355683105e-11,
                 -4.9031271924489252e-10, 1.6813614144504928e-09, -3.1447864061298409e-09, 9.8175814794837304e-10,
                 1.7520491313024763e-08, -7.9214354216193153e-08, 2.2325177220379982e-07, -4.8808883061361509e-07,
                 9.0933827426906674e-07, -1.6400818179310063e-06, 3.6005341434332679e-06, -1.1094847848377839e-05,
                 4.1019688791005787e-05, -0.00014794112454685643, 0.00043024364846470226, -0.00032744246357262072,
                 -0.010232788672242416, 0.15524618778557855);
  // off / (2 s), within some percent
  double less = s < 3.3 ? middle - off * (0.4107 - 0.081 * s) : far - off * (0.2297 - 0.0252 * s);
  if constexpr (all) {
    const double farthest =
        polynomial(40 / (s + 15) - 1.4, -0.00083927192775815063, -0.0006813463855761874, -0.00022084907862952776,
                   -0.00085063253465700859, -0.0014415820994549747, -0.0017015153739923963, -0.0021880377540736467,
                   -0.0028830737168386812, -0.0036721753139921302, -0.004558612695615743, -0.005557204851044226,
                   -0.0065590210578879852, -0.0075112856432552012, -0.0080688307702494102, -0.0080732243820664015,
                   -0.0064103635183499928, -0.0027254918895985745, 0.0073075112287118282, 0.0241531422896182,
                   0.082895654843029243, 0.09179420604711197);
    less = s < 6 ? less : farthest - off * (0.0898 - 0.00305 * s);
  }
  constexpr double first = 0.886226925452758, more = -3.8332932499128994e-17;  // sqrt(pi) / 2
  return w < 3.5 ? own::Pair{first, fused(w, near, more)} : own::Pair{s, -less};
}
[[gnu::always_inline]] LUTH_HD inline double sum(own::Pair x) { return x.high + x.low; }
/// y where `inside`, infinity where at_edge, both with the sign of `side`, else nan.
[[gnu::always_inline]] LUTH_HD inline double within(bool inside, bool at_edge, double side, double y) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return inside | at_edge ? std::copysign(inside ? y : infinite, side) : std::numeric_limits<double>::quiet_NaN();
}
/// The number whose erf is y.
[[gnu::always_inline]] LUTH_HD inline double erfinv(double y) {
  const double size = std::fabs(y);
  return within(size < 1, size == 1, y, sum(own::product({y, 0}, erfinv_slope<false>((1 - size) * (1 + size)))));
}
/// The number at which the normal distribution function is p: sqrt(2) erfinv(2 p - 1).
[[gnu::always_inline]] LUTH_HD inline double ndtri(double p) {
  constexpr double root = 1.4142135623730951, root_rest = -9.6672933134529135e-17;  // sqrt(2)
  const double y = 2 * p - 1, z = root * y;
  const own::Pair times{z, fused(root, 2 * p - (y + 1), fused(root_rest, y, own::lost_by_product(root, y, z)))};
  return within((p > 0) & (p < 1), (p == 0) | (p == 1), p - 0.5,
                sum(own::product(times, erfinv_slope<true>(4 * p * (1 - p)))));
}

/// The same for a float |y| < 1, within 6e-10 of it.
LUTH_HD inline double erfinv_quick(double y) {
  const own::Reduced r = own::reduced((1 - y) * (1 + y));
  const double p = polynomial(r.f, 0.10710067939489551, -0.13432154679144301, 0.1435005305850762, -0.16637447373662839,
                              0.19998285005480068, -0.25000358757001928, 0.33333345763922179, -0.49999998667949763);
  const double w = -(r.log().high + fused(r.f * r.f, p, r.f)), s = std::sqrt(w) - 3;
  const double near =
      polynomial(w, -1.2010301978748768e-09, 1.2319735394588899e-08, 6.8579926103934641e-08, -1.4025707230218409e-06,
                 2.8269459978903247e-06, 4.559825591575535e-05, -0.0001272739680790353, -0.0023354358274278635,
                 0.011549415385413622, 0.23201366033928725, 0.88622692553807692);
  const double far =
      polynomial(s, 4.5446445414147329e-06, 1.3991960398938806e-05, -4.5589957796784315e-05, -3.5669512867419344e-05,
                 0.00022969571427990459, -0.00028995968192748318, -0.00016226612846850739, 0.0014858832934794217,
                 -0.0035550784253888029, 0.0056848735772235537, -0.0076442551095971751, 0.0094455377147247607,
                 1.0016752923250483, 2.832976798612787);
  return y * (w < 3.5 ? near : far);
}

}  // namespace luth::math
