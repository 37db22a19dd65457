// Graphs: hooks of nodes, anomaly mode, lines of errors, computing again, memory of nodes.
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "core/autograd/call_node.h"
#include "core/device/device.h"
#include "core/dispatch/recompute.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/tensor/source_mark.h"
#include "tests/core/autograd/helpers.h"

namespace luth {
namespace {

TEST(NodeHooks, SeeAndReplaceGradients) {
  Tensor x = leaf({1, 2}), y = mul(x, 3);
  Tensors seen_dy, seen_dx;
  int64_t before = register_node_hook(
      *y.grad_fn(), [](const Tensors&, const Tensors& dys) { return Tensors{add(dys[0], 1)}; }, true);
  int64_t after = register_node_hook(
      *y.grad_fn(),
      [&](const Tensors& dxs, const Tensors& dys) {
        seen_dx = dxs, seen_dy = dys;
        return Tensors{mul(dxs[0], 10), Tensor()};
      },
      false);
  sum(y).backward({}, true);
  EXPECT_EQ(list(seen_dy[0]), (Doubles{2, 2}));
  EXPECT_EQ(list(seen_dx[0]), (Doubles{6, 6}));
  EXPECT_EQ(list(x.grad()), (Doubles{60, 60}));
  remove_hook(*y.grad_fn(), before);
  remove_hook(*y.grad_fn(), after);
  sum(y).backward();
  EXPECT_EQ(list(x.grad()), (Doubles{63, 63}));
}

TEST(NodeHooks, GoWithTheirNode) {
  Tensor x = leaf({1, 2}), y = exp(x);
  auto held = std::make_shared<int>();
  register_node_hook(
      *y.grad_fn(), [held](const Tensors&, const Tensors&) { return Tensors(); }, true);
  EXPECT_EQ(held.use_count(), 2);
  sum(y).backward();
  EXPECT_EQ(held.use_count(), 1);  // it cannot run again
}

TEST(NodeHooks, MustReturnAsManyGradients) {
  Tensor x = leaf({1, 2}), y = exp(x);
  register_node_hook(
      *y.grad_fn(),
      [](const Tensors&, const Tensors& dys) {
        return Tensors{dys[0], dys[0]};
      },
      true);
  EXPECT_TRUE(says(error_of([&] { sum(y).backward(); }), "returned 2 gradients, expected 1"));
}

TEST(Anomaly, FindsNanOnlyWhileItIsOn) {
  Tensor x = leaf({0, 4});
  auto run = [&] {
    Tensor y = sqrt(mul(x, 0));
    sum(mul(y, 0)).backward();
  };
  EXPECT_EQ(error_of(run), "");
  AnomalyMode before = set_anomaly_mode({true, true});
  EXPECT_FALSE(before.on);
  std::string text = error_of(run);
  EXPECT_TRUE(says(text, "SqrtBackward0")) << text;
  EXPECT_TRUE(says(text, "nan")) << text;
  set_anomaly_mode({true, false});
  EXPECT_EQ(error_of(run), "");
  set_anomaly_mode(before);
}

uint32_t current_line = 0;
uint32_t mark_current() { return current_line; }
std::string line_text(uint32_t mark) { return "train.lua:" + std::to_string(mark); }

TEST(Sites, ErrorsNameBothLines) {
  set_source_mark_hooks(mark_current, line_text);
  Tensor x = leaf({1, 2});
  current_line = 7;
  Tensor y = exp(x);
  current_line = 8;
  Tensor z = sum(y);
  current_line = 9;
  add.into(y, 1);
  current_line = 10;
  std::string text = error_of([&] { z.backward(); });
  EXPECT_TRUE(says(text, "ExpBackward0 at train.lua:7")) << text;
  EXPECT_TRUE(says(text, "by add_ at train.lua:9")) << text;
  set_source_mark_hooks(nullptr, nullptr);
  Tensor a = exp(x);
  Tensor b = sum(a);
  add.into(a, 1);
  text = error_of([&] { b.backward(); });
  EXPECT_TRUE(says(text, "by add_;")) << text;
}

TEST(Recompute, GivesTheSameGradientsAndKeepsNoValues) {
  Tensor w = leaf({0.5, 2}), x = leaf({1, 3});
  auto work = [&](const Tensor& v) { return mul(exp(mul(v, w)), exp(v)); };
  Tensors want = grad({sum(work(x))}, {x, w}, {}, {});
  int runs = 0;
  Tensor y;
  {
    auto again = [&] { ++runs, work(x); };
    auto checkpoint = make<Recompute>(again, true);
    Recompute::First first(checkpoint);
    y = work(x);
  }
  EXPECT_EQ(packer(), nullptr);
  EXPECT_EQ(runs, 0);
  Tensors got = grad({sum(y)}, {x, w}, {}, {.retain_graph = true});
  EXPECT_EQ(runs, 1);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(list(got[i]), list(want[i]));
  grad({sum(y)}, {x, w}, {}, {});
  EXPECT_EQ(runs, 1);  // a retained graph has them now
}

TEST(Recompute, RefusesOtherWork) {
  Tensor x = leaf({1, 3});
  Tensor y;
  {
    auto checkpoint = make<Recompute>([&] { exp(mul(x, x)), exp(x), exp(mul(x, x)); }, true);
    Recompute::First first(checkpoint);
    y = exp(mul(x, x));
  }
  EXPECT_TRUE(says(error_of([&] { sum(y).backward(); }), "more values"));
  EXPECT_EQ(packer(), nullptr);
  EXPECT_TRUE(grad_enabled());
}

TEST(Grad, FillsInZeros) {
  Tensor x = leaf({1, 2}), y = leaf({3});
  Tensors g = grad({sum(x)}, {x, y}, {}, {.allow_unused = true, .materialize = true});
  EXPECT_EQ(list(g[1]), Doubles{0});
}

// Nodes are made on one thread and die on others, many more than a thread keeps at hand.
TEST(NodeMemory, GraphsDieOnOtherThreads) {
  constexpr int n = 20000;
  Tensor x = leaf({1});
  for (int round = 0; round < 3; ++round) {
    Tensor y = x;
    std::thread([&] {
      for (int i = 0; i < n; ++i) y = add(y, 1);
    }).join();
    Tensor z = y;
    for (int i = 0; i < n; ++i) z = add(z, 1);
    std::thread([y = std::move(y)]() mutable { y = {}; }).join();
    if (round == 1) sum(z).backward();
    std::thread([z = std::move(z)]() mutable { z = {}; }).join();
  }
  EXPECT_EQ(list(x.grad()), Doubles{1});
}

// On threads of their own, which give the places back at their ends. Of those of the first, every other one stays: the
// second gets the ones between.
TEST(NodeMemory, PlacesAreApart) {
  constexpr size_t bytes = sizeof(CallNode), n = 10000;
  std::vector<char*> places(n);
  auto take = [&](size_t i) {
    places[i] = static_cast<char*>(allocate_node(bytes));
    std::fill_n(places[i], bytes, char(i % 127));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(places[i]) % 16, 0u);
  };
  std::thread([&] {
    for (size_t i = 0; i < n; ++i) take(i);
    for (size_t i = 0; i < n; i += 2) free_node(places[i]);
  }).join();
  std::thread([&] {
    for (size_t i = 0; i < n; i += 2) take(i);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(places[i][0], char(i % 127));
      EXPECT_EQ(places[i][bytes - 1], char(i % 127));
      free_node(places[i]);
    }
  }).join();
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  file >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// One node in 20000 stays: what lies around it is used again.
TEST(NodeMemory, FewThatStayPinLittle) {
  std::vector<void*> kept, some(20000);
  auto round = [&] {
    for (auto& p : some) std::memset(p = allocate_node(sizeof(CallNode)), 1, sizeof(CallNode));
    for (size_t i = 0; i < some.size(); ++i) i == 9999 ? kept.push_back(some[i]) : free_node(some[i]);
  };
  for (int i = 0; i < 10; ++i) round();
  const int64_t before = resident_bytes();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_LT(resident_bytes() - before, 32 << 20);
  for (void* p : kept) free_node(p);
}

// Without memory for more, what the pressure hook lets go is taken, and then std::bad_alloc says so.
TEST(NodeMemory, RelievesPressure) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer needs address space";
#endif
  static std::vector<void*> held;
  static int calls = 0;
  auto run = [] {
    set_memory_pressure_hook([] {
      ++calls;
      for (void* p : held) free_node(p);
      held.clear();
    });
    for (int i = 0; i < 100000; ++i) held.push_back(allocate_node(sizeof(CallNode)));
    const rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &none);
    while (!calls) allocate_node(sizeof(CallNode));
    for (int i = 0; i < 10000; ++i) allocate_node(sizeof(CallNode));
    const bool relieved = calls == 1;
    bool thrown = false;
    try {
      for (;;) allocate_node(sizeof(CallNode));
    } catch (const std::bad_alloc&) { thrown = true; }
    std::_Exit(relieved && thrown ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace luth
