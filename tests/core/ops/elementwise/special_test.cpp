// Special functions against values computed with 40 digits (mpmath), in every range where another method takes over.
#include <gtest/gtest.h>

#include <cmath>

#include "core/math/bessel.h"
#include "core/math/gamma.h"
#include "core/math/normal.h"
#include "core/math/polynomial.h"

namespace luth::math {
namespace {

struct Known {
  const char* what;
  double got, want;
};

TEST(Special, EqualsKnownValues) {
  const Known known[] = {
      // clang-format off
      {"digamma(0.125)", digamma(0.125), -8.3884926632958549},
      {"digamma(1.4375)", digamma(1.4375), -2.3613544005297899e-2},
      {"digamma(9.75)", digamma(9.75), 2.2251095350445760},
      {"digamma(300.0)", digamma(300.0), 5.7021148820646373},
      {"digamma(-3.625)", digamma(-3.625), 1.1820001615737400e-1},
      {"zeta(1.125, 0.25)", zeta(1.125, 0.25), 1.2980836927210345e+1},
      {"zeta(2.0, 40.5)", zeta(2.0, 40.5), 2.4998698201356741e-2},
      {"zeta(33.5, 3.0)", zeta(33.5, 3.0), 1.0386430464997779e-16},
      {"zeta(4, -2.75)", zeta(4, -2.75), 2.5974829188054893e+2},
      {"polygamma(1, 0.125)", polygamma(1, 0.125), 6.5388133444988034e+1},
      {"polygamma(2, 5.5)", polygamma(2, 5.5), -3.9608947521302043e-2},
      {"polygamma(5, -1.25)", polygamma(5, -1.25), 4.9223021062287458e+5},
      {"P(0.125, 0.5)", igamma(0.125, 0.5, false), 9.2605422228534712e-1},
      {"Q(0.125, 0.5)", igamma(0.125, 0.5, true), 7.3945777714652877e-2},
      {"P(3.0, 0.0625)", igamma(3.0, 0.0625, false), 3.8829622374407353e-5},
      {"Q(3.0, 0.0625)", igamma(3.0, 0.0625, true), 9.9996117037762559e-1},
      {"P(60.0, 55.0)", igamma(60.0, 55.0, false), 2.6730090756955747e-1},
      {"Q(60.0, 55.0)", igamma(60.0, 55.0, true), 7.3269909243044253e-1},
      {"P(60.0, 80.0)", igamma(60.0, 80.0, false), 9.9140246274196866e-1},
      {"Q(60.0, 80.0)", igamma(60.0, 80.0, true), 8.5975372580313378e-3},
      {"P(5000.0, 4900.0)", igamma(5000.0, 4900.0, false), 7.7944956226513914e-2},
      {"Q(5000.0, 4900.0)", igamma(5000.0, 4900.0, true), 9.2205504377348609e-1},
      {"P(2.5, 30.0)", igamma(2.5, 30.0, false), 9.9999999998784543e-1},
      {"Q(2.5, 30.0)", igamma(2.5, 30.0, true), 1.2154569777183039e-11},
      {"erfcx(-4.5)", erfcx(-4.5), 1.2459288842744062e+9},
      {"erfcx(0.75)", erfcx(0.75), 5.0693765029314481e-1},
      {"erfcx(9.5)", erfcx(9.5), 5.9064678352563891e-2},
      {"erfcx(50.0)", erfcx(50.0), 1.1281536265323773e-2},
      {"ndtr(-20.0)", ndtr(-20.0), 2.7536241186062337e-89},
      {"log_ndtr(-20.0)", log_ndtr(-20.0), -2.0391715537109726e+2},
      {"ndtr(0.5)", ndtr(0.5), 6.9146246127401310e-1},
      {"log_ndtr(0.5)", log_ndtr(0.5), -3.6894641528865639e-1},
      {"ndtr(6.0)", ndtr(6.0), 9.9999999901341235e-1},
      {"log_ndtr(6.0)", log_ndtr(6.0), -9.8658764552437573e-10},
      {"ndtri(1e-12)", ndtri(1e-12), -7.0344838253011319},
      {"ndtri(0.25)", ndtri(0.25), -6.7448975019608174e-1},
      {"ndtri(0.9375)", ndtri(0.9375), 1.5341205443525463},
      {"erfinv(1e-09)", erfinv(1e-09), 8.8622692545275807e-10},
      {"erfinv(0.375)", erfinv(0.375), 3.4561711478320660e-1},
      {"erfinv(-0.96875)", erfinv(-0.96875), -1.5230194019969561},
      {"i0(0.75)", bessel_i<0>(0.75), 1.1456467780440013},
      {"i0e(0.75)", bessel_ie<0>(0.75), 5.4116521920349532e-1},
      {"i0(-12.0)", bessel_i<0>(-12.0), 1.8948925349296309e+4},
      {"i0e(-12.0)", bessel_ie<0>(-12.0), 1.1642622121344044e-1},
      {"i0(45.0)", bessel_i<0>(45.0), 2.0834140751773148e+18},
      {"i0e(45.0)", bessel_ie<0>(45.0), 5.9638115011731949e-2},
      {"k0(0.0625)", bessel_k<0>(0.0625), 2.8923186673699382},
      {"k0e(0.0625)", bessel_ke<0>(0.0625), 3.0788571948399866},
      {"k0(1.75)", bessel_k<0>(1.75), 1.5537981238660359e-1},
      {"k0e(1.75)", bessel_ke<0>(1.75), 8.9414908415721733e-1},
      {"k0(2.5)", bessel_k<0>(2.5), 6.2347553200366186e-2},
      {"k0e(2.5)", bessel_ke<0>(2.5), 7.5954869032809958e-1},
      {"k0(20.0)", bessel_k<0>(20.0), 5.7412378153365243e-10},
      {"k0e(20.0)", bessel_ke<0>(20.0), 2.7854487665718222e-1},
      {"k0(60.0)", bessel_k<0>(60.0), 1.4138978405591078e-27},
      {"k0e(60.0)", bessel_ke<0>(60.0), 1.6146817823629393e-1},
      {"i1(0.75)", bessel_i<1>(0.75), 4.0199246158092221e-1},
      {"i1e(0.75)", bessel_ie<1>(0.75), 1.8988779330485502e-1},
      {"i1(-12.0)", bessel_i<1>(-12.0), -1.8141348781638832e+4},
      {"i1e(-12.0)", bessel_ie<1>(-12.0), -1.1146429929018098e-1},
      {"i1(45.0)", bessel_i<1>(45.0), 2.0601334620815772e+18},
      {"i1e(45.0)", bessel_ie<1>(45.0), 5.8971703136200643e-2},
      {"k1(0.0625)", bessel_k<1>(0.0625), 1.5894045582444432e+1},
      {"k1e(0.0625)", bessel_ke<1>(0.0625), 1.6919123452299979e+1},
      {"k1(1.75)", bessel_k<1>(1.75), 1.9547745347439301e-1},
      {"k1e(1.75)", bessel_ke<1>(1.75), 1.1248950768625277},
      {"k1(2.5)", bessel_k<1>(2.5), 7.3890816347747064e-2},
      {"k1e(2.5)", bessel_ke<1>(2.5), 9.0017442390787809e-1},
      {"k1(20.0)", bessel_k<1>(20.0), 5.8830579695570382e-10},
      {"k1e(20.0)", bessel_ke<1>(20.0), 2.8542549694072645e-1},
      {"k1(60.0)", bessel_k<1>(60.0), 1.4256320265171043e-27},
      {"k1e(60.0)", bessel_ke<1>(60.0), 1.6280823094404427e-1},
      {"Ai(-30.0)", airy_ai(-30.0), -8.7968188456842163e-2},
      {"Ai(-5.0)", airy_ai(-5.0), 3.5076100902411432e-1},
      {"Ai(0.5)", airy_ai(0.5), 2.3169360648083349e-1},
      {"Ai(3.5)", airy_ai(3.5), 2.5840987869896350e-3},
      {"Ai(40.0)", airy_ai(40.0), 6.3657426585529149e-75},
      {"T_11(0.3)", chebyshev_t(0.3, 11), 2.0848585727999987e-1},
      {"T_40(1.5)", chebyshev_t(1.5, 40), 2.6180698198910064e+16},
      {"U_12(-0.7)", chebyshev_u(-0.7, 12), -1.1101568983040006},
      {"H_7(1.25)", hermite_h(1.25, 7), 9.7128906250000000e+2},
      {"He_6(1.25)", hermite_he(1.25, 6), 2.2506103515625000e+1},
      {"L_9(2.5)", laguerre_l(2.5, 9), -7.5743291407455633e-1},
      {"P_15(0.4)", legendre_p(0.4, 15), -2.0882268124640079e-2},
      // clang-format on
  };
  for (auto& k : known) EXPECT_NEAR(k.got, k.want, 2e-12 * std::fabs(k.want) + 1e-300) << k.what;
}

TEST(Special, HasLimits) {
  const double inf = INFINITY;
  EXPECT_EQ(digamma(0.0), -inf);
  EXPECT_EQ(digamma(-0.0), inf);
  EXPECT_TRUE(std::isnan(digamma(-2)));
  EXPECT_EQ(zeta(1, 3), inf);
  EXPECT_EQ(zeta(2, -3), inf);
  EXPECT_TRUE(std::isnan(zeta(2.5, -1.5)) && std::isnan(zeta(0.5, 1)));
  EXPECT_EQ(igamma(0, 1, false), 1);
  EXPECT_EQ(igamma(2, 0, true), 1);
  EXPECT_EQ(igamma(2, inf, false), 1);
  EXPECT_TRUE(std::isnan(igamma(-1, 1, false)) && std::isnan(igamma(0, 0, true)));
  EXPECT_EQ(erfcx(-30), inf);
  EXPECT_EQ(ndtri(0), -inf);
  EXPECT_EQ(ndtri(1), inf);
  EXPECT_TRUE(std::isnan(ndtri(1.5)) && std::isnan(erfinv(-1.5)));
  EXPECT_EQ(erfinv(-1), -inf);
  EXPECT_EQ(bessel_ke<0>(0), inf);
  EXPECT_TRUE(std::isnan(bessel_ke<1>(-1)) && std::isnan(bessel_y0(-1)));
  EXPECT_EQ(bessel_i<1>(-800), -inf);
  EXPECT_EQ(bessel_k<0>(2000), 0);
  EXPECT_EQ(spherical_bessel_j0(inf), 0);
  EXPECT_EQ(chebyshev_t(2, -1), 0);
  EXPECT_EQ(chebyshev_u(-1, 9), -10);
  EXPECT_EQ(legendre_p(-1, 3), -1);
}

}  // namespace
}  // namespace luth::math
