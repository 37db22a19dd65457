// Matrix products on CUDA beyond the registry's small samples: sizes that do not fill tiles, layouts, TF32, our own
// kernel, vectors, and what is said where cuBLASLt is missing.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/backends.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/shape/view.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

// Whether cuBLASLt computes, while this lives.
class Library {
 public:
  explicit Library(bool on) { backends().blas_enabled = on; }
  ~Library() { backends().blas_enabled = true; }
};
// What the fake of it does, while this lives.
class Fake {
 public:
  explicit Fake(const char* behaviour) { setenv("LUTH_FAKE_BLAS", behaviour, 1); }
  ~Fake() { unsetenv("LUTH_FAKE_BLAS"); }
};

// Small whole numbers: exact in every dtype, and so are their products' sums here.
Tensor numbers(const Shape& shape, Dtype d, int seed) {
  Tensor t = Tensor::empty(shape, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double((i * 7 + seed * 13 + i / 11) % 5 - 2);
  return cast_to(t, d);
}

void expect_equal(const Tensor& got, const Tensor& want) {
  Tensor a = cast_to(home(got), Dtype::f64), b = cast_to(want, Dtype::f64);
  ASSERT_EQ(a.shape(), b.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  a = reshape(a, {{a.numel()}}), b = reshape(b, {{b.numel()}});
  for (int64_t i = 0; i < a.numel(); ++i) ASSERT_EQ(a.data<double>()[i], b.data<double>()[i]) << "element " << i;
}

// f() on the host's tensors and on copies on the device
template <class F>
void expect_parity(F f, const Tensor& a, const Tensor& b) {
  expect_equal(f(moved(a, gpu()), moved(b, gpu())), f(a, b));
}

const Dtype all_dtypes[] = {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64, Dtype::u8,
                            Dtype::i8,  Dtype::i16,  Dtype::i32, Dtype::i64};

void expect_products(Dtype d) {
  SCOPED_TRACE(name(d));
  for (auto [m, n, k] : {std::array<int64_t, 3>{67, 70, 35}, {1, 130, 17}, {65, 1, 16}, {3, 2, 1}}) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", m, n, k));
    const Tensor a = numbers({m, k}, d, 1), b = numbers({k, n}, d, 2);
    const Tensor at = transpose(numbers({k, m}, d, 3), {0, 1}), bt = transpose(numbers({n, k}, d, 4), {0, 1});
    for (auto& x : {a, at})
      for (auto& z : {b, bt}) expect_parity(mm, x, z);
  }
}

// Whatever the library takes of a product with bias and activation: all, the product alone, or nothing.
void expect_activations() {
  for (Dtype d : {Dtype::f32, Dtype::bf16, Dtype::f64})
    for (bool use_gelu : {false, true})
      for (const Shape& shape : {Shape{70}, {67, 1}}) {
        const Tensor a = numbers({67, 9}, d, 1), b = numbers({9, 70}, d, 2), c = numbers(shape, d, 3);
        const ops::AddmmActivation op{{1, 0.25}, use_gelu};
        const Tensor want = addmm_activation(c, a, b, op);
        const Tensor got = addmm_activation(moved(c, gpu()), moved(a, gpu()), moved(b, gpu()), op);
        // cuBLASLt's own tanh is an approximation
        const double t = d == Dtype::bf16 ? 1e-2 : LUTH_REAL_GPU && use_gelu && d == Dtype::f32 ? 1e-4 : 1e-6;
        EXPECT_EQ(difference({home(got)}, {want}, t, t), "") << name(d);
      }
}

}  // namespace

TEST(CudaProducts, AllDtypesAndTranspositions) {
  for (Dtype d : all_dtypes) expect_products(d);
}

TEST(CudaProducts, OurOwnKernelGivesTheSame) {
  Library none(false);
  for (Dtype d : all_dtypes) expect_products(d);
}

TEST(CudaProducts, BatchesOfAnyLayout) {
  for (bool on : {true, false}) {
    Library library(on);
    for (Dtype d : {Dtype::f32, Dtype::bf16, Dtype::i32}) {
      const Tensor a = numbers({3, 5, 7}, d, 1), b = numbers({3, 7, 4}, d, 2);
      expect_parity(bmm, a, b);
      expect_parity(bmm, transpose(numbers({5, 3, 7}, d, 3), {0, 1}), b);      // rows of all items lie mixed
      expect_parity(bmm, expand_to(numbers({1, 5, 7}, d, 3), {3, 5, 7}), b);   // one item for all
      expect_parity(bmm, slice(numbers({3, 5, 14}, d, 4), {2, 0, 14, 2}), b);  // every other column
      expect_parity(bmm, expand_to(numbers({3, 5, 1}, d, 5), {3, 5, 7}), b);   // one column for all
      expect_parity(bmm, transpose(numbers({7, 5, 3}, d, 6), {0, 2}), b);      // the batch is innermost
      expect_parity(bmm, a, transpose(slice(numbers({3, 4, 9}, d, 7), {2, 1, 8, 1}), {1, 2}));  // unaligned
    }
  }
}

TEST(CudaProducts, WhatIsAddedBroadcasts) {
  for (bool on : {true, false}) {
    Library library(on);
    for (Dtype d : {Dtype::f32, Dtype::f16, Dtype::i64}) {
      const Tensor a = numbers({6, 5}, d, 1), b = numbers({5, 9}, d, 2);
      for (const Shape& shape : {Shape{9}, {1, 9}, {6, 1}, {6, 9}, {1}, {}})
        for (double beta : {1.0, 2.0, 0.0}) {
          const Tensor added = numbers(shape, d, 3);
          const Tensor want = addmm(added, a, b, {{beta, 3}});
          expect_equal(addmm(moved(added, gpu()), moved(a, gpu()), moved(b, gpu()), {{beta, 3}}), want);
        }
      const Tensor every_other = slice(numbers({18}, d, 4), {0, 0, 18, 2});
      expect_equal(addmm(moved(every_other, gpu()), moved(a, gpu()), moved(b, gpu())), addmm(every_other, a, b));
    }
  }
}

TEST(CudaProducts, ActivationsInTheSamePass) { expect_activations(); }

TEST(CudaProducts, ActivationsInOurOwnKernel) {
  Library none(false);
  expect_activations();
}

TEST(CudaProducts, ActivationsInPassesOfTheirOwn) {
  Fake fake("plain");
  expect_activations();
  const Tensor x = moved(numbers({8, 5}, Dtype::f64, 1), gpu()), w = moved(numbers({3, 5}, Dtype::f64, 2), gpu());
  const Tensor bias = moved(numbers({3}, Dtype::f64, 3), gpu());
  const auto before = counted();
  const Tensor y = linear(x, w, bias);
  gpu().synchronize();
  if (before) { EXPECT_EQ(counted()->launches - before->launches, 2) << "the bias, and the library's product"; }
  expect_equal(y, linear(home(x), home(w), home(bias)));
}

TEST(CudaProducts, NoStepsOfTheSum) {
  for (Dtype d : {Dtype::f32, Dtype::i32}) {
    const Tensor a = numbers({3, 0}, d, 1), b = numbers({0, 4}, d, 1), c = numbers({4}, d, 2);
    expect_parity(mm, a, b);
    expect_equal(addmm(moved(c, gpu()), moved(a, gpu()), moved(b, gpu())), addmm(c, a, b));
  }
}

TEST(CudaProducts, Vectors) {
  for (Dtype d : all_dtypes) {
    SCOPED_TRACE(name(d));
    expect_parity(mv, numbers({5, 64}, d, 1), numbers({64}, d, 2));
    expect_parity(mv, numbers({3, 2100}, d, 1), slice(numbers({4200}, d, 2), {0, 0, 4200, 2}));
    expect_parity(mv, transpose(numbers({30, 9}, d, 1), {0, 1}), numbers({30}, d, 2));
    expect_parity(mv, slice(numbers({4, 66}, d, 1), {1, 1, 66, 1}), numbers({65}, d, 2));
    expect_parity(dot, numbers({9001}, d, 3), numbers({9001}, d, 4));
    expect_parity(dot, slice(numbers({501}, d, 3), {0, 1, 501, 1}), slice(numbers({1000}, d, 4), {0, 0, 1000, 2}));
  }
}

TEST(CudaProducts, IntegersWrap) {
  const int64_t big = int64_t(1) << 62;
  const Tensor a = Tensor::from<int64_t>({1, 2}, std::array{big, big + 1}.data());
  const Tensor b = Tensor::from<int64_t>({2, 1}, std::array<int64_t, 2>{3, -5}.data());
  expect_parity(mm, a, b);
}

TEST(CudaProducts, Tf32IsOffUnlessAskedFor) {
  const float fine = 1 + 1.0f / 4096;  // not a number of TF32
  const Tensor a = moved(Tensor::from<float>({1, 1}, &fine), gpu());
  const float one = 1;
  const Tensor b = moved(Tensor::from<float>({1, 1}, &one), gpu());
  EXPECT_EQ(float(home(mm(a, b)).item().value()), fine);
  backends().matmul_tf32 = true;
  const double rounded = home(mm(a, b)).item().value();  // a GPU may round, and need not
  EXPECT_TRUE(rounded == 1.0 || LUTH_REAL_GPU) << rounded;
  backends().matmul_tf32 = false;
  EXPECT_EQ(float(home(mm(a, b)).item().value()), fine);
}

TEST(CudaProducts, OurOwnKernelServesWhatTheLibraryDeclines) {
  Fake fake("declines");
  expect_products(Dtype::f32);
}

TEST(CudaProducts, TheLibraryGetsTheMemoryThatIsCached) {
  Fake fake("full");
  const Tensor a = moved(numbers({9, 5}, Dtype::f32, 1), gpu()), b = moved(numbers({5, 9}, Dtype::f32, 2), gpu());
  for (int i = 0; i < 2; ++i) {
    Tensor::empty({30 << 20}, Dtype::u8, gpu());  // kept, once it is freed
    const int64_t before = gpu().memory().reserved;
    const Tensor y = mm(a, b);
    expect_equal(y, mm(home(a), home(b)));
    if (!LUTH_REAL_GPU) { EXPECT_LT(gpu().memory().reserved, before); }
  }
}

TEST(CudaProducts, AMissingLibraryIsSaidOnce) {
  if (LUTH_REAL_GPU) GTEST_SKIP() << "the library is there";
  Fake none("none");
  testing::internal::CaptureStderr();
  const Tensor a = numbers({9, 5}, Dtype::f32, 1), b = numbers({5, 9}, Dtype::f32, 2);
  for (int i = 0; i < 3; ++i) expect_parity(mm, a, b);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cuBLASLt is missing"), std::string::npos) << said;
  EXPECT_EQ(said.find("cuBLASLt is missing"), said.rfind("cuBLASLt is missing"));
}

TEST(CudaProducts, NothingWaits) {
  const Tensor x = moved(numbers({8, 5}, Dtype::f32, 1), gpu()), w = moved(numbers({3, 5}, Dtype::f32, 2), gpu());
  const Tensor bias = moved(numbers({3}, Dtype::f32, 3), gpu());
  const int64_t before = gpu().host_waits();
  const Tensor y = linear(x, w, bias);
  EXPECT_EQ(gpu().host_waits(), before);
  expect_equal(y, linear(home(x), home(w), home(bias)));
}

}  // namespace luth::test
