// Reductions, scans, sorting and masks on CUDA in the sizes and layouts that the samples of operators do not reach:
// each way of a kernel to share out its work, its edges, nan, and that results repeat bit for bit.
#include <cmath>
#include <functional>

#include "core/ops/index/mask.h"
#include "core/ops/index/sort.h"
#include "core/ops/reduce/order_statistics.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/view.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

// Numbers without order: multiples of 1/16 in [-8, 8), so that sums in float are exact up to large sizes; many ties.
Tensor mixed(const Shape& s, Dtype d = Dtype::f32) {
  Tensor t = Tensor::empty(s, Dtype::f64, host());
  uint64_t state = 88172645463325252u;
  for (int64_t i = 0; i < t.numel(); ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    t.data<double>()[i] = double(int64_t(state >> 40) % 256 - 128) / (is_floating(d) ? 16 : 2);
  }
  return copy_of(t, d);
}
void set(const Tensor& t, int64_t i, double v) {
  dispatch(AllTypes{}, t.dtype(), [&]<class T>(Type<T>) { t.data<T>()[i] = cast<T>(v); });
}
Tensor turned(const Tensor& t) { return transpose(t, {0, t.dim() - 1}); }

/// f on the host and on the GPU, of x in this layout, within a tolerance.
void expect_same(const Tensor& x, const std::function<Tensors(const Tensor&)>& f, double tolerance,
                 const std::string& what) {
  SCOPED_TRACE(what + " " + to_string(x.shape()) + " " + std::string(name(x.dtype())));
  const Tensors want = f(x), got = home(f(moved(x, gpu())));
  EXPECT_EQ(difference(got, want, tolerance, tolerance), "");
}
template <class Op>
Op over(std::optional<Ints> dim, bool keepdim = false) {
  Op op;
  op.dim = dim;
  op.keepdim = keepdim;
  return op;
}

/// Everything that reduces one or several dims.
void reduce_in_all_ways(const Tensor& x, std::optional<Ints> dims) {
  const double t = x.dtype() == Dtype::f64 ? 1e-12 : x.dtype() == Dtype::f16 ? 2e-3 : 1e-5;
  const std::string where = dims ? to_string(*dims) : "all dims";
  expect_same(
      x, [&](const Tensor& a) { return Tensors{sum(a, over<ops::Sum>(dims))}; }, t, "sum over " + where);
  expect_same(
      x, [&](const Tensor& a) { return Tensors{all_dims(a, over<ops::AllDims>(dims))}; }, 0, "all over " + where);
  expect_same(
      x, [&](const Tensor& a) { return Tensors{any_dims(a, over<ops::AnyDims>(dims))}; }, 0, "any over " + where);
  if (is_floating(x.dtype())) {
    expect_same(
        x, [&](const Tensor& a) { return Tensors{var(a, over<ops::Var>(dims))}; }, t, "var over " + where);
    expect_same(
        x, [&](const Tensor& a) { return Tensors{euclidean_norm(a, over<ops::EuclideanNorm>(dims))}; }, t,
        "norm over " + where);
  }
  if (x.numel() == 0) return;
  expect_same(
      x, [&](const Tensor& a) { return Tensors{amax(a, over<ops::Amax>(dims))}; }, 0, "amax over " + where);
  expect_same(
      x, [&](const Tensor& a) { return Tensors{amin(a, over<ops::Amin>(dims))}; }, 0, "amin over " + where);
  if (!dims || dims->size() != 1) return;
  expect_same(
      x,
      [&](const Tensor& a) {
        return max_dim(a, {(*dims)[0], true, 1});
      },
      0, "max over " + where);
  expect_same(
      x,
      [&](const Tensor& a) {
        return min_dim(a, {(*dims)[0], false, 0});
      },
      0, "min over " + where);
}

TEST(Reduce, RowsOfEveryLength) {
  for (int64_t n : {1, 2, 3, 31, 32, 33, 127, 255, 256, 257, 1023, 1024, 1025, 5000})
    for (int64_t rows : {1, 3, 40}) reduce_in_all_ways(mixed({rows, n}), Ints{1});
}
TEST(Reduce, ColumnsOfEveryLength) {
  for (int64_t n : {1, 2, 31, 33, 257, 1025})
    for (int64_t columns : {1, 2, 5, 31, 33, 300}) reduce_in_all_ways(mixed({n, columns}), Ints{0});
}
TEST(Reduce, FewLongResultsInTwoPasses) {
  for (int64_t n : {100000, 100003}) {
    reduce_in_all_ways(mixed({n}), {});
    reduce_in_all_ways(mixed({n}), Ints{0});
    reduce_in_all_ways(mixed({2, n}), Ints{1});
    reduce_in_all_ways(mixed({n, 3}), Ints{0});
  }
}
TEST(Reduce, ManyShortRows) {
  reduce_in_all_ways(mixed({20011, 3}), Ints{1});
  reduce_in_all_ways(mixed({3, 20011}), Ints{0});
}
TEST(Reduce, SeveralDimsInAnyLayout) {
  const Tensor x = mixed({5, 12, 7, 16});
  for (const Tensor& t : {x, turned(x), permute(x, {Ints{2, 0, 3, 1}}), relaid(x, Layout::channels_last),
                          relaid(x, Layout::narrowed), expanded(x), slice(x, {3, 1, INT64_MAX, 3})})
    for (const Ints& dims : {Ints{0, 2}, Ints{1, 3}, Ints{0, 2, 3}, Ints{1}, Ints{0, 1, 2, 3}})
      reduce_in_all_ways(t, dims);
}
TEST(Reduce, EveryDtype) {
  for (int d = 0; d < dtype_count; ++d)
    for (const Tensor& x : {mixed({7, 515}, Dtype(d)), turned(mixed({515, 7}, Dtype(d))), mixed({515, 40}, Dtype(d))})
      for (int64_t dim : {0, 1}) reduce_in_all_ways(x, Ints{dim});
}
TEST(Reduce, NothingAndNumbers) {
  reduce_in_all_ways(mixed({}), {});
  reduce_in_all_ways(mixed({0, 4}), Ints{0});
  reduce_in_all_ways(mixed({4, 0}), Ints{0});
  reduce_in_all_ways(mixed({4, 0}), {});
  expect_same(
      mixed({}), [](const Tensor& a) { return max_dim(a, {0}); }, 0, "max of a number");
}
TEST(Reduce, NanWinsAndTheFirstOfEqualOnesCounts) {
  for (int64_t n : {40, 3000, 70000}) {
    Tensor x = mixed({2, n});
    set(x, n / 2, NAN), set(x, n / 2 + 3, NAN);
    reduce_in_all_ways(x, Ints{1});
    reduce_in_all_ways(turned(x), Ints{0});
    for (int64_t i = 0; i < 2 * n; ++i) set(x, i, -INFINITY);
    expect_same(
        x, [](const Tensor& a) { return max_dim(a, {1}); }, 0, "max of -inf");
  }
}
TEST(Reduce, VarianceFarFromZero) {
  Tensor x = mixed({3, 40000});
  for (int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] += 10000;
  expect_same(
      x,
      [](const Tensor& a) {
        return Tensors{var(a, over<ops::Var>(Ints{1})), var(a, over<ops::Var>(Ints{0}))};
      },
      1e-4, "var");
}
TEST(Reduce, HalvesSumInFloat) {
  Tensor x = mixed({9000}, Dtype::f16);
  for (int64_t i = 0; i < 9000; ++i) set(x, i, 1);
  EXPECT_EQ(home(sum(moved(x, gpu()))).item().value(), 9000);  // 2048 + 1 is 2048 in half
}
TEST(Reduce, ResultsRepeatBitForBit) {
  Tensor x = mixed({3, 60000});
  for (int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] *= 1.0f / float(i % 77 + 3);
  auto run = [&] {  // the fake draws other orders of threads and blocks every time
    const Tensor a = moved(x, gpu());
    return home(Tensors{sum(a), sum(a, {{Ints{0}}}), var(a, over<ops::Var>(Ints{1})), cumsum(a, {.dim = 1})});
  };
  const Tensors first = run();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(other_bits(run(), first), "");
}

void scan_in_all_ways(const Tensor& x) {
  const double t = x.dtype() == Dtype::f64 ? 1e-12 : is_floating(x.dtype()) && size_of(x.dtype()) == 2 ? 8e-3 : 1e-5;
  for (int64_t dim = 0; dim < x.dim(); ++dim) {
    expect_same(
        x, [&](const Tensor& a) { return Tensors{cumsum(a, {.dim = dim})}; }, t, "cumsum");
    expect_same(
        x, [&](const Tensor& a) { return Tensors{cumsum(a, {.dim = dim, .backwards = true})}; }, t,
        "cumsum from the end");
    Tensor y = copy_of(x);
    for (int64_t i = 0; i < y.numel(); ++i) set(y, i, i % 5 == 0 ? -1 : i % 1000 == 7 ? 2 : 1);
    expect_same(
        y, [&](const Tensor& a) { return Tensors{cumprod(a, {.dim = dim})}; }, t, "cumprod");
  }
}
TEST(Scan, RowsAndColumnsOfEveryLength) {
  for (int64_t n : {1, 2, 17, 31, 32, 33, 127, 129, 1023, 1024, 1025, 2500})
    for (int64_t rows : {3, 150}) scan_in_all_ways(mixed({rows, n}));
}
TEST(Scan, LongOnesInChunks) {
  scan_in_all_ways(mixed({100003}));
  scan_in_all_ways(mixed({2, 100000}));
  scan_in_all_ways(mixed({2, 5000, 3}));
}
TEST(Scan, DtypesLayoutsAndNothing) {
  for (int d = 0; d < dtype_count; ++d) scan_in_all_ways(mixed({4, 70}, Dtype(d)));
  scan_in_all_ways(turned(mixed({70, 40})));
  scan_in_all_ways(mixed({0, 4}));
  expect_same(
      mixed({300}, Dtype::i64), [](const Tensor& a) { return Tensors{cumsum(a, {.dim = 0, .dtype = Dtype::i8})}; }, 0,
      "cumsum in int8");
  for (int64_t k : {-3, 0, 2})
    expect_same(
        mixed({2, 37, 50}),
        [&](const Tensor& a) {
          return Tensors{tril(a, {k}), triu(a, {k})};
        },
        0, "triangles");
}

void sort_in_all_ways(const Tensor& x) {
  for (int64_t dim = 0; dim < x.dim(); ++dim)
    for (bool down : {false, true}) {
      expect_same(
          x,
          [&](const Tensor& a) {
            return sort(a, {dim, down, true, 1});
          },
          0, down ? "sort down" : "sort");
      for (int64_t k : {int64_t(1), int64_t(5), x.shape()[dim] / 2, x.shape()[dim]})
        if (k <= x.shape()[dim] && x.dtype() != Dtype::boolean)  // topk does not take it
          expect_same(
              x,
              [&](const Tensor& a) {
                return topk(a, {k, dim, down});
              },
              0, "topk " + std::to_string(k));
    }
}
TEST(Sort, RowsOfEveryLength) {
  for (int64_t n : {1, 2, 3, 31, 32, 33, 1024, 1025, 2048, 2049, 5000}) sort_in_all_ways(mixed({3, n}));
}
TEST(Sort, ManyRowsAndLongOnes) {
  sort_in_all_ways(mixed({1030, 5}));
  sort_in_all_ways(mixed({20, 2500}));
  sort_in_all_ways(mixed({100000}));
}
TEST(Sort, DtypesLayoutsAndNothing) {
  for (int d = 0; d < dtype_count; ++d)
    for (int64_t n : {70, 2100}) sort_in_all_ways(mixed({3, n}, Dtype(d)));
  sort_in_all_ways(turned(mixed({2100, 3})));
  sort_in_all_ways(permute(mixed({3, 40, 5}), {Ints{1, 2, 0}}));
  expect_same(
      mixed({0, 4}), [](const Tensor& a) { return sort(a, {0}); }, 0, "sort of nothing");
  expect_same(
      mixed({4}), [](const Tensor& a) { return topk(a, {0}); }, 0, "topk 0");
  expect_same(
      mixed({}), [](const Tensor& a) { return sort(a); }, 0, "sort of a number");
}
TEST(Sort, NanIsTheLargestAndZerosAreEqual) {
  for (Dtype d : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16})
    for (int64_t n : {50, 3000}) {
      Tensor x = mixed({2, n}, d);
      for (int64_t i = 0; i < 2 * n; i += 7) set(x, i, i % 3 == 0 ? -0.0 : i % 3 == 1 ? NAN : INFINITY);
      sort_in_all_ways(x);
    }
}

TEST(Masks, PickReplaceAndFind) {
  for (int64_t n : {0, 1, 33, 4096, 4097, 30000}) {
    const Tensor x = mixed({n}, Dtype::f32), m = copy_of(x, Dtype::boolean);
    for (int64_t i = 0; i < n; ++i) m.data<bool>()[i] = x.data<float>()[i] > 4 || i % 1000 < 70;
    SCOPED_TRACE(n);
    for (Dtype d : {Dtype::f32, Dtype::i8, Dtype::bf16, Dtype::f64}) {
      const Tensor v = copy_of(x, d);
      const Tensor there = moved(v, gpu()), mask = moved(m, gpu());
      EXPECT_EQ(difference(home(masked_select(there, mask)), masked_select(v, m)), "");
      EXPECT_EQ(difference(home(masked_fill(there, mask, 3)), masked_fill(v, m, 3)), "");
      const Tensor source = mixed({n + 1}, d);
      EXPECT_EQ(difference(home(masked_replace(there, mask, moved(source, gpu()))), masked_replace(v, m, source)), "");
      expect_same(
          v, [](const Tensor& a) { return Tensors{nonzero(a, {.base = 1})}; }, 0, "nonzero");
    }
  }
}
TEST(Masks, AnyLayout) {
  const Tensor x = mixed({6, 50, 40}, Dtype::i16);
  for (const Tensor& t : {turned(x), permute(x, {Ints{1, 0, 2}}), expanded(x), relaid(x, Layout::narrowed)}) {
    expect_same(
        t, [](const Tensor& a) { return Tensors{nonzero(a)}; }, 0, "nonzero");
    const Tensor m = turned(copy_of(turned(t), Dtype::boolean));
    expect_same(
        t, [&](const Tensor& a) { return Tensors{masked_select(a, to_device(m, {&a.device()}))}; }, 0, "masked_select");
  }
}
TEST(Masks, OneWaitForTheCountAndNoOther) {
  const Tensor a = moved(mixed({50, 100}), gpu());
  gpu().synchronize();
  int64_t before = gpu().host_waits();
  const Tensor found = nonzero(a);
  EXPECT_EQ(gpu().host_waits() - before, 1);
  before = gpu().host_waits();
  const Tensors results{sum(a), cumsum(a, {.dim = 0}), sort(a)[0], topk(a, {3})[0], var(a)};
  EXPECT_EQ(gpu().host_waits(), before);
}

// Few long rows are sorted, many short ones share blocks.
TEST(Ranks, OfLongAndOfManyRows) {
  auto medians = [](int64_t dim) {
    return [dim](const Tensor& a) {
      ops::MedianDim m;
      ops::NanMedianDim n;
      ops::KthValue k;
      m.dim = n.dim = k.dim = dim;
      m.keepdim = n.keepdim = true;
      k.k = 3, k.base = 1;
      Tensors out = median_dim(a, m);
      for (const Tensors& more : {nanmedian_dim(a, n), kthvalue(a, k)})
        for (const Tensor& t : more) out.push_back(t);
      return out;
    };
  };
  for (Dtype d : {Dtype::f32, Dtype::i64}) {
    Tensor x = mixed({3, 65537}, d);
    expect_same(x, medians(1), 0, "long rows");
    expect_same(turned(mixed({65537, 2}, d)), medians(1), 0, "long rows, not contiguous");
    expect_same(mixed({5000, 3}, d), medians(1), 0, "many rows");
  }
  Tensor x = mixed({3, 65537});
  for (int64_t i : {7, 70000}) set(x, i, NAN);
  for (int64_t i = 0; i < 65537; ++i) set(x, 2 * 65537 + i, NAN);
  expect_same(x, medians(1), 0, "long rows with nan");
}

}  // namespace
}  // namespace luth::test
