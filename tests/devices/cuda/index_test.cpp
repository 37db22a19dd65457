// Indices on CUDA: what is told of those that are out of range, and when; sizes, runs of equal positions and layouts
// that the registry's samples do not reach.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/error_context.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/nn/embedding.h"
#include "core/ops/nn/loss.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

Tensor positions(const Shape& s, std::initializer_list<int64_t> v) { return Tensor::from(s, v.begin()); }

// Small whole numbers: their sums are exact in every order, and in every float dtype here.
Tensor numbers(const Shape& s, Dtype d = Dtype::f32) {
  Tensor t = Tensor::empty(s, Dtype::i64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<int64_t>()[i] = (i * 7 + i / 5) % 3 - 1;
  return cast_to(t, d);
}
// Positions below n, most of them among the first few: long runs beside short ones.
Tensor crowded(const Shape& s, int64_t n) {
  Tensor t = Tensor::empty(s, Dtype::i64, host());
  uint64_t state = 12345;
  for (int64_t i = 0; i < t.numel(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto r = int64_t(state >> 33);
    t.data<int64_t>()[i] = i % 3 ? r % std::min<int64_t>(n, 3) : r % n;
  }
  return t;
}

void expect_equal(const Tensor& got, const Tensor& want) {
  Tensor a = home(got), b = home(want);
  ASSERT_EQ(a.shape(), b.shape());
  ASSERT_EQ(a.dtype(), b.dtype());
  a = cast_to(reshape(a, {{a.numel()}}), Dtype::f64), b = cast_to(reshape(b, {{b.numel()}}), Dtype::f64);
  for (int64_t i = 0; i < a.numel(); ++i) ASSERT_EQ(a.data<double>()[i], b.data<double>()[i]) << "element " << i;
}

// f(tensors) on the host and on the device
template <class F, class... T>
void expect_parity(F f, const T&... t) {
  expect_equal(f(moved(t, gpu())...), f(t...));
}

std::string text_of(auto&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "";
}

// f(device) uses an index that is out of range. On the host it throws at once; on the device the next wait does, with
// the same text but for the inputs, and what follows works.
void expect_report(void (*f)(Device&)) {
  const std::string now = text_of([&] { f(host()); });
  ASSERT_NE(now, "");
  EXPECT_EQ(text_of([&] { f(gpu()); }), "");
  const std::string later = text_of([&] { gpu().synchronize(); });
  EXPECT_EQ(later, now.substr(0, now.find('(')) + now.substr(now.find(": ")));
  EXPECT_EQ(text_of([&] { gpu().synchronize(); }), "") << "raised once";
  expect_parity([](auto x, auto i) { return index_select(x, i); }, numbers({4, 3}), positions({2}, {3, 1}));
}

Tensor on(Device& d, const Tensor& t) { return to_device(t, {&d}); }

}  // namespace

// ---- reports --------------------------------------------------------------------------------------------------------

TEST(CudaIndex, EveryOperatorReports) {
  expect_report([](Device& d) { index_select(on(d, numbers({3, 4})), on(d, positions({2}, {0, 3}))); });
  expect_report([](Device& d) { index_select(on(d, numbers({3, 4})), on(d, positions({2}, {0, -1})), {.dim = 1}); });
  expect_report([](Device& d) { index_select(on(d, numbers({3, 4})), on(d, positions({2}, {1, 0})), {.base = 1}); });
  expect_report([](Device& d) { index_select(on(d, numbers({0, 4})), on(d, positions({1}, {7}))); });
  expect_report([](Device& d) {
    index_add(on(d, numbers({3, 4})), on(d, positions({2}, {1, 5})), on(d, numbers({2, 4})));
  });
  expect_report([](Device& d) {
    index_copy(on(d, numbers({3, 4})), on(d, positions({2}, {1, 5})), on(d, numbers({2, 4})));
  });
  expect_report([](Device& d) { index_fill(on(d, numbers({3, 4})), on(d, positions({2}, {1, 4})), 2); });
  expect_report([](Device& d) { take(on(d, numbers({3, 4})), on(d, positions({2, 2}, {0, 1, -12, -13}))); });
  expect_report([](Device& d) { put(on(d, numbers({3, 4})), on(d, positions({2}, {0, 12})), on(d, numbers({2}))); });
  expect_report([](Device& d) { gather(on(d, numbers({3, 4})), on(d, positions({2, 1}, {0, 9})), {.dim = 1}); });
  expect_report([](Device& d) {
    scatter(on(d, numbers({3, 4})), on(d, positions({1, 2}, {0, 3})), on(d, numbers({1, 2})));
  });
  expect_report([](Device& d) {
    scatter_add(on(d, numbers({3, 4})), on(d, positions({1, 2}, {-1, 2})), on(d, numbers({1, 2})));
  });
  expect_report([](Device& d) { scatter_value(on(d, numbers({3, 4})), on(d, positions({1, 2}, {0, 3})), 1); });
  expect_report([](Device& d) { embedding(on(d, positions({2, 1}, {0, 5})), on(d, numbers({5, 4})), {{}, 0}); });
  expect_report([](Device& d) {
    binary_cross_entropy(on(d, mul(positions({2}, {1, 3}), 1.0)), on(d, mul(positions({2}, {0, 1}), 1.0)), Value());
  });
  expect_report([](Device& d) { one_hot(on(d, positions({2}, {0, 5})), {.num_classes = 5}); });
  expect_report([](Device& d) {
    const Value at[] = {on(d, positions({2}, {0, 1})), on(d, positions({2}, {-4, -5}))};
    ops::Index op;
    apply(info<ops::Index>(), &op, {on(d, numbers({3, 4})), at[0], at[1]});
  });
  expect_report([](Device& d) {
    ops::IndexPut op;
    op.accumulate = true;
    apply(info<ops::IndexPut>(), &op, {on(d, numbers({3, 4})), 1, on(d, positions({2}, {0, 3}))});
  });
}

TEST(CudaIndex, MaskThatWantsMoreThanThereIsIsReported) {
  const Tensor mask = gt(moved(numbers({40}, Dtype::f32), gpu()), -2);
  masked_scatter(moved(numbers({40}), gpu()), mask, moved(numbers({39}), gpu()));
  EXPECT_EQ(text_of([] { gpu().synchronize(); }).substr(0, 16), "masked_scatter: ");
  EXPECT_EQ(text_of([] { gpu().synchronize(); }), "");
}

TEST(CudaIndex, EveryWaitRaises) {
  auto fail = [] { index_select(moved(numbers({3, 4}), gpu()), moved(positions({1}, {3}), gpu())); };
  const std::string text = "index_select: index holds 3 at position 0; it must be from 0 to 2";
  const Tensor one = moved(numbers({1}), gpu());
  fail();
  EXPECT_EQ(text_of([&] { one.item(); }), text);
  fail();
  EXPECT_EQ(text_of([&] { home(one); }), text);
  fail();
  EXPECT_EQ(text_of([&] { gpu().current_stream()->synchronize(); }), text);
  fail();
  auto event = gpu().new_event(false);
  event->record(*gpu().current_stream());
  EXPECT_EQ(text_of([&] { event->synchronize(); }), text);
  EXPECT_EQ(text_of([&] { gpu().synchronize(); }), "");
}

TEST(CudaIndex, FirstOfTwoIsTold) {
  const Tensor x = moved(numbers({3, 4}), gpu());
  take(x, moved(positions({1}, {40}), gpu()));
  index_select(x, moved(positions({1}, {3}), gpu()));
  EXPECT_EQ(text_of([] { gpu().synchronize(); }),
            "take: index holds 40 at position 0; it must be from 0 to 11, or from -12 to -1 to count from the end");
  EXPECT_EQ(text_of([] { gpu().synchronize(); }), "");
}

TEST(CudaIndex, ReportNamesTheScriptsLine) {
  set_script_line_hook([] { return std::string("train.lua:12"); });
  gather(moved(numbers({3, 4}), gpu()), moved(positions({1, 1}, {3}), gpu()));
  set_script_line_hook(nullptr);
  const Tensor x = moved(numbers({3, 4}), gpu()), at = moved(positions({1}, {2}), gpu());
  for (int i = 0; i < 5000; ++i) index_select(x, at);  // more launches than are remembered
  EXPECT_EQ(text_of([] { gpu().synchronize(); }),
            "gather: index holds 3 at position [0, 0]; it must be from 0 to 2 (train.lua:12)");
}

TEST(CudaIndex, OtherDevicesDoNotRaise) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  index_select(moved(numbers({3, 4}), gpu(1)), moved(positions({1}, {3}), gpu(1)));
  EXPECT_EQ(text_of([] { gpu(0).synchronize(); }), "");
  EXPECT_NE(text_of([] { gpu(1).synchronize(); }), "");
}

TEST(CudaIndexDeathTest, SyncMakesErrorsExact) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto body = [] {
    setenv("LUTH_CUDA_SYNC", "1", 1);
    const Tensor x = moved(numbers({3, 4}), gpu()), at = moved(positions({1}, {3}), gpu());
    const std::string text = text_of([&] { index_select(x, at); });
    const bool told = text ==
                      "index_select(cuda:0 float32[3, 4], cuda:0 int64[1]): index holds 3 at position 0; it "
                      "must be from 0 to 2";
    fprintf(stderr, "%s\n", text.c_str());
    gpu().synchronize();
    _exit(told ? 0 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

// ---- sizes
// ------------------------------------------------------------------------------------------------------------

TEST(CudaIndex, RowsOfAllWidths) {
  for (int64_t n : {1, 3, 4, 16, 33, 300})
    for (Dtype d : {Dtype::u8, Dtype::f16, Dtype::f32, Dtype::f64}) {
      const Tensor x = numbers({50, n}, d), at = crowded({77}, 50);
      expect_parity([](auto x, auto i) { return index_select(x, i); }, x, at);
      expect_parity([](auto x, auto i) { return index_select(transpose(x, {0, 1}), i, {.dim = 1}); }, x, at);
      expect_parity([](auto x, auto i) { return embedding(i, x); }, x, at);
      expect_parity([](auto x, auto i) { return embedding(i, narrow(x, {1, 0, 1})); }, x, at);
    }
}

TEST(CudaIndex, IndicesOfEveryDtype) {
  for (Dtype d : {Dtype::u8, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64})
    expect_parity([](auto x, auto i) { return index_select(x, i); }, numbers({50, 3}), cast_to(crowded({70}, 50), d));
}

// Few and many rows (counting and radix sort), few and many columns, runs within and across chunks.
TEST(CudaIndex, SumsOfManyRows) {
  for (auto [rows, columns, places] : {std::array<int64_t, 3>{5000, 1, 7}, {5000, 40, 300}, {700, 5, 100000}}) {
    SCOPED_TRACE(fmt::format("{} rows of {} to {}", rows, columns, places));
    const Tensor x = numbers({places, columns}, Dtype::i32), at = crowded({rows}, places);
    for (Dtype d : {Dtype::f32, Dtype::i32})
      expect_parity([](auto x, auto i, auto s) { return index_add(x, i, s, {.alpha = 2}); }, cast_to(x, d), at,
                    numbers({rows, columns}, d));
    expect_parity([](auto x, auto i, auto s) { return index_copy(x, i, s); }, x, at,
                  numbers({rows, columns}, Dtype::i32));
    expect_parity(
        [p = places](auto g, auto i) {
          return embedding_backward(g, i, {p, {.padding_idx = 1}});
        },
        numbers({rows, columns}, Dtype::f64), at);
  }
}

TEST(CudaIndex, ScatteringManyElements) {
  const Tensor x = numbers({70, 90}, Dtype::f64), at = crowded({60, 90}, 70), src = numbers({66, 95}, Dtype::f64);
  expect_parity([](auto x, auto i) { return gather(x, i); }, x, at);
  expect_parity([](auto x, auto i, auto s) { return scatter(x, i, s); }, x, at, src);
  expect_parity([](auto x, auto i, auto s) { return scatter_add(x, i, s); }, x, at, src);
  expect_parity([](auto x, auto i, auto s) { return scatter(x, i, s, {.reduce = "multiply"}); }, x, at, src);
  expect_parity([](auto x, auto i) { return scatter_value(x, i, 3); }, x, at);
  expect_parity([](auto x, auto i, auto s) { return scatter(x, i, s); }, numbers({300, 400}), crowded({20, 300}, 250),
                numbers({20, 300}));
}

TEST(CudaIndex, FlatPositions) {
  const Tensor x = numbers({300, 500}, Dtype::i64), at = crowded({90, 60}, 300 * 500),
               s = numbers({90, 60}, Dtype::i64);
  expect_parity([](auto x, auto i) { return take(x, i); }, x, at);
  expect_parity([](auto x, auto i, auto s) { return put(x, i, s, {true}); }, x, at, s);
  expect_parity([](auto x, auto i, auto s) { return put(x, i, s); }, x, at, s);
  expect_parity([](auto x, auto i, auto s) { return put(transpose(x, {0, 1}), i, s); }, x, at, s);
}

TEST(CudaIndex, SeveralIndices) {
  const Tensor x = numbers({6, 70, 5, 80}, Dtype::f32), a = crowded({40, 1}, 70), b = crowded({13}, 5);
  auto pick = [](auto x, auto a, auto b) {
    ops::Index op;
    return apply(info<ops::Index>(), &op, {x, Value(), a, b})[0];
  };
  auto put_in = [](bool accumulate) {
    return [accumulate](auto x, auto a, auto b, auto v) {
      ops::IndexPut op;
      op.accumulate = accumulate;
      return apply(info<ops::IndexPut>(), &op, {x, v, Value(), a, b})[0];
    };
  };
  expect_parity(pick, x, a, b);
  for (bool accumulate : {false, true}) {
    expect_parity(put_in(accumulate), x, a, b, numbers({6, 40, 13, 80}));
    expect_parity(put_in(accumulate), x, a, b, numbers({13, 1}));
  }
}

TEST(CudaIndex, MasksOverSeveralTiles) {
  const Tensor x = numbers({130, 97}, Dtype::i32), src = numbers({130 * 97}, Dtype::i32);
  auto replace = [](auto x, auto s) { return masked_scatter(x, gt(x, 0), s); };
  expect_parity(replace, x, src);
  expect_parity([&](auto x, auto s) { return replace(transpose(x, {0, 1}), s); }, x, src);
  for (Dtype d : {Dtype::boolean, Dtype::u8, Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64})
    expect_parity([](auto x, auto m) { return masked_fill(x, gt(m, 0), 1); }, cast_to(x, d), x);
}

TEST(CudaIndex, JoiningManyOfOddSizes) {
  for (int64_t dim : {0, 1}) {
    Tensors parts, there;
    for (int64_t k = 0; k < 40; ++k) {
      parts.push_back(dim ? numbers({9, k % 7}, Dtype::u8) : numbers({k % 5, 13}, Dtype::u8));
      there.push_back(moved(parts.back(), gpu()));
    }
    expect_equal(cat(there, {dim}), cat(parts, {dim}));
  }
  expect_parity(
      [](auto a, auto b) {
        return cat({a, transpose(b, {0, 1})}, {1});
      },
      numbers({300, 64}), numbers({128, 300}));
}

TEST(CudaIndex, SequencesInEveryDtype) {
  for (int k = 1; k < dtype_count; ++k) {
    auto f = [&](Device& d) { return arange({{}, {Dtype(k), &d}, 3, 100, 1}); };
    expect_equal(f(gpu()), f(host()));
  }
  auto f = [&](Device& d) { return linspace({{}, {Dtype::f32, &d}, -1, 1, 2049}); };
  expect_equal(f(gpu()), f(host()));
}

// Sums of floats depend on their order: it must not depend on that of threads and blocks.
TEST(CudaIndex, SumsAreTheSameEveryTime) {
  Tensor src = Tensor::empty({6000, 3}, Dtype::f32, host());
  for (int64_t i = 0; i < src.numel(); ++i) src.data<float>()[i] = std::sin(float(i)) * std::exp(float(i % 19));
  const Tensor x = moved(numbers({50, 3}), gpu()), at = moved(crowded({6000}, 50), gpu()), s = moved(src, gpu());
  reorder(1);
  const Tensor first = index_add(x, at, s);
  for (uint64_t seed : {2, 3, 4}) {
    reorder(seed);
    expect_equal(index_add(x, at, s), first);
  }
}

}  // namespace luth::test
