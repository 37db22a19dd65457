// Random numbers on CUDA: those of the CPU for the same seed, whatever the layout, the size and the place in the
// stream.
#include "core/ops/random/random.h"

#include <bit>
#include <cstring>

#include "core/dispatch/generator.h"
#include "core/math/draw.h"
#include "core/ops/create/factory.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

constexpr int64_t seed = 20260117;

// Bytes of all elements, row-major.
std::string bytes_of(const Tensor& t) {
  Tensor here = home(t);
  return std::string(static_cast<const char*>(here.raw()), here.bytes());
}

// Float's order of bits as an order of integers; -0 and 0 are one.
template <class I, class U>
int64_t ordered(U bits) {
  const I v = std::bit_cast<I>(bits);
  return v >= 0 ? int64_t(v) : int64_t(std::numeric_limits<I>::min()) - int64_t(v);
}
int64_t place_of(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case Dtype::f64: return ordered<int64_t>(std::bit_cast<uint64_t>(t.data<double>()[i]));
    case Dtype::f32: return ordered<int32_t>(std::bit_cast<uint32_t>(t.data<float>()[i]));
    case Dtype::f16: return ordered<int16_t>(t.data<half>()[i].bits);
    default: return ordered<int16_t>(t.data<bfloat16>()[i].bits);
  }
}
// The largest distance of two elements, in units in the last place.
int64_t distance(const Tensor& a, const Tensor& b) {
  Tensor x = home(a), y = home(b);
  int64_t most = 0;
  for (int64_t i = 0; i < x.numel(); ++i) most = std::max(most, std::abs(place_of(x, i) - place_of(y, i)));
  return most;
}

const std::vector<Dtype> floats = {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64};
const std::vector<Dtype> all_dtypes = {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64, Dtype::i8,
                                       Dtype::u8,  Dtype::i16,  Dtype::i32, Dtype::i64, Dtype::boolean};

// What fill(t) leaves in fresh tensors of several sizes, one after the other, from the start of the stream.
template <class F>
std::vector<Tensor> stream(Device& d, Dtype dtype, F fill) {
  default_generator(d).seed(seed);
  std::vector<Tensor> out;
  for (const Shape& shape : {Shape{1}, {7}, {0}, {3, 5, 11}, {100003}, {64, 2}}) {
    Tensor t = Tensor::empty(shape, dtype, d);
    fill(t);
    out.push_back(t);
  }
  return out;
}
template <class F>
void expect_equal_streams(Dtype dtype, F fill, const char* what) {
  auto want = stream(host(), dtype, fill), got = stream(gpu(), dtype, fill);
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(bytes_of(got[i]), bytes_of(want[i])) << what << " " << name(dtype) << ", tensor " << i;
  EXPECT_EQ(default_generator(gpu()).offset(), default_generator(host()).offset()) << what << name(dtype);
}

TEST(CudaRandom, UniformNumbersAreTheCpusBitForBit) {
  for (Dtype d : floats) {
    expect_equal_streams(
        d, [](const Tensor& t) { uniform.into(t); }, "uniform");
    expect_equal_streams(
        d,
        [](const Tensor& t) {
          uniform.into(t, {{}, -3.7, 11.3});
        },
        "uniform from -3.7 to 11.3");
  }
}

TEST(CudaRandom, IntegersAndCoinsAreTheCpusBitForBit) {
  for (Dtype d : all_dtypes) {
    expect_equal_streams(
        d, [](const Tensor& t) { random_integers.into(t); }, "integers");
    expect_equal_streams(
        d,
        [](const Tensor& t) {
          bernoulli_fill.into(t, {{}, 0.3});
        },
        "coins");
    if (d == Dtype::boolean) continue;
    const int64_t from = d == Dtype::u8 ? 3 : -3;
    expect_equal_streams(
        d,
        [from](const Tensor& t) {
          random_integers.into(t, {{}, from, 7});
        },
        "integers below 7");
  }
  expect_equal_streams(
      Dtype::i64,
      [](const Tensor& t) {
        random_integers.into(t, {{}, -(int64_t(1) << 40), int64_t(1) << 41});
      },
      "wide integers");
}

TEST(CudaRandom, TransformedNumbersAreWithinFourUnitsInTheLastPlace) {
  for (Dtype d : floats) {
    auto close = [&](auto fill, const char* what) {
      auto want = stream(host(), d, fill), got = stream(gpu(), d, fill);
      for (size_t i = 0; i < want.size(); ++i) EXPECT_LE(distance(got[i], want[i]), 4) << what << " " << name(d);
    };
    close([](const Tensor& t) { normal.into(t); }, "normal");
    close([](const Tensor& t) { normal.into(t, {{}, 0, 3.3}); }, "normal of deviation 3.3");
    close([](const Tensor& t) { exponential.into(t); }, "exponential");
    close([](const Tensor& t) { exponential.into(t, {{}, 0.7}); }, "exponential of rate 0.7");
  }
}

// The functions that float's numbers are made with, against double's.
TEST(CudaRandom, LogarithmSineAndCosineAreAccurate) {
  auto units = [](float got, double want) {
    const float next = std::nextafter(std::abs(float(want)), INFINITY);
    return std::abs(double(got) - want) / (double(next) - std::abs(double(float(want))));
  };
  double log = 0, sine = 0, cosine = 0;
  for (int64_t i = 1; i < 1 << 24; i += 37) {
    const float v = float(i) * 0x1p-24f;
    float s, c;
    draw::sin_cos(v, s, c);
    log =
        std::max({log, units(draw::log(v), std::log(double(v))), units(draw::log(v * 0x1p-8f), std::log(v * 0x1p-8))});
    sine = std::max(sine, units(s, std::sin(6.283185307179586 * v)) * (std::abs(s) > 1e-3));
    cosine = std::max(cosine, units(c, std::cos(6.283185307179586 * v)) * (std::abs(c) > 1e-3));
  }
  EXPECT_LT(log, 1);
  EXPECT_LT(sine, 2);
  EXPECT_LT(cosine, 2);
  EXPECT_EQ(draw::log(1.0f), 0);
}

TEST(CudaRandom, NumbersCountInRowMajorOrderWhateverTheLayout) {
  auto fill = [](Device& d, auto change) {
    default_generator(d).seed(seed);
    Tensor whole = luth::zeros({20, 30}, Dtype::f32, d);
    change(Tensor::alias(whole.storage(), {30, 20}, {1, 30}, 0, Dtype::f32));  // transposed
    change(Tensor::alias(whole.storage(), {7, 9}, {30, 2}, 3, Dtype::f32));    // with holes
    change(Tensor::alias(whole.storage(), {13}, {1}, 5, Dtype::f32));          // not on 16 bytes
    return whole;
  };
  for (auto change : {+[](const Tensor& t) { uniform.into(t); }, +[](const Tensor& t) { bernoulli_fill.into(t); },
                      +[](const Tensor& t) {
                        random_integers.into(t, {{}, 0, 100});
                      }})
    EXPECT_EQ(bytes_of(fill(gpu(), change)), bytes_of(fill(host(), change)));
}

// Counters beyond 32 bits.
TEST(CudaRandom, FarIntoTheStream) {
  auto far = [](Device& d) {
    default_generator(d).seed(-5);
    default_generator(d).set_offset((int64_t(1) << 40) - 3);
    return rand({1001}, Dtype::f32, d);
  };
  EXPECT_EQ(bytes_of(far(gpu())), bytes_of(far(host())));
}

TEST(CudaRandom, EachDeviceHasAStreamOfItsOwnFromTheSeedOfAll) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  manual_seed(99);
  Tensor first = rand({10}, Dtype::f32, gpu(0));
  Tensor second = rand({10}, Dtype::f32, gpu(0));
  EXPECT_EQ(bytes_of(rand({10}, Dtype::f32, gpu(1))), bytes_of(first));
  EXPECT_EQ(bytes_of(rand({10}, Dtype::f32, host())), bytes_of(first));
  EXPECT_NE(bytes_of(second), bytes_of(first));
}

TEST(CudaRandom, PermutationsAreTheCpus) {
  for (Dtype d : {Dtype::i64, Dtype::i32, Dtype::f32})
    for (int64_t n : {0, 1, 2, 1000, 40000}) {
      auto permutation = [&](Device& on) {
        default_generator(on).seed(seed);
        return randperm({{}, {d, &on}, n, 1});
      };
      EXPECT_EQ(bytes_of(permutation(gpu())), bytes_of(permutation(host()))) << name(d) << " " << n;
    }
}

TEST(CudaDropout, MaskIsTheCpusAndTheGradientsToo) {
  for (Dtype d : floats)
    for (int64_t n : {1, 5003}) {
      Tensor x = Tensor::empty({n}, d, host());
      default_generator(host()).seed(1);
      normal.into(x);
      auto run = [&](Device& on, Tensor& dx) {
        default_generator(on).seed(seed);
        Tensor in = moved(x, on).set_requires_grad();
        Tensor y = dropout(in, {.p = 0.3});
        dx = grad({y}, {in}, {moved(x, on)}, {})[0];
        return y.detach();
      };
      Tensor dx, want_dx, want = run(host(), want_dx), got = run(gpu(), dx);
      EXPECT_EQ(bytes_of(got), bytes_of(want)) << name(d);
      EXPECT_EQ(bytes_of(dx), bytes_of(want_dx)) << name(d);
      EXPECT_EQ(bytes_of(dx), bytes_of(got)) << "the gradient of x . dropout(x) by dropout's input is dropout(x)";
    }
}

TEST(CudaDropout, ChannelsLastTakesTheSameMask) {
  Tensor x = luth::ones({2, 3, 4, 5});
  auto run = [&](Device& on, Layout layout) {
    default_generator(on).seed(seed);
    return dropout(moved(relaid(x, layout), on), {.p = 0.5});
  };
  const std::string want = bytes_of(run(host(), Layout::plain));
  EXPECT_EQ(bytes_of(run(gpu(), Layout::plain)), want);
  EXPECT_EQ(bytes_of(run(gpu(), Layout::channels_last)), want);
}

}  // namespace
}  // namespace luth::test
