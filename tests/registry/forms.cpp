// The forms that apply() derives: in place, out=, decomposition, recorded; and that threads change no bits.
#include <cstring>

#include "core/base/threads.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/trace.h"
#include "core/ops/elementwise/copy.h"
#include "tests/registry/cases.h"

namespace luth::test {

class Forms : public OperatorTest {
 protected:
  Tensors inplace(const TestCase& c, const Inputs& in) {
    manual_seed(7);
    return {apply_inplace(op(), c.op.get(), in)};
  }
  static Inputs copies(const Inputs& in) {
    return each_tensor(in, [](auto& t) { return copy_of(t); });
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, Forms, testing::ValuesIn(operator_names()), readable);

TEST_P(Forms, InPlaceEqualsOutOfPlace) {
  if (!op().has_inplace() || only_inplace()) return;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    if (!c.in[0].is_tensor()) continue;
    Tensor want = c.run()[0];
    Inputs in = copies(c.in);
    Tensor self = in[0].tensor();
    if (!op().view && !(want.shape() == self.shape())) {
      EXPECT_THROW(inplace(c, in), Error) << "the result does not fit into the input";
      continue;
    }
    uint32_t version = self.version();
    Tensor got = inplace(c, in)[0];
    EXPECT_TRUE(got.same(self));
    EXPECT_GT(self.version(), version);
    EXPECT_EQ(difference(got, copy_of(want, got.dtype())), "");
    if (op().view) continue;  // which becomes a view of itself
    Inputs strided = copies(c.in);
    strided[0] = relaid(c.in[0].tensor(), Layout::narrowed);
    EXPECT_EQ(difference(inplace(c, strided)[0], got, 1e-12, 1e-12), "") << "into a narrowed view";
  }
}

TEST_P(Forms, InPlaceGradientsEqual) {
  if (!op().has_inplace() || only_inplace() || !op().traits.not_differentiable.empty()) return;
  const OpInfo& clone = find_op("clone");
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    if (c.floating().empty() || c.floating()[0] != 0) continue;
    auto leaves_of = [&](Inputs& in) {
      Tensors leaves;
      for (size_t i : c.floating()) {
        leaves.push_back(copy_of(c.in[i].tensor()).set_requires_grad());
        in[i] = leaves.back();
      }
      return leaves;
    };
    Inputs a = c.in, b = c.in;
    Tensors la = leaves_of(a), lb = leaves_of(b);
    Tensors want = c.run(a);
    if (!(want[0].shape() == a[0].shape()) || !is_floating(want[0].dtype())) continue;
    b[0] = apply(clone, nullptr, {b[0]})[0];
    Tensors got = inplace(c, b);
    EXPECT_EQ(difference(gradients(got, lb), gradients(want, la), 1e-12, 1e-12), "");
  }
}

TEST_P(Forms, OutEqualsReturned) {
  if (only_inplace() || op().several || uninitialised()) return;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    Tensors want = c.run();
    Tensors fresh, transposed, used;
    for (auto& t : want) {
      if (!t) return;
      fresh.push_back(Tensor::empty({0}, t.dtype(), host()));
      used.push_back(copy_of(t));
      if (const auto& memory = used.back().storage(); memory->bytes())
        std::memset(memory->data(), 0xff, memory->bytes());
      transposed.push_back(relaid(t, Layout::transposed));
      if (const auto& memory = transposed.back().storage(); memory->bytes())
        std::memset(memory->data(), 0, memory->bytes());
    }
    manual_seed(7);
    Tensors got = apply_out(op(), c.op.get(), c.in, fresh);
    EXPECT_EQ(difference(fresh, want), "") << "into empty tensors, which grow";
    for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].same(fresh[i]));
    manual_seed(7);
    // Loops over other strides may contract products and sums otherwise: one unit in the last place.
    apply_out(op(), c.op.get(), c.in, used);
    EXPECT_EQ(difference(used, want, 4e-16, 1e-300), "") << "into dense tensors, whose elements are not read";
    manual_seed(7);
    apply_out(op(), c.op.get(), c.in, transposed);
    EXPECT_EQ(difference(transposed, want, 4e-16, 1e-300), "") << "into transposed tensors";
  }
}

TEST_P(Forms, KernelEqualsLower) {
  if (!op().decompose || !op().kernels[size_t(host().slot())]) return;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    auto with_leaves = [&](Tensors& leaves) {
      Inputs in = c.in;
      for (size_t i : c.floating()) {
        leaves.push_back(copy_of(c.in[i].tensor()).set_requires_grad());
        in[i] = leaves.back();
      }
      return in;
    };
    Tensors la, lb;
    Tensors got = c.run(with_leaves(la));
    manual_seed(7);
    Tensors want = op().decompose(c.op.get(), with_leaves(lb));
    EXPECT_EQ(difference(got, want, 1e-10, 1e-12), "");
    if (!op().vjp) continue;
    auto gradients_or_zeros = [](const Tensors& y, const Tensors& x) {
      Tensors g = gradients(y, x);
      for (size_t i = 0; i < g.size(); ++i)
        if (!g[i]) g[i] = zeros_of(x[i]);
      return g;
    };
    EXPECT_EQ(difference(gradients_or_zeros(got, la), gradients_or_zeros(want, lb), 1e-10, 1e-12), "") << "gradients";
  }
}

TEST_P(Forms, KernelEqualsDecomposeInLargeShapes) {
  if (!op().decompose || !op().kernels[size_t(host().slot())] || only_writes()) return;
  for (auto& given : cases(GetParam()))
    for (auto& [kind, c] : large_shapes(given)) {
      SCOPED_TRACE(c.name);
      Tensors got;
      try {
        got = c.run();
      } catch (const Error&) { continue; }
      manual_seed(7);
      EXPECT_EQ(difference(got, op().decompose(c.op.get(), c.in), 1e-9, 1e-9), "");
    }
}

TEST_P(Forms, RecordedReplaysBitEqual) {
  if (uninitialised()) return;
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    auto tensors = [](const Inputs& in) {
      Tensors list;
      for (auto& v : in)
        if (v.is_tensor()) list.push_back(v.tensor());
      return list;
    };
    Inputs in = copies(c.in);
    Trace trace(tensors(in));
    Tensors want = c.run(in);
    bool drew = default_generator(host()).offset() > 0;  // the form in place would draw other numbers
    if (!drew && op().has_inplace() && !only_inplace() && in[0].is_tensor() && want[0].shape() == in[0].shape()) {
      Inputs into = in;
      into[0] = apply(find_op("clone"), nullptr, {in[0]})[0];
      want.push_back(apply_inplace(op(), c.op.get(), into));
    }
    trace.finish(want);
    EXPECT_NE(trace.text().find(GetParam()), std::string::npos) << trace.text();
    manual_seed(7);
    Tensors got = trace.replay(tensors(copies(c.in)));
    EXPECT_EQ(other_bits(got, want), "") << trace.text();
  }
}

namespace {

// Shapes grown until threads have something to share; the same inputs where they may not grow.
Inputs grown(const TestCase& c) {
  if (!c.drawn || c.info->inputs.empty()) return c.in;
  int dims = 0;
  for (auto& v : c.in) dims = std::max(dims, v.dim());
  int64_t factor = dims <= 1 ? 20000 : dims == 2 ? 100 : dims == 3 ? 20 : 4;
  Device& meta = device("meta");
  try {
    Inputs in = drawn_larger(c, factor);
    Inputs shapes = each_tensor(in, [&](auto& t) { return Tensor::empty(t.shape(), t.dtype(), meta); });
    for (auto& t : c.run(shapes))
      if (t && t.numel() > (1 << 22)) return c.in;
    return in;
  } catch (const Error&) { return c.in; }
}

}  // namespace

TEST_P(Forms, ThreadsChangeNoBits) {
  if (uninitialised()) return;
  int before = num_threads();
  for (auto& c : cases(GetParam())) {
    SCOPED_TRACE(c.name);
    for (bool large : {false, true}) {
      Inputs in = large ? grown(c) : c.in;
      auto answer = [&](int threads) {
        set_num_threads(threads);
        Inputs with = in;
        Tensors leaves;
        for (size_t i : c.floating()) {
          leaves.push_back(in[i].tensor().detach().set_requires_grad());
          with[i] = leaves.back();
        }
        Tensors all = c.run(with);
        if (!op().traits.not_differentiable.empty()) return all;
        for (auto& g : gradients(all, leaves)) all.push_back(g);
        return all;
      };
      Tensors want;
      try {
        want = answer(1);
      } catch (const Error& e) {
        if (!large) throw;
        continue;  // the gradient does not fit shapes that have grown
      }
      for (int threads : {2, 3}) EXPECT_EQ(other_bits(answer(threads), want), "") << threads << " threads";
    }
  }
  set_num_threads(before);
}

}  // namespace luth::test
