// Kernels that serve a class of dtypes give what the CPU's kernels of each dtype give, also where integers wrap and
// floats leave the range: every scalar function of integers and bool, and every cast.
#include <array>
#include <limits>

#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

constexpr Dtype integers_and_bool[] = {Dtype::boolean, Dtype::u8, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64};

// Where integers of some width wrap, and counts of bits.
Tensor whole_edges(Dtype d) {
  const std::array<int64_t, 30> v{
      0,   1,   -1,   2,    -2,  3,    7,     8,      15,    16,    31,     32,    63,         64,          100,
      127, 128, -128, -129, 255, -255, 32767, -32768, 65535, 46341, -46341, 99999, 2147483647, -2147483648, 4294967296};
  Tensor t = Tensor::empty({32}, Dtype::i64, host());
  std::copy(v.begin(), v.end(), t.data<int64_t>());
  t.data<int64_t>()[30] = std::numeric_limits<int64_t>::max();
  t.data<int64_t>()[31] = std::numeric_limits<int64_t>::min();
  return copy_of(t, d);
}
Tensor real_edges(Dtype d) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::array<double, 32> v{0,     -0.0, 0.5,   -0.5,  1,     -1,    1.5,   2.5,    -3.7,  126.9, 127.5,
                                 128.5, -128, -129,  255.5, 256.5, 2049,  32768, -32769, 65504, 65519, 65520,
                                 1e-7,  6e-8, 2e-40, 3.1e9, 1e19,  -1e19, 1e30,  inf,    -inf,  0};
  Tensor t = Tensor::empty({32}, Dtype::f64, host());
  std::copy(v.begin(), v.end(), t.data<double>());
  t.data<double>()[31] = std::numeric_limits<double>::quiet_NaN();
  return copy_of(t, d);
}
Tensor edges(Dtype d) { return is_floating(d) ? real_edges(d) : whole_edges(d); }

// [32, 32] from 32 elements, along dim 0 or dim 1.
Tensor spread(const Tensor& t, int dim) {
  return copy_of(Tensor::alias(t.storage(), {32, 32}, dim ? Strides{0, 1} : Strides{1, 0}, 0, t.dtype()));
}
Tensor without_zeros(const Tensor& t) {
  Tensor out = copy_of(t, Dtype::i64);
  for (int64_t i = 0; i < out.numel(); ++i)
    if (int64_t& v = out.data<int64_t>()[i]; v == 0) v = 3;
  return copy_of(out, t.dtype());
}

Tensors run(const TestCase& c, const Inputs& in) { return apply(*c.info, c.op.get(), in); }
// The CPU refuses some dtypes, and division by 0, before any kernel runs.
bool answers(const TestCase& c, const Inputs& in) {
  try {
    run(c, in);
    return true;
  } catch (const Error&) { return false; }
}
void expect_equal(const TestCase& c, const Inputs& in, double tolerance) {
  for (Layout layout : {Layout::plain, Layout::transposed}) {
    const auto there = [&](const Tensor& t) { return moved(relaid(t, layout), gpu()); };
    EXPECT_EQ(difference(home(run(c, each_tensor(in, there))), run(c, in), tolerance, tolerance), "") << c.name;
  }
}

class Edges : public OperatorTest {
 protected:
  bool scalar() const {
    const size_t arity = size_t(op().doc.arity());
    return op().traits.elementwise && (arity == 1 || arity == 2) && op().kernels[size_t(gpu().slot())];
  }
};

TEST_P(Edges, OfIntegers) {
  if (!scalar()) GTEST_SKIP() << "not a scalar function";
  bool compared = false;
  const auto compare = [&](const TestCase& c, const Inputs& in) {
    if (!answers(c, in)) return;
    compared = true;  // closely, where the results are floats
    expect_equal(c, in, is_floating(run(c, in)[0].dtype()) ? 2e-5 : 0);
  };
  for (auto& c : cases(GetParam())) {
    for (Dtype d : integers_and_bool) {
      SCOPED_TRACE(name(d));
      Inputs in{Value(spread(edges(d), 0))};
      if (c.in.size() == 2) in.push_back(Value(spread(edges(d), 1)));
      if (c.in.size() == 2 && !answers(c, in) && d != Dtype::boolean) in[1] = without_zeros(in[1].tensor());
      compare(c, in);
      for (int64_t number : {3, -1, 300}) {
        if (c.in.size() != 2) continue;
        in[1] = Value(number);
        compare(c, in);
      }
      if (HasFailure()) return;
    }
  }
  if (!compared) GTEST_SKIP() << "not for integers";
}
INSTANTIATE_TEST_SUITE_P(Cuda, Edges, testing::ValuesIn(operator_names()), readable);

TEST(Casts, OfEdges) {
  for (int from = 0; from < dtype_count; ++from)
    for (int to = 0; to < dtype_count; ++to)
      for (Layout layout : {Layout::plain, Layout::transposed}) {
        const Tensor t = spread(edges(Dtype(from)), 0), there = moved(relaid(t, layout), gpu());
        EXPECT_EQ(difference(home(cast_to(there, Dtype(to))), cast_to(t, Dtype(to))), "")
            << name(Dtype(from)) << " to " << name(Dtype(to));
      }
}

}  // namespace
}  // namespace luth::test
