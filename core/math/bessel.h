// Bessel functions of order 0 and 1, and Airy's, for kernels on every device, in double. J and Y are the C library's.
// I and K, and the forms for float, are minimax fits by Remez's exchange in 113 bits, so that they vectorise. Formulas:
// NIST's Digital Library of Mathematical Functions (DLMF).
#pragma once
#include "core/math/erfc.h"

namespace luth::math {

LUTH_HD inline double bessel_y0(double x) { return x < 0 ? std::numeric_limits<double>::quiet_NaN() : ::y0(x); }
LUTH_HD inline double bessel_y1(double x) { return x < 0 ? std::numeric_limits<double>::quiet_NaN() : ::y1(x); }

/// Σ (±1)^k a_k(ν) / x^k with a_k = Π (4ν² - (2j-1)²) / (8^k k!), DLMF 10.17.1, up to the smallest term.
LUTH_HD inline double hankel_sum(double nu, double x, double sign) {
  const double mu = 4 * nu * nu;
  double sum = 1, term = 1;
  for (int k = 1; k < 60; ++k) {
    const double next = term * sign * (mu - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * x);
    if (!(std::fabs(next) < std::fabs(term)) || std::fabs(next) < 0x1p-55) break;
    sum += term = next;
  }
  return sum;
}

/// I_n(x), n = 0 or 1, for 0 <= x <= 8: a polynomial in x², in place of the power series DLMF 10.25.2.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_i_near(double x) {
  const double z = x * x;
  if constexpr (n == 0)
    return fused(
        polynomial(z, 8.5592391343395552e-34, 4.2026932380946318e-31, 3.9328489758581752e-28, 2.5902565495131214e-25,
                   1.4967722892192575e-22, 7.2420775753683996e-20, 2.8969087752251023e-17, 9.3859658373703626e-15,
                   2.4028075670929867e-12, 4.7095027952071038e-10, 6.7816840279096727e-08, 6.7816840277718821e-06,
                   0.00043402777777779288, 0.015624999999999981, 0.25),
        z, 1);
  else
    return x * polynomial(z, 2.5892855319339761e-32, 1.1685027305045368e-29, 1.0239318668534077e-26,
                          6.2152605409901009e-24, 3.2929833440434247e-21, 1.4484120227860749e-18,
                          5.2144367682700499e-16, 1.5017545160623563e-13, 3.3639305959922343e-11,
                          5.6514033541224241e-09, 6.7816840279108744e-07, 5.4253472222178221e-05, 0.0026041666666667402,
                          0.062499999999999951, 0.5);
}
/// e^-x I_n(x) for x >= 8: 1 / sqrt(x) times a polynomial in 1 / x, in place of the asymptotic series 10.40.1.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_ie_far(double x) {
  const double q = 1 / x, v = 16 * q - 1;
  if constexpr (n == 0)
    return std::sqrt(q) * polynomial(v, -1.7019452974604858e-11, 9.6491957406303523e-11, 1.3424066938902404e-10,
                                     -6.7895275888819203e-10, -5.2543923184997939e-10, 2.233993632662806e-09,
                                     1.4546899948397916e-09, -4.6253382739691426e-09, -3.4478187254681588e-09,
                                     6.6016165608403396e-09, 7.5188968482587356e-09, -5.0603029166583671e-09,
                                     -1.3396137126602781e-08, -6.841710943613287e-09, 7.5515813615370653e-09,
                                     2.1564617797324384e-08, 3.9326305223528632e-08, 8.8720547923300153e-08,
                                     2.9735982082052367e-07, 1.4838476520505161e-06, 1.1143033792374103e-05,
                                     0.00013621607439017415, 0.0033605519836678453, 0.4021765094450081);
  else
    return std::sqrt(q) * polynomial(v, 1.6363361508151995e-11, -1.0039060642937538e-10, -1.2777323175796545e-10,
                                     7.0747532750934139e-10, 4.9878453461178547e-10, -2.3344485082404008e-09,
                                     -1.3949882857545315e-09, 4.8608493121999864e-09, 3.3872184478862642e-09,
                                     -7.0257127950597331e-09, -7.6197082864588526e-09, 5.6157815604370485e-09,
                                     1.4025594726792449e-08, 6.8324367197634813e-09, -8.4256514775024577e-09,
                                     -2.3390853838303859e-08, -4.3129493250162946e-08, -1.0001116271288948e-07,
                                     -3.4838554988232443e-07, -1.8349102226972335e-06, -1.5038547201571343e-05,
                                     -0.00021923576383205351, -0.0097495771932357249, 0.38939845902587233);
}
/// e^-|x| I_n(x), n = 0 or 1.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_ie(double x) {
  const double size = std::fabs(x), t = at_most(size, 8.0), near = bessel_i_near<n>(t) * own::exp(-t);
  const double y = size < 8 ? near : bessel_ie_far<n>(size);  // nan: the latter
  return n == 1 && x < 0 ? -y : y;
}
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_i(double x) {
  const double size = std::fabs(x), t = at_most(size, 1400.0);  // the result is infinite there
  const double y = size < 8 ? bessel_i_near<n>(t) : size >= 8 ? own::times_exp(bessel_ie_far<n>(t), t, 0) : x;
  return n == 1 && x < 0 ? -y : y;
}

/// e^x K_ν(x) for x from about 0.6 to 25: the integral of e^(-x (cosh t - 1)) cosh νt, DLMF 10.32.9, by the trapezoidal
/// rule, whose error for this analytic integrand is below 1e-17 at this step.
LUTH_HD inline double bessel_ke_integral(double nu, double x) {
  const double h = 0.125;
  double sum = 0.5;
  for (int k = 1; k < 64; ++k) {
    const double t = h * k, s = std::sinh(0.5 * t), term = std::exp(-2 * x * s * s) * std::cosh(nu * t);
    sum += term;
    if (term < 0x1p-56 * sum) break;
  }
  return h * sum;
}
LUTH_HD inline double bessel_ke_far(double nu, double x) {
  return std::sqrt(1.57079632679489661923 / x) * hankel_sum(nu, x, 1);
}
/// K_n(x) for 0 < x <= 1, n = 0 or 1: DLMF 10.31.1 and 10.31.2, with polynomials in x² in place of the series.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_k_near(double x) {
  const double z = x * x, log = own::log(x);
  if constexpr (n == 0) {
    const double i = fused(polynomial(z, 2.4399856475441851e-12, 4.7089099748515569e-10, 6.7816889131445616e-08,
                                      6.7816840057078749e-06, 0.00043402777778309474, 0.015624999999999395, 0.25),
                           z, 1);
    return fused(
        -log, i,
        polynomial(z, 6.6214788323750392e-12, 1.2082309573099233e-09, 1.6271073919363519e-07, 1.4914719207451821e-05,
                   0.00084603509073469534, 0.025248929932158749, 0.27898287891460338, 0.11593151565841245));
  } else {
    const double i = polynomial(z, 3.4166551360664282e-11, 5.650680315267138e-09, 6.78168893336259e-07,
                                5.4253472051692078e-05, 0.002604166666694835, 0.062499999999998258, 0.5);
    const double y = 1 / x + x * fused(log, i,
                                       polynomial(z, -9.0406532791794643e-11, -1.402740143232261e-08,
                                                  -1.559291117468705e-06, -0.000112536069266157, -0.0046421827667488501,
                                                  -0.085370719728617372, -0.3079657578292076));
    return x == 0 ? std::numeric_limits<double>::infinity() : y;
  }
}
/// e^x K_n(x) for x >= 1: a polynomial in q = 1 / (x + 1) times the root of q.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_ke_right(double x) {
  const double q = 1 / (x + 1);
  if constexpr (n == 0)
    return std::sqrt(q) * polynomial(q, 71.703712871936432, -354.25307808270588, 831.54609952287785,
                                     -1225.3606950583892, 1269.9635751674787, -984.18680296126945, 593.80481080094319,
                                     -287.19596839362219, 114.59691179819148, -38.66731211660651, 11.642802087507732,
                                     -3.0998608228169431, 0.98203303046429524, -0.13468967787474173,
                                     0.21986007750374889, 0.12620870345581817, 0.20481854159552998, 0.22642882504427547,
                                     0.3231200510159466, 0.46999280149334505, 1.2533141373155003);
  else
    return std::sqrt(q) * polynomial(q, 1155.6958216665621, -5159.1560609237595, 10757.505495539157,
                                     -13676.763004685543, 11648.55166457101, -6782.315943669033, 2519.6359161277464,
                                     -330.1509324100947, -273.52629619830503, 245.10660029274555, -116.67696926744595,
                                     43.537449263067685, -11.889670544020294, 4.5657546003277405, 0.03224815090794983,
                                     1.2903695963771815, 0.91420513872767639, 1.0478853443449738, 0.99731958519994812,
                                     1.0342289503988453, 1.0281092532721481, 1.0966498701510476, 1.2533141373155003);
}
/// e^x K_n(x), n = 0 or 1.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_ke(double x) {
  const double near = bessel_k_near<n>(x) * own::exp(at_most(x, 1.0));
  return x > 1 ? bessel_ke_right<n>(x) : near;
}
template <int n>
[[gnu::always_inline]] LUTH_HD inline double bessel_k(double x) {
  const double far = own::times_exp(bessel_ke_right<n>(x), -at_most(x, 1400.0), 0);
  return x > 1 ? far : bessel_k_near<n>(x);
}

inline constexpr double two_over_pi = 0.63661977236758134, quarter_pi = 0.78539816339744831;

// ---- forms that vectorise, for results that are rounded to float

/// How far out they hold.
inline constexpr double bessel_quick_end = 1e6;
/// Whether y, which is J_n(x) or Y_n(x) as they compute it for x >= 0, has float's digits: not next to most zeros.
LUTH_HD inline bool is_bessel_quick(double x, double y) {
  return (x < bessel_quick_end) & ((x < 0.5) | (y * y * x > 1e-12));
}
/// sin(x + turn + more) for 0 <= x < bessel_quick_end, within 3e-16 where turn + more is below 3: of what is left of a
/// whole number of π, whose three parts have 33, 33 and 53 bits.
[[gnu::always_inline]] LUTH_HD inline double quick_sine(double x, double turn, double more) {
  constexpr double round = 0x1.8p52, high = 0x1.921fb544p+1, middle = 0x1.0b4611a6p-33, low = 0x1.3198a2e037p-68;
  const double shifted = fused(x + turn, 0.31830988618379067, round), k = shifted - round;
  const double y = (((x - k * high) - k * middle) - k * low + turn) + more, z = y * y;
  const double s = fused(
      y * z,
      polynomial(z, 2.7118687490352474e-15, -7.6420807224078178e-13, 1.6058903658595538e-10, -2.5052106134624471e-08,
                 2.7557319202844941e-06, -0.00019841269841159497, 0.0083333333333330539, -0.16666666666666663),
      y);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(s) ^ std::bit_cast<uint64_t>(shifted) << 63);
}
/// J_n or Y_n, n = 0 or 1, for 8 <= x < bessel_quick_end, of the turn of its sine: modulus and phase (DLMF 10.18),
/// polynomials in 1 / x² in place of the asymptotic series.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double quick_bessel_far(double x, double turn) {
  const double over = 1 / x, z = over * over;
  const double modulus =
      n == 0 ? polynomial(-z, 568.89566369144757, 60.017043220611455, 4.4491603128127872, 0.43208293466261194,
                          0.082591029094484625, 0.049867782790631761, 0.79788456080253012)
             : -polynomial(-z, 703.64604477090688, 75.857334797515222, 5.9156736686358098, 0.64128112409306681,
                           0.15427547135800168, 0.14960335243533404, -0.79788456080326864);
  const double phase =
      n == 0 ? -polynomial(-z, 76132.716734017187, 7637.9576176379123, 431.45809636555492, 22.772719507237834,
                           1.6351836637085218, 0.20956381103621796, 0.065104159958645227, 0.12499999999796495)
             : polynomial(-z, 91653.230309599254, 9294.6757038457636, 537.309722980885, 29.799462908342441,
                          2.3660069066787575, 0.37089077642330825, 0.16406249208565976, 0.37499999999759637);
  return std::sqrt(over) * modulus * quick_sine(x, turn, over * phase);
}
/// (x - root) (x + root) of a root that is a sum.
[[gnu::always_inline]] LUTH_HD inline double less_square(double x, double root, double rest) {
  return ((x - root) - rest) * (x + root);
}
/// J_n(x) for 0 <= x <= 8: its zeros there, times a polynomial in x².
template <int n>
[[gnu::always_inline]] LUTH_HD inline double quick_bessel_j_near(double x) {
  const double z = x * x;
  if constexpr (n == 0) {
    const double zeros = less_square(x, 2.4048255576957729, -1.176691651530894e-16) *
                         less_square(x, 5.5200781102863106, 8.0885971461467223e-17);
    return zeros * polynomial(-z, 3.2767475620503652e-34, 4.3161752003496555e-31, 3.6229948412963386e-28,
                              2.4599283864059927e-25, 1.4061358780660913e-22, 6.7279569335695057e-20,
                              2.6505007778990197e-17, 8.41318483097412e-15, 2.0931214049737484e-12,
                              3.9358273784603808e-10, 5.3178863351682318e-08, 4.7843561409030566e-06,
                              0.00025120235414943256, 0.0056746933251556157);
  } else {
    const double zeros = less_square(x, 3.8317059702075125, -1.5269184090088067e-16) *
                         less_square(x, 7.0155866698156188, -9.4141656534103889e-17);
    return x * zeros *
           polynomial(-z, 1.0377630728090163e-35, 1.4189270700332743e-32, 1.2601722332014985e-29,
                      9.1560154858090954e-27, 5.6391726684498441e-24, 2.9249045618987324e-21, 1.2574714560119541e-18,
                      4.3897596955489497e-16, 1.212160395146029e-13, 2.5576334450655049e-11, 3.929471053733782e-09,
                      4.0859145336521897e-07, 2.5304774079730494e-05, 0.00069192283664082528);
  }
}
template <int n>
[[gnu::always_inline]] LUTH_HD inline double quick_bessel_j(double x) {
  const double size = std::fabs(x), far = quick_bessel_far<n>(size, n == 0 ? quarter_pi : -quarter_pi);
  const double y = size < 8 ? quick_bessel_j_near<n>(size) : far;
  return n == 1 ? std::copysign(1.0, x) * y : y;
}
/// Y_n(x) for x > 0; DLMF 10.8.1 with a polynomial in place of its series.
template <int n>
[[gnu::always_inline]] LUTH_HD inline double quick_bessel_y(double x) {
  const double z = x * x, product = own::log(x) * quick_bessel_j_near<n>(x);
  const double less =
      n == 0 ? polynomial(-z, 7.1291938655443995e-34, 9.4917006576957632e-31, 7.9285000450709815e-28,
                          5.3116343901837302e-25, 2.9863738198808354e-22, 1.4038340847998269e-19,
                          5.4310480243640937e-17, 1.6932711983470531e-14, 4.1435656776171282e-12,
                          7.6930798931510711e-10, 1.0358476032922843e-07, 9.4950052051794184e-06,
                          0.00053860266686150276, 0.016073968025938138, 0.17760601686906693, 0.073804295108687204)
             : polynomial(-z, 2.2835587311357417e-35, 3.2127306797920854e-32, 2.8661985341719797e-29,
                          2.0678656263177308e-26, 1.2609022979823886e-23, 6.4763497000774463e-21,
                          2.7616308266651717e-18, 9.5914851876054597e-16, 2.649481479004503e-13, 5.6480245475264571e-11,
                          8.9318796208023846e-09, 9.9267406193957667e-07, 7.1642687499726802e-05, 0.0029553053360798012,
                          0.054348688160510208, 0.19605709064623894);
  const double near = n == 0 ? fused(two_over_pi, product, -less) : fused(two_over_pi, product - 1 / x, -x * less);
  return x < 8 ? near : quick_bessel_far<n>(x, n == 0 ? -quarter_pi : -3 * quarter_pi);
}

/// sin(x) / x.
LUTH_HD inline double spherical_bessel_j0(double x) {
  if (x == 0) return 1;
  return std::fabs(x) == std::numeric_limits<double>::infinity() ? 0 : std::sin(x) / x;
}

/// Ai(x) by its power series, DLMF 9.4.1.
LUTH_HD inline double airy_series(double x) {
  const double cube = x * x * x;
  double f = 1, g = x, a = 1, b = x;
  for (int k = 1; k < 100; ++k) {
    f += a *= cube / (double(3 * k - 1) * (3 * k));
    g += b *= cube / (double(3 * k) * (3 * k + 1));
    if (std::fabs(a) < 0x1p-58 && std::fabs(b) < 0x1p-58) break;
  }
  return 0.35502805388781723926 * f - 0.25881940379280679841 * g;
}
/// Ai(-z) for large z, DLMF 9.7.9, with u_k = u_(k-1) (6k-5)(6k-3)(6k-1) / (216 k (2k-1)).
LUTH_HD inline double airy_far_left(double z) {
  const double zeta = 2 * z * std::sqrt(z) / 3;
  double sums[2] = {1, 0}, u = 1;
  for (int k = 1; k < 40; ++k) {
    const double next = u * (6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) / (216.0 * k * (2 * k - 1) * zeta);
    if (next >= u || next < 0x1p-55) break;
    u = next;
    sums[k % 2] += k / 2 % 2 ? -u : u;
  }
  const double angle = zeta - 0.78539816339744830962;
  return 0.56418958354775628695 / std::sqrt(std::sqrt(z)) * (std::cos(angle) * sums[0] + std::sin(angle) * sums[1]);
}
/// Airy's function of the first kind. To the right through K_1/3, DLMF 9.6.2.
LUTH_HD inline double airy_ai(double x) {
  if (x != x || x == -std::numeric_limits<double>::infinity()) return std::numeric_limits<double>::quiet_NaN();
  if (x < -7.5) return airy_far_left(-x);
  if (x < 1) return airy_series(x);
  if (x > 108) return 0;
  const double zeta = 2 * x * std::sqrt(x) / 3;
  const double k = zeta <= 25 ? bessel_ke_integral(1.0 / 3, zeta) : bessel_ke_far(1.0 / 3, zeta);
  return std::sqrt(x / 3) / 3.14159265358979323846 * k * std::exp(-zeta);
}

/// Airy's function of the first kind to float's digits, where is_airy_quick. As airy_ai has it, with polynomials in
/// place of series, and of modulus and phase (DLMF 9.8) left of -5.
[[gnu::always_inline]] LUTH_HD inline double quick_airy_ai(double x) {
  const double z = std::fabs(x), root = std::sqrt(z), zeta = 2 * z * root / 3, u = x + 2;
  const double q = 1 / (zeta + 0.5), over = 1 / zeta, y = over * over, quarter = 1 / std::sqrt(root);
  const double near =
      polynomial(u, 6.4672669151828668e-19, -1.8671896409526599e-17, 5.1096832708190067e-17, 1.6427775655399022e-15,
                 -1.3479020862150806e-14, -2.6508214018130266e-14, 9.1199919536522513e-13, -4.0036031135691586e-12,
                 -2.0940751712330521e-11, 3.0097296297767076e-10, -7.5202633607024417e-10, -7.8887903709090088e-09,
                 6.6001508701501291e-08, -4.8582188590452538e-08, -1.753488135801447e-06, 8.5055868095598967e-06,
                 9.4315427023289227e-06, -0.0002125979107747085, 0.00051042004606553174, 0.001869679636328528,
                 -0.011567691620337991, 0.0054481388208032066, 0.089422823097969964, -0.16818510221598881,
                 -0.22740742820206039, 0.61825902074186623, 0.22740742820169477);
  const double scaled =
      polynomial(q, -0.001040267052456063, 0.0056476747559873579, -0.013870093778935177, 0.020420632256909117,
                 -0.020560449332706194, 0.015333767830656597, -0.0097617572052326011, 0.0052857681070984496,
                 -0.0051155044178685825, 0.00067908961893377328, -0.01958989204685711, 0.28209479160826029);
  const double right = own::times_exp(quarter * scaled, -at_most(zeta, 1000.0), 0);
  const double modulus =
      polynomial(y, -3585.6850893265701, 400.90209753844761, -25.93787091618692, 1.6667955528520566,
                 -0.15954675438373436, 0.031085104258829068, -0.019589915871000348, 0.56418958354772697);
  const double phase =
      polynomial(y, 30680.407521539313, -3427.9056373748258, 210.03818663019135, -11.59804609782493,
                 0.84961815182222444, -0.11094586518619014, 0.035525970480804497, -0.069444444442052861);
  const double left = quarter * modulus * quick_sine(zeta, quarter_pi, over * phase);
  return x > 1 ? right : x > -5 ? near : left;
}
/// Whether y, which is quick_airy_ai(x), has float's digits: not next to zeros, not far out.
LUTH_HD inline bool is_airy_quick(double x, double y) { return (x > -2) | ((x > -1000) & (y * y > 1e-9)); }

}  // namespace luth::math
