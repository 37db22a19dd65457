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
template <class Op>
Tensor plainly(const Tensor& x, const Op& op, double outside = 0) {
  const ops::AxisMap rows = op.dims.transposed ? op.map(0).transposed() : op.map(0),
                     columns = op.dims.transposed ? op.map(1).transposed() : op.map(1);
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
        *out++ = any ? float(sum) : float(outside);
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

template <class Op>
void expect_mapped(Op op, double outside = 0) {
  const Tensor x = numbers({2, 3, 14, 40}), want = plainly(x, op, outside), got = Fn<Op>()(x, op),
               other = Fn<Op>()(last(x), op);
  EXPECT_LE(distance(got, want), 1e-5);
  EXPECT_TRUE(other.is_channels_last());
  EXPECT_LE(distance(other, want), 1e-5);
  op.dims.transposed = true;
  EXPECT_LE(distance(Fn<Op>()(got, op), plainly(got, op)), 1e-4);
  EXPECT_LE(distance(Fn<Op>()(last(got), op), plainly(got, op)), 1e-4);
}
ops::InterpolateNd to(Ints extents, ops::Filter filter) {
  return {{2, {14, 40}, extents}, filter, {14 / double(extents[0]), 40 / double(extents[1])}};
}

TEST(Resample, AgreesWithItsMatricesInBothFormats) {
  using ops::Border;
  expect_mapped(ops::PadNd{{2, {14, 40}, {17, 60}}, {2, 11}, Border::constant, 1.5}, 1.5);
  expect_mapped(ops::PadNd{{2, {14, 40}, {9, 31}}, {-3, -9}});
  for (Border b : {Border::reflect, Border::replicate, Border::circular})
    expect_mapped(ops::PadNd{{2, {14, 40}, {17, 49}}, {4, -2}, b});
  expect_mapped(ops::UnfoldNd{{2, {14, 40}, {24, 60}}, {2, 3}, {1, 2}, {0, 1}, {3, 1}});
  expect_mapped(to({28, 80}, ops::Filter::nearest));
  expect_mapped(to({27, 90}, ops::Filter::linear));
  expect_mapped(to({9, 41}, ops::Filter::cubic));
  ops::InterpolateNd smooth = to({31, 17}, ops::Filter::linear);
  smooth.antialias = true;
  expect_mapped(smooth);
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
