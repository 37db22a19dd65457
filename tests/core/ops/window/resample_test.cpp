// Maps along dims beyond the goldens: memory formats, long runs, short ones with holes, dims in the middle.
#include "core/ops/window/resample.h"

#include <gtest/gtest.h>

#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/interpolate.h"
#include "core/ops/window/pad.h"

namespace luth::test {
namespace {

Tensor numbers(const Shape& shape) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float((i * 29 + i / 11) % 61) / 4 - 7;
  return t;
}
Tensor last(const Tensor& t) { return contiguous(t, {MemoryFormat::channels_last}); }

// What the matrices say, element by element; only the last two dims are mapped.
Tensor plainly(const Tensor& x, const ops::Resample& op) {
  const ops::AxisMap rows = op.map(0), columns = op.map(1);
  Tensor y = Tensor::empty({x.shape()[0], x.shape()[1], rows.to, columns.to}, Dtype::f32, host());
  float* out = y.data<float>();
  for (int64_t p = 0; p < x.shape()[0] * x.shape()[1]; ++p)
    for (size_t i = 0; i < size_t(rows.to); ++i)
      for (size_t j = 0; j < size_t(columns.to); ++j) {
        double sum = 0;
        bool any = false;
        for (int k = rows.start[i]; k < rows.start[i + 1]; ++k)
          for (int l = columns.start[j]; l < columns.start[j + 1]; ++l, any = true)
            sum += rows.weight[size_t(k)] * columns.weight[size_t(l)] *
                   x.data<float>()[(p * rows.from + rows.index[size_t(k)]) * columns.from + columns.index[size_t(l)]];
        *out++ = any ? float(sum) : float(op.value.value());
      }
  return y;
}
double distance(const Tensor& a, const Tensor& b) {
  const Tensor x = contiguous(a), y = contiguous(b);
  if (!(x.shape() == y.shape())) return 1e9;
  double d = 0;
  for (int64_t i = 0; i < x.numel(); ++i) d = std::max(d, double(std::abs(x.data<float>()[i] - y.data<float>()[i])));
  return d;
}

ops::Resample op_of(const char* kind, Ints from, Ints to) {
  ops::Resample op;
  op.kind = kind, op.dim = 2, op.from = from, op.to = to;
  for (int d = 0; d < 2; ++d) op.scale.push_back(double(from[d]) / double(to[d]));
  return op;
}

TEST(Resample, AgreesWithItsMatricesInBothFormats) {
  const Tensor x = numbers({2, 3, 14, 40});
  ops::Resample padded = op_of("constant", {14, 40}, {17, 60}), cut = padded,
                windows = op_of("windows", {14, 40}, {24, 60});
  padded.padding = {2, 11}, padded.value = 1.5;
  cut.to = {9, 31}, cut.padding = {-3, -9};
  windows.kernel = {2, 3}, windows.stride = {1, 2}, windows.padding = {0, 1}, windows.dilation = {3, 1};
  ops::Resample smooth = op_of("linear", {14, 40}, {31, 17});
  smooth.antialias = true;
  for (const ops::Resample& op :
       {padded, cut, windows, smooth, op_of("nearest", {14, 40}, {28, 80}), op_of("linear", {14, 40}, {27, 90}),
        op_of("cubic", {14, 40}, {9, 41}), op_of("area", {14, 40}, {5, 7})}) {
    SCOPED_TRACE(op.kind);
    const Tensor want = plainly(x, op), got = resample(x, op), other = resample(last(x), op);
    EXPECT_LE(distance(got, want), 1e-5);
    EXPECT_TRUE(other.is_channels_last());
    EXPECT_LE(distance(other, want), 1e-5);
    ops::Resample back = op;
    back.transposed = true, back.value = 0;
    EXPECT_LE(distance(resample(got, back), plainly(got, back)), 1e-4);
    EXPECT_LE(distance(resample(last(got), back), plainly(got, back)), 1e-4);
  }
}

TEST(Resample, DimsInTheMiddleAreThoseOfATransposedInput) {
  const Tensor x = numbers({3, 7, 9});
  const Tensor a = pad(x, {{0, 0, 2, 3}, "constant", Scalar(4)});
  const Tensor b = transpose(pad(contiguous(transpose(x, {1, 2})), {{2, 3}, "constant", Scalar(4)}), {1, 2});
  EXPECT_EQ(distance(a, b), 0);
}

// Cut off to the last element, which is then repeated; more around than there is inside.
TEST(Resample, PaddingAtItsEnds) {
  const Tensor x = numbers({1, 2, 4});
  const float* in = x.data<float>();
  const Tensor last = pad(x, {{-4, 3}, "replicate", {}}), cut = pad(x, {{-4, 3}, "constant", Scalar(2)}),
               mirrored = pad(x, {{3, 3}, "reflect", {}}), around = pad(x, {{4, 4}, "circular", {}});
  for (int64_t r = 0; r < 2; ++r) {
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(last.data<float>()[r * 3 + i], in[r * 4 + 3]);
      EXPECT_EQ(cut.data<float>()[r * 3 + i], 2);
    }
    const int mirror[] = {3, 2, 1, 0, 1, 2, 3, 2, 1, 0};
    for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(mirrored.data<float>()[r * 10 + i], in[r * 4 + mirror[i]]);
    for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(around.data<float>()[r * 12 + i], in[r * 4 + i % 4]);
  }
}

}  // namespace
}  // namespace luth::test
