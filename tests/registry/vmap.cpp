// vmap: an operator on a batch gives what it gives for each sample. The samples of a batch are the case's inputs,
// scaled.
#include "core/func/vmap.h"

#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "tests/registry/cases.h"

namespace luth::test {

class Vmap : public OperatorTest {};
INSTANTIATE_TEST_SUITE_P(Registry, Vmap, testing::ValuesIn(operator_names()), readable);

namespace {

constexpr int64_t size = 3;

Tensor scaled(const Tensor& t, int64_t k) {
  Tensor copy = copy_of(t);
  if (t.dtype() == Dtype::f64)
    for (int64_t i = 0; i < copy.numel(); ++i) copy.data<double>()[i] *= 1 - 0.0625 * double(k);
  return copy;
}

// Input i of sample k; inputs outside of `batched` are the same in all.
Inputs inputs_of(const TestCase& c, uint32_t batched, int64_t k) {
  Inputs in;
  for (size_t i = 0; i < c.in.size(); ++i)
    in.push_back(c.in[i].is_tensor() ? Value(scaled(c.in[i].tensor(), batched >> i & 1 ? k : 0)) : c.in[i]);
  return in;
}

Inputs batch_of(const TestCase& c, uint32_t batched, BatchedDevice& device) {
  Inputs in;
  for (size_t i = 0; i < c.in.size(); ++i) {
    if (!c.in[i].is_tensor()) {
      in.push_back(c.in[i]);
    } else if (batched >> i & 1) {
      Tensors samples;
      for (int64_t k = 0; k < size; ++k) samples.push_back(scaled(c.in[i].tensor(), k));
      in.push_back(func::add_batch_dim(stack(samples, {.dim = 0}), 0, device));
    } else {
      in.push_back(copy_of(c.in[i].tensor()));
    }
  }
  return in;
}

// "" or how the batch differs from its samples; "none" where the operator has no rule and says so.
std::string compare(const TestCase& c, uint32_t batched) {
  func::VmapScope scope(host(), size, Randomness::error);
  Tensors got;
  try {
    got = c.run(batch_of(c, batched, scope.device()));
  } catch (const Error& e) {
    const std::string text = e.what();
    for (auto refusal : {"no batching rule", "within vmap", "whose size depends on values"})
      if (text.find(refusal) != text.npos) return "none: " + text;
    return text;
  }
  for (int64_t k = 0; k < size; ++k) {
    const Tensors want = c.run(inputs_of(c, batched, k));
    if (got.size() != want.size()) return "another number of results";
    for (size_t i = 0; i < want.size(); ++i) {
      if (!want[i]) continue;
      const Tensor all = func::remove_batch_dim(got[i], 0, scope.device());
      if (std::string d = difference(select(all, {.dim = 0, .index = k}), want[i], 1e-9, 1e-10); !d.empty())
        return fmt::format("sample {}, result {}: {}", k, i, d);
    }
  }
  return "";
}

}  // namespace

TEST_P(Vmap, OfTheSamplesMatches) {
  if (op().random || uninitialised() || only_writes() || only_inplace()) GTEST_SKIP() << "no one result";
  std::string without_rule;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    uint32_t tensors = 0;
    for (size_t i = 0; i < c.in.size(); ++i) tensors |= uint32_t(c.in[i].is_tensor()) << i;
    if (!tensors) continue;
    std::vector<uint32_t> masks{tensors};
    for (size_t i = 0; i < c.in.size(); ++i)
      if (tensors >> i & 1 && tensors != 1u << i) masks.push_back(1u << i);
    for (uint32_t mask : masks) {
      const std::string found = compare(c, mask);
      if (found.starts_with("none")) without_rule = found;
      EXPECT_TRUE(found.empty() || found.starts_with("none")) << "batched inputs " << mask << ": " << found;
    }
  }
  if (!without_rule.empty()) GTEST_SKIP() << without_rule;
}

}  // namespace luth::test
