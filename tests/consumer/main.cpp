// Trains a small network on XOR with nothing but luth's installed headers and library.
#include <cstdio>

#include "core/base/version.h"
#include "core/dispatch/generator.h"
#include "core/nn/activation.h"
#include "core/nn/container.h"
#include "core/nn/linear.h"
#include "core/ops/nn/loss.h"
#include "core/optim/optimizers.h"

int main() {
  namespace nn = luth::nn;
  namespace optim = luth::optim;
  const float inputs[] = {0, 0, 0, 1, 1, 0, 1, 1}, targets[] = {0, 1, 1, 0};
  luth::Tensor x = luth::Tensor::from({4, 2}, inputs), y = luth::Tensor::from({4, 1}, targets);

  luth::manual_seed(1);
  auto net = nn::sequential({nn::create<nn::Linear>({.in_features = 2, .out_features = 8}), nn::create<nn::Tanh>(),
                             nn::create<nn::Linear>({.in_features = 8, .out_features = 1})});
  auto opt = optim::create<optim::Adam>(net->parameters(), {.lr = 0.05});
  double loss = 1;
  for (int step = 0; step < 300; ++step) {
    opt->zero_grad();
    luth::Tensor l = luth::mse_loss((*net)(x), y);
    l.backward();
    opt->step();
    loss = l.item().to<double>();
  }
  std::printf("luth %s: loss %.5f\n", luth::version, loss);
  try {
    (*net)(y);
    return 2;  // the shapes do not fit
  } catch (const luth::Error& error) { std::printf("as expected: %s\n", error.what()); }
  return loss < 0.05 ? 0 : 1;
}
