// Every operator on CUDA gives what it gives on the CPU: values, shapes, dtypes, errors and gradients, for every layout
// of its inputs and every dtype. The samples are the registry's own.

#include <cmath>
#include <iostream>
#include <map>

#include "core/base/backends.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

struct Answer {
  Tensors results, gradients;  // on the host
  std::string error;
};

// Kernels sum in other orders than the CPU's.
double tolerance(Dtype d) {
  switch (d) {
    case Dtype::f16: return 4e-3;
    case Dtype::bf16: return 3e-2;
    case Dtype::f32: return 2e-5;
    default: return 1e-11;
  }
}
double tolerance(const Tensors& all) {
  double most = tolerance(Dtype::f64);
  for (auto& t : all)
    if (t) most = std::max(most, tolerance(t.dtype()));
  return most;
}

double largest(const Tensors& all) {
  double most = 1;
  for (auto& t : all)
    if (t)
      for (double v : doubles(t))
        if (std::isfinite(v)) most = std::max(most, std::abs(v));
  return most;
}

// An error's text as the CPU would say it: no inputs are said to be on cuda:0.
std::string without_device(std::string text) {
  for (size_t at; (at = text.find("cuda:0 ")) != text.npos;) text.erase(at, 7);
  return text;
}

}  // namespace

class Parity : public OperatorTest {
 protected:
  Answer answer(const TestCase& c, const Inputs& in, Device& d, bool with_gradients) {
    Answer a;
    On on(d);
    Inputs there = each_tensor(in, [&](const Tensor& t) { return moved(t, d); });
    try {
      Tensors leaves;
      if (with_gradients)
        for (size_t i : c.floating()) {
          leaves.push_back(there[i].tensor().set_requires_grad());
          there[i] = leaves.back();
        }
      Tensors results = c.run(there);
      for (auto& t : results)
        if (t && &t.device() != &d) a.error = "a result lies on " + t.device().name();
      if (only_writes())
        for (auto& v : there)
          if (v.is_tensor()) results.push_back(v.tensor());
      if (with_gradients) a.gradients = home(gradients(results, leaves));
      a.results = home(results);
      d.synchronize();
    } catch (const Error& e) { a.error = e.what(); }
    return a;
  }
  void expect_same(const TestCase& c, const Inputs& in, const char* what, bool with_gradients) {
    SCOPED_TRACE(what);
    const Answer want = answer(c, in, host(), with_gradients), got = answer(c, in, gpu(), with_gradients);
    ASSERT_EQ(got.error.empty(), want.error.empty()) << "cuda: " << got.error << "\ncpu: " << want.error;
    // what a kernel has reported comes without the inputs, and may tell it otherwise: tests/devices/cuda/index_test.cpp
    const bool late = got.error.starts_with(std::string(op().lua_name) + ": ");
    ASSERT_EQ(late ? want.error : without_device(got.error), want.error);
    worked_ |= want.error.empty();
    if (uninitialised()) return;
    const double t = tolerance(want.results);
    EXPECT_EQ(difference(got.results, want.results, t, t), "");
    EXPECT_EQ(difference(got.gradients, want.gradients, 10 * t, 10 * t), "") << "gradients";
  }
  bool differentiable() const { return op().traits.not_differentiable.empty() && !only_writes(); }
  bool worked_ = false;  // some comparison was not one of errors
};
INSTANTIATE_TEST_SUITE_P(Cuda, Parity, testing::ValuesIn(operator_names()), readable);

TEST_P(Parity, Layouts) {
  if (GetParam() == "to_device") return;  // leaves the device: tests/devices/cuda/device_test.cpp
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    worked_ = false;
    expect_same(c, c.in, "as they are", differentiable());
    ASSERT_TRUE(worked_) << "no sample may be an error";
    if (only_writes() || op().lua_name.starts_with("as_strided")) continue;
    for (auto [layout, what] : {std::pair(Layout::transposed, "transposed"), {Layout::narrowed, "narrowed"}})
      expect_same(c, each_tensor(c.in, [layout = layout](auto& t) { return relaid(t, layout); }), what, false);
    if (!only_inplace()) expect_same(c, each_tensor(c.in, [](auto& t) { return expanded(t); }), "expanded", false);
    if (HasFailure()) return;  // one is enough to read
  }
}

TEST_P(Parity, Shapes) {
  if (GetParam() == "to_device") return;
  for (auto& given : cases(GetParam()))
    for (auto& [kind, c] : variants(given)) {
      if (kind == "as given") continue;
      SCOPED_TRACE(c.name);
      expect_same(c, c.in, kind.c_str(), differentiable());
      if (HasFailure()) return;
    }
}

// Positions in an operator that scripts cannot call were made for the extents of its other inputs.
bool bound_to_extents(const OpInfo& op, const Inputs& in) {
  return op.traits.internal &&
         std::any_of(in.begin(), in.end(), [](const Value& v) { return v.is_tensor() && !is_floating(v.dtype()); });
}

// Kernels that are right for the samples' few elements alone. What has no kernel is made of what has.
TEST_P(Parity, LargeShapes) {
  if (!op().kernels[size_t(gpu().slot())] || only_writes() || uninitialised()) return;
  for (auto& given : cases(GetParam())) {
    if (bound_to_extents(op(), given.in)) continue;
    int k = 0;  // a dtype for each shape
    for (auto& [kind, c] : large_shapes(given)) {
      const Dtype d = std::array{Dtype::f32, Dtype::f64, Dtype::bf16}[size_t(k++) % 3];
      SCOPED_TRACE(c.name + " as " + std::string(name(d)));
      const Inputs in = each_tensor(c.in, [d](auto& t) { return is_floating(t.dtype()) ? copy_of(t, d) : copy_of(t); });
      const Answer want = answer(c, in, host(), false);
      if (!want.error.empty()) continue;
      const Answer got = answer(c, in, gpu(), false);
      ASSERT_EQ(got.error, "");
      const double t = 10 * tolerance(want.results);
      EXPECT_EQ(difference(got.results, want.results, t, t * largest(want.results)), "");
      if (HasFailure()) return;
    }
  }
}

TEST_P(Parity, EveryOrderGivesTheSameBits) {
  if (GetParam() == "to_device" || uninitialised()) return;
  backends().deterministic = true;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    auto run = [&](uint64_t seed) {
      reorder(seed);  // blocks, threads and streams run in other orders
      return answer(c, c.in, gpu(), differentiable());
    };
    const Answer first = run(11), second = run(12);
    EXPECT_EQ(other_bits(second.results, first.results), "");
    EXPECT_EQ(other_bits(second.gradients, first.gradients), "") << "gradients";
    if (HasFailure()) break;
  }
  backends().deterministic = false;
}

TEST_P(Parity, Dtypes) {
  if (GetParam() == "to_device") return;
  bool first = true;  // whose gradients are compared too
  for (auto& c : cases(GetParam())) {
    if (c.floating().empty()) continue;
    for (int k = 0; k < dtype_count; ++k) {
      const Dtype d = Dtype(k);
      if (d == Dtype::f64) continue;
      auto cast = [&](const Tensor& t) { return is_floating(t.dtype()) ? copy_of(t, d) : copy_of(t); };
      SCOPED_TRACE(c.name);
      expect_same(c, each_tensor(c.in, cast), std::string(name(d)).c_str(),
                  first && differentiable() && (d == Dtype::f32 || d == Dtype::bf16));
      if (HasFailure()) return;
    }
    first = false;
  }
  EXPECT_TRUE(first || worked_) << "none of the dtypes works";
}

// Each operator has one of three ways to run on CUDA, and those that matter most have kernels.
TEST(Coverage, EveryOperatorRunsOnCuda) {
  const int slot = gpu().slot();
  std::map<std::string, std::string> ways;
  for (auto* op : operators()) {
    std::string& way = ways[op->name];
    if (op->view)
      way = "view";
    else if (op->kernels[size_t(slot)])
      way = op->traits.elementwise ? "scalar" : "kernel";
    else if (op->decompose)
      way = "decompose";
    EXPECT_NE(way, "") << op->name << " has no way to run on CUDA: give it a kernel in devices/cuda, or `decompose`";
    // LAPACK runs on the host: `decompose` moves matrices there and back
    EXPECT_FALSE(way == "decompose" && op->kernels[size_t(host().slot())] && !op->name.starts_with("lapack_"))
        << op->name << " has a kernel on the CPU and none on CUDA";
    EXPECT_TRUE(!op->traits.kernel_required || op->kernels[size_t(slot)]) << op->name << " runs by '" << way << "'";
  }
  std::map<std::string, std::string> listed;
  for (auto& [name, way] : ways) listed[way] += " " + name;
  for (auto& [way, names] : listed) std::cout << "by " << way << ":" << names << "\n";
}

}  // namespace luth::test
