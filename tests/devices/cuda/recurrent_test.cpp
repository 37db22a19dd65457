// Packed sequences through an LSTM on CUDA: nothing waits, and results and gradients are the CPU's.
#include "core/dispatch/generator.h"
#include "core/nn/rnn.h"
#include "core/ops/random/random.h"
#include "tests/devices/cuda/gpu.h"
#include "tests/registry/cases.h"

namespace luth::test {
namespace {

struct Packed {
  explicit Packed(Device& on) : d(on), lstm(lstm_on(on)), x(input_on(on)) {}
  // The padded output, and the gradients of the input and of all parameters.
  Tensors step() {
    x.set_grad(Tensor());
    lstm->zero_grad();
    const nn::PackedRef packed = nn::pack_padded_sequence(x, {2, 5, 3}, false, false);
    const nn::Values out = lstm->call({nn::Argument(Ref<nn::Held>(packed))});
    const auto& y = dynamic_cast<const nn::PackedSequence&>(*out[0].more());
    const Tensor padded = nn::pad_packed_sequence(y).first;
    backward({padded, out[1].items()[1].tensor()}, {padded.detach(), out[1].items()[0].tensor().detach()}, {});
    Tensors all{padded.detach(), x.grad()};
    for (auto& p : lstm->parameters()) all.push_back(p.grad());
    return all;
  }
  static nn::ModuleRef lstm_on(Device& d) {
    manual_seed(3);
    auto m = nn::create<nn::LSTM>({{.input_size = 3, .hidden_size = 4, .num_layers = 2, .bidirectional = true}});
    m->to(std::nullopt, &d);
    return m;
  }
  static Tensor input_on(Device& d) {
    Tensor x = nn::converted(randn({5, 3, 3}, Dtype::f32, host()), Dtype::f32, &d);
    x.set_requires_grad(true);
    return x;
  }
  Device& d;
  nn::ModuleRef lstm;
  Tensor x;
};

TEST(CudaRecurrent, PackedSequencesWaitForNothing) {
  Packed on_gpu(gpu()), on_cpu(host());
  on_gpu.step();  // the first makes what the others keep
  gpu().synchronize();
  const int64_t waits = gpu().host_waits();
  const Tensors got = on_gpu.step(), want = on_cpu.step();
  EXPECT_EQ(gpu().host_waits(), waits);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(difference(home(got[i]), want[i], 1e-5, 1e-6), "") << i;
}

TEST(CudaRecurrent, NothingKeptChangesNoResult) {
  nn::ModuleRef lstm = Packed::lstm_on(gpu());
  const Tensor x = Packed::input_on(gpu());
  const auto results = [&] {
    const nn::Values out = lstm->call({nn::Argument(x)});
    return Tensors{home(out[0].tensor()), home(out[1].items()[0].tensor()), home(out[1].items()[1].tensor())};
  };
  const Tensors want = results();
  NoGrad no_grad;
  const Tensors got = results();
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(difference(got[i], want[i], 0, 0), "") << i;
}

}  // namespace
}  // namespace luth::test
