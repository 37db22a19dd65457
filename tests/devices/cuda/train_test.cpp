// Training on CUDA: a step waits for nothing, and a small LeNet learns what it learns on the CPU.
#include <cmath>

#include "core/base/backends.h"
#include "core/dispatch/generator.h"
#include "core/nn/activation.h"
#include "core/nn/container.h"
#include "core/nn/conv.h"
#include "core/nn/dropout.h"
#include "core/nn/linear.h"
#include "core/nn/loss.h"
#include "core/nn/norm.h"
#include "core/nn/pool.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/random/random.h"
#include "core/ops/reduce/reduce.h"
#include "core/optim/clip.h"
#include "core/optim/optimizers.h"
#include "core/optim/schedules.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

constexpr int64_t batch = 8, side = 12;

// LeNet for images of 12 x 12, with the layers that keep state of their own: normalisation and dropout.
Ref<nn::Sequential> lenet() {
  return nn::sequential({nn::create<nn::Conv2d>({.in_channels = 1, .out_channels = 4, .kernel_size = {3, 3}}),
                         nn::create<nn::BatchNorm2d>({4}), nn::create<nn::ReLU>(),
                         nn::create<nn::MaxPool2d>({.window = {.kernel_size = {2, 2}}}),
                         nn::create<nn::Conv2d>({.in_channels = 4, .out_channels = 6, .kernel_size = {2, 2}}),
                         nn::create<nn::ReLU>(), nn::create<nn::MaxPool2d>({.window = {.kernel_size = {2, 2}}}),
                         nn::create<nn::Flatten>(), nn::create<nn::Dropout>({0.2}),
                         nn::create<nn::Linear>({.in_features = 24, .out_features = 16}), nn::create<nn::ReLU>(),
                         nn::create<nn::Linear>({.in_features = 16, .out_features = 10})});
}
Ref<nn::Sequential> perceptron() {
  return nn::sequential({nn::create<nn::Flatten>(),
                         nn::create<nn::Linear>({.in_features = side * side, .out_features = 16}),
                         nn::create<nn::ReLU>(), nn::create<nn::Dropout>({0.2}),
                         nn::create<nn::Linear>({.in_features = 16, .out_features = 10})});
}
Ref<nn::Sequential> model(const std::string& name) {
  manual_seed(3);
  return name == "lenet" ? lenet() : perceptron();
}

struct Data {
  Tensor images, labels;
};
// In memory of the host; labels that can be learnt. Seeds the host's generator.
Data data(int64_t step) {
  default_generator(host()).seed(1000 + step);
  Data d{randn({batch, 1, side, side}, Dtype::f32, host()), randint(0, 10, {batch}, Dtype::i64, host())};
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t k = 0; k < side; ++k) d.images.data<float>()[(i * side + d.labels.data<int64_t>()[i]) * side + k] += 3;
  return d;
}

std::vector<Data> batches(int64_t n) {
  std::vector<Data> all;
  for (int64_t i = 0; i < n; ++i) all.push_back(data(i));
  return all;
}

struct Training {
  using Names = std::tuple<std::string, std::string>;  // of the model and of the optimizer
  Training(Device& on, const Names& names, int64_t steps) : d(on), net(model(std::get<0>(names))) {
    net->to(std::nullopt, &d);
    net->train(true);
    if (std::get<1>(names) == "sgd")
      opt = optim::create<optim::SGD>(net->parameters(), {.lr = 0.05, .momentum = 0.9, .weight_decay = 1e-4});
    else
      opt = optim::create<optim::AdamW>(net->parameters(), {.lr = 0.01});
    schedule = optim::ScheduleRef(new optim::CosineAnnealingLR({.T_max = steps}));
    schedule->attach(opt);
    default_generator(d).seed(5);
  }
  // The loss, on the device.
  Tensor step(const Data& in) {
    Tensor x = to_device(in.images, {&d, true}), labels = to_device(in.labels, {&d, true});
    opt->zero_grad();
    Tensor loss = (*nn::create<nn::CrossEntropyLoss>())((*net)(x), labels);
    backward({loss}, {Tensor()}, {});
    optim::clip_grad_norm(net->parameters(), 1.0);
    opt->step();
    schedule->step();
    NoGrad no_grad;
    sum = sum ? add.into(sum, loss.detach()) : nn::duplicate(loss.detach());
    return loss.detach();
  }
  Device& d;
  Ref<nn::Sequential> net;
  optim::OptimizerRef opt;
  optim::ScheduleRef schedule;
  Tensor sum;  // of the losses
};

class Train : public testing::TestWithParam<Training::Names> {};
INSTANTIATE_TEST_SUITE_P(Cuda, Train,
                         testing::Combine(testing::Values("perceptron", "lenet"), testing::Values("sgd", "adamw")),
                         [](auto& i) { return std::get<0>(i.param) + "_" + std::get<1>(i.param); });

TEST_P(Train, AStepWaitsForNothing) {
  const auto all = batches(4);
  Training t(gpu(), GetParam(), 10);
  t.step(all[0]);  // the first makes what the others keep
  gpu().synchronize();
  const int64_t waits = gpu().host_waits();
  const auto before = counted();
  for (size_t i = 1; i < 4; ++i) t.step(all[i]);
  EXPECT_EQ(gpu().host_waits(), waits);
  if (before) {
    EXPECT_EQ(counted()->host_waits, before->host_waits);  // the same, counted by the run-time
  }
  EXPECT_TRUE(std::isfinite(home(t.sum).item().value()));
  EXPECT_GT(gpu().host_waits(), waits) << "reading the sum of the losses is a wait";
}

TEST_P(Train, LossesAreTheCpus) {
  auto run = [&](Device& d) {
    const auto all = batches(1);
    Training t(d, GetParam(), 20);
    std::vector<Tensor> losses;
    for (int i = 0; i < 10; ++i) losses.push_back(t.step(all[0]));
    std::vector<double> out;
    for (auto& l : losses) out.push_back(home(l).item().value());
    return out;
  };
  const auto want = run(host()), got = run(gpu());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-3 * want[i]) << "step " << i;
  EXPECT_LT(want.back(), want.front());
}

TEST_P(Train, TheSameSeedGivesTheSameBits) {
  // cuDNN's fastest gradients of weights are not, for some shapes
  struct Deterministic {
    Deterministic() { backends().deterministic = true; }
    ~Deterministic() { backends().deterministic = false; }
  } asked;
  auto run = [&](uint64_t seed) {
    reorder(seed);  // blocks, threads and streams run in other orders
    const auto all = batches(3);
    Training t(gpu(), GetParam(), 3);
    for (auto& b : all) t.step(b);
    Tensors learnt;
    for (auto& p : t.net->parameters()) learnt.push_back(home(p));
    return learnt;
  };
  EXPECT_EQ(other_bits(run(11), run(12)), "");
}

}  // namespace
}  // namespace luth::test
