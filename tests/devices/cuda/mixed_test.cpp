// Tensors on different devices in one operator: an error that names the operator and each argument with its device, for
// every operator that takes several tensors.
#include "core/ops/elementwise/arith.h"
#include "tests/devices/cuda/gpu.h"

namespace luth::test {
namespace {

class Mixed : public OperatorTest {};

// Positions of the tensors that a device matters for: numbers of no dims on the CPU mix with all.
std::vector<size_t> placed_inputs(const Inputs& in) {
  std::vector<size_t> at;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i].is_tensor() && in[i].dim() > 0) at.push_back(i);
  return at;
}

// Those that take two tensors; but copy_, which copies between devices. Made before main, so no operator runs here.
std::vector<std::string> takers() {
  std::vector<std::string> names;
  for (auto& name : operator_names()) {
    const auto& inputs = find_op(name).inputs;
    const bool several = inputs.size() > 1 || (!inputs.empty() && inputs[0].list);
    if (several && name != "copy") names.push_back(name);
  }
  return names;
}

TEST_P(Mixed, IsRefused) {
  for (auto& c : cases(GetParam())) {
    const auto at = placed_inputs(c.in);
    if (at.size() < 2) continue;
    Inputs in = c.in;
    in[at.back()] = moved(in[at.back()].tensor(), gpu());
    try {
      if (only_inplace())
        apply_inplace(op(), c.op.get(), in);
      else
        apply(op(), c.op.get(), in);
      FAIL() << c.name << " takes tensors of different devices";
    } catch (const Error& e) {
      const std::string text = e.what();
      EXPECT_EQ(text.find(op().lua_name), 0u) << text;
      for (const char* part :
           {"all tensors must be on one device, but ", " on cpu", " on cuda:0", "move them with :to('"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
    }
    return;
  }
}
INSTANTIATE_TEST_SUITE_P(Cuda, Mixed, testing::ValuesIn(takers()), readable);

}  // namespace
}  // namespace luth::test
