// Serves a model that train.lua has trained: the whole model from its checkpoint, and its weights into a network that
// is built here. Then it writes files that a script reads.
#include <cmath>
#include <cstdio>
#include <string>

#include "core/autograd/autograd.h"
#include "core/io/files.h"
#include "core/io/module.h"
#include "core/nn/activation.h"
#include "core/nn/container.h"
#include "core/nn/linear.h"

namespace {

namespace io = luth::io;
namespace nn = luth::nn;

luth::Tensor array(const std::string& path) {
  const io::Item item = io::load(path);
  if (auto* t = item.as<luth::Tensor>()) return *t;
  throw luth::Error("'{}' holds no array", path);
}

double distance(const luth::Tensor& a, const luth::Tensor& b) {
  double most = 0;
  for (int64_t i = 0; i < a.numel(); ++i) most = std::fmax(most, std::fabs(a.data<float>()[i] - b.data<float>()[i]));
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  luth::NoGrad no_grad;
  const luth::Tensor x = array(folder + "x.npy"), y = array(folder + "y.npy");

  nn::ModuleRef model = io::to_module(io::load(folder + "model.h5"));
  std::printf("%s\n", model->repr().c_str());

  auto built = nn::sequential({nn::create<nn::Linear>({.in_features = 2, .out_features = 8}), nn::create<nn::Tanh>(),
                               nn::create<nn::Linear>({.in_features = 8, .out_features = 1})});
  built->load_state_dict(io::to_state_dict(io::load(folder + "weights.safetensors")));

  const double whole = distance((*model)(x), y), weights = distance((*built)(x), y);
  std::printf("distance from the script's answers: %g, %g\n", whole, weights);

  io::save(io::to_item(*built), folder + "served.h5");
  io::save(io::to_item(built->state_dict()), folder + "served.safetensors");
  try {
    io::load(folder + "nothing.h5");
    return 3;
  } catch (const luth::Error& error) { std::printf("as expected: %s\n", error.what()); }
  return whole == 0 && weights == 0 && !model->training() ? 0 : 1;
}
