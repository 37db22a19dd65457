// Optimizers and clipping on CUDA: the CPU's results for lists that do not fit one launch, few launches, no waits.
#include <cmath>

#include "core/dispatch/generator.h"
#include "core/ops/create/factory.h"
#include "core/ops/nn/optim.h"
#include "core/ops/random/random.h"
#include "core/optim/clip.h"
#include "core/optim/optimizers.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

// Parameters with gradients: more small ones than a table holds, some large, some that begin off 16 bytes, some of
// another dtype.
std::vector<Tensor> problem(Device& d) {
  std::vector<Tensor> out;
  default_generator(host()).seed(7);
  auto add = [&](const Tensor& values, bool off) {
    Tensor p;
    if (off) {
      Tensor room = moved(luth::zeros({values.numel() + 1}, values.dtype(), host()), d);
      p = Tensor::alias(room.storage(), values.shape(), values.strides(), 1, values.dtype());
      copy.into(p, moved(values, d));
    } else {
      p = moved(values, d);
    }
    p.set_requires_grad();
    p.set_grad(moved(randn(values.shape(), values.dtype(), host()), d));
    out.push_back(p);
  };
  NoGrad no_grad;
  for (int64_t i = 0; i < 130; ++i) add(randn({i % 9 + 1}, Dtype::f32, host()), i % 5 == 0);
  add(randn({3, 16384}, Dtype::f32, host()), false);
  add(randn({20001}, Dtype::f32, host()), true);
  add(randn({40, 3}, Dtype::f16, host()), false);
  add(randn({77}, Dtype::bf16, host()), false);
  add(randn({33}, Dtype::f64, host()), false);
  return out;
}

double tolerance(Dtype d) {
  return d == Dtype::f16 ? 2e-3 : d == Dtype::bf16 ? 1.6e-2 : d == Dtype::f32 ? 2e-6 : 1e-14;
}
void expect_close(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const double t = tolerance(want[i].dtype());
    EXPECT_EQ(difference(home(got[i]), home(want[i]), t, t), "") << "tensor " << i;
  }
}

template <class O>
void expect_same_steps(typename O::Spec spec) {
  auto run = [&](Device& d) {
    std::vector<Tensor> params = problem(d);
    auto o = optim::create<O>(params, spec);
    for (int i = 0; i < 3; ++i) o->step();
    return params;
  };
  expect_close(run(gpu()), run(host()));
}

TEST(CudaOptim, SgdStepsAsOnTheCpu) {
  expect_same_steps<optim::SGD>({.lr = 0.1, .weight_decay = 0.01});
  expect_same_steps<optim::SGD>({.lr = 0.1, .momentum = 0.9, .nesterov = true});
  expect_same_steps<optim::SGD>({.lr = 0.1, .momentum = 0.9, .dampening = 0.2, .flags = {.maximize = true}});
}
TEST(CudaOptim, AdamStepsAsOnTheCpu) {
  expect_same_steps<optim::Adam>({.lr = 0.1, .weight_decay = 0.01});
  expect_same_steps<optim::AdamW>({.lr = 0.1, .weight_decay = 0.01, .amsgrad = true});
}

// All but LBFGS, whose line search reads losses.
TEST(CudaOptim, EveryOptimizerStepsAsOnTheCpuAndWaitsForNothing) {
  for (auto* c : optim::optimizer_classes()) {
    if (c->name == "LBFGS") continue;
    auto run = [&](Device& d) {
      default_generator(host()).seed(5);
      std::vector<Tensor> params;
      for (const Shape& shape : {Shape{6, 5}, Shape{3, 8}, Shape{9}}) {
        if (c->name == "Muon" && shape.size() != 2) continue;
        params.push_back(moved(randn(shape, Dtype::f32, host()), d).set_requires_grad());
        params.back().set_grad(moved(randn(shape, Dtype::f32, host()), d));
      }
      auto o = c->make();
      o->add_group(params);
      o->groups()[0].settings->set("lr", 0.05);
      for (int i = 0; i < 3; ++i) {
        const int64_t waits = d.host_waits();
        o->step();
        EXPECT_EQ(d.host_waits(), waits) << c->name;
      }
      return params;
    };
    const std::vector<Tensor> got = run(gpu()), want = run(host());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(difference(home(got[i]), home(want[i]), 1e-5, 1e-6), "") << c->name << " parameter " << i;
  }
}

std::vector<Tensor> gradients_of(const std::vector<Tensor>& params) {
  std::vector<Tensor> out;
  for (auto& p : params) out.push_back(p.grad());
  return out;
}

TEST(CudaClip, NormsAndScaledGradientsAreTheCpus) {
  for (double p : {2.0, 1.0, double(INFINITY), 3.0}) {
    auto here = problem(host()), there = problem(gpu());
    Tensor want = optim::clip_grad_norm(here, 0.5, p, false), got = optim::clip_grad_norm(there, 0.5, p, false);
    EXPECT_EQ(got.device().name(), "cuda:0");
    EXPECT_NEAR(home(got).item().value() / want.item().value(), 1, 1e-6) << p;
    expect_close(gradients_of(there), gradients_of(here));
  }
}
TEST(CudaClip, LeavesGradientsBelowTheNormAlone) {
  auto here = problem(host()), there = problem(gpu());
  optim::clip_grad_norm(there, 1e6, 2, false);
  for (size_t i = 0; i < here.size(); ++i) EXPECT_EQ(difference(home(there[i].grad()), here[i].grad()), "");
}
TEST(CudaClip, ValuesAreTheCpus) {
  auto here = problem(host()), there = problem(gpu());
  optim::clip_grad_value(here, 0.4);
  optim::clip_grad_value(there, 0.4);
  for (size_t i = 0; i < here.size(); ++i) EXPECT_EQ(difference(home(there[i].grad()), here[i].grad()), "");
}
TEST(CudaClip, OneNanMakesAllNanUnlessItIsAnError) {
  auto params = problem(gpu());
  fill.into(params[3].grad(), double(NAN));
  EXPECT_TRUE(std::isnan(home(optim::clip_grad_norm(params, 1, INFINITY, false)).item().value()));
  for (double v : doubles(home(params[130].grad()))) ASSERT_TRUE(std::isnan(v));
  EXPECT_THROW(optim::clip_grad_norm(params, 1, 2, true), Error);
}
TEST(CudaClip, TheNormHasTheSameBitsEveryTime) {
  auto params = problem(gpu());
  const double first = home(optim::clip_grad_norm(params, 1e9, 2, false)).item().value();
  for (uint64_t seed = 2; seed < 8; ++seed) {
    reorder(seed);  // blocks and threads in other orders
    EXPECT_EQ(home(optim::clip_grad_norm(params, 1e9, 2, false)).item().value(), first);
  }
}
TEST(CudaClip, ParametersOnSeveralDevicesHaveOneNorm) {
  if (!two_gpus()) GTEST_SKIP() << "one GPU";
  std::vector<Tensor> params, here;
  for (Device* d : {&gpu(0), &host(), &gpu(1)}) {
    params.push_back(luth::ones({4}, Dtype::f32, *d).set_requires_grad());
    params.back().set_grad(full({4}, 3.0, Dtype::f32, *d));
  }
  Tensor norm = optim::clip_grad_norm(params, 1, 2, false);
  EXPECT_NEAR(home(norm).item().value(), std::sqrt(108.0), 1e-5);
  for (auto& p : params) EXPECT_NEAR(doubles(home(p.grad()))[0], 3 / std::sqrt(108.0), 1e-6);
  optim::clip_grad_value(params, 0.1);
  for (auto& p : params) EXPECT_FLOAT_EQ(float(doubles(home(p.grad()))[0]), 0.1f);
}

// A table of Adam's holds 60 or more parameters.
TEST(CudaOptim, ManyParametersTakeFewLaunchesAndNoWait) {
  std::vector<Tensor> params;
  for (int i = 0; i < 100; ++i) {
    params.push_back(luth::ones({50}, Dtype::f32, gpu()).set_requires_grad());
    params.back().set_grad(full({50}, 0.5, Dtype::f32, gpu()));
  }
  auto adam = optim::create<optim::AdamW>(params, {});
  auto sgd = optim::create<optim::SGD>(params, {.momentum = 0.9});
  adam->step();  // makes the buffers
  sgd->step();
  auto expect_launches = [](int64_t n, auto work) {
    gpu().synchronize();
    const auto before = counted();
    const int64_t waits = gpu().host_waits();
    work();
    EXPECT_EQ(gpu().host_waits(), waits);
    if (!before) return;
    EXPECT_EQ(counted()->host_waits, before->host_waits);  // the same, counted by the run-time
    gpu().synchronize();
    EXPECT_EQ(counted()->launches - before->launches, n);
  };
  expect_launches(2, [&] { adam->step(); });
  expect_launches(2, [&] { sgd->step(); });
  expect_launches(3, [&] { optim::clip_grad_norm(params, 1, 2, false); });
  expect_launches(1, [&] { optim::clip_grad_value(params, 1); });
  expect_launches(0, [&] { adam->zero_grad(false); });  // zeros need no kernel
  EXPECT_EQ(doubles(home(params[7].grad()))[3], 0);
  expect_launches(0, [&] { adam->zero_grad(); });
  Tensor part = Tensor::alias(params[0].storage(), {5, 3}, {10, 2}, 1, Dtype::f32);
  const OpInfo& zero = find_op("zero");
  expect_launches(0, [&] { apply_inplace(zero, nullptr, {params[1].detach()}); });
  expect_launches(1, [&] { apply_inplace(zero, nullptr, {part}); });  // zeros with holes between them
  EXPECT_EQ(doubles(home(part)), std::vector<double>(15, 0.0));
  EXPECT_NE(doubles(home(params[0]))[0], 0);
}

}  // namespace
}  // namespace luth::test
