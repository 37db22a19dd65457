// What the generated tests share: the operators' names, their samples with inputs, layouts, and comparing.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/autograd/autograd.h"
#include "core/op/op.h"

namespace luth::test {

/// All operators, once the CPU's library is open.
std::vector<std::string> operator_names();
/// A test's name: letters, digits and underscores ("max__dim").
std::string readable(const testing::TestParamInfo<std::string>& info);

/// One sample of an operator with its inputs: float64 ones are drawn, the same every time.
struct TestCase {
  const OpInfo* info;
  OpValue op;
  Inputs in;
  std::string name;       // for messages: "softmax sample 2: dim=1; float64[2, 3]"
  bool drawn;             // from shapes, so that other shapes could be drawn
  uint32_t constant = 0;  // bits of floating inputs that vjp refuses ("has no gradient by weight")

  /// The results for other inputs, with the same random numbers every time. `op_` alone works on a copy.
  Tensors run(const Inputs& inputs) const;
  Tensors run() const { return run(in); }
  /// Positions of the floating inputs that gradients are for.
  std::vector<size_t> floating() const;
};
/// LUTH_TEST_SAMPLES=N limits them to the first N.
std::vector<TestCase> cases(const std::string& name);
struct Variant {
  std::string kind;  // "as given", "0-dim", "empty" or "broadcast"
  TestCase c;
};
/// The case, and with its first elements in other shapes: all inputs of no dimensions, all empty, and each alone to be
/// broadcast. Those that the operator refuses are left out, and those that have no value. What scripts cannot call
/// trusts its callers with shapes, and has none.
std::vector<Variant> variants(const TestCase& given);
/// The inputs of a drawn case with all extents multiplied by `factor`.
Inputs drawn_larger(const TestCase& c, int64_t factor);
/// The case in shapes that samples do not have: extents around 64, rows of 1, 1,000 and 100,000 elements, and 3,001
/// rows. Equal extents stay equal. Where the operator refuses a shape, or its results would be many, it is left out.
std::vector<Variant> large_shapes(const TestCase& given);

class OperatorTest : public testing::TestWithParam<std::string> {
 protected:
  const OpInfo& op() const { return find_op(GetParam()); }
  /// Has no results: writes into its inputs, which its description wants in one layout and dtype (steps of optimizers).
  bool only_writes() const { return op().doc.outputs == "none[]"; }
  bool only_inplace() const { return op().traits.inplace == Inplace::only; }
  /// Results hold whatever was in memory (empty and its like): nothing to compare but shapes.
  bool uninitialised() const { return op().lua_name.find("empty") != std::string::npos; }
};

enum class Layout { plain, transposed, narrowed, channels_last };
/// The same values with other strides, in storage of their own. Not recorded.
Tensor relaid(const Tensor& t, Layout layout);
/// The first part of a dim (a negative one counts from the end) repeated: stride 0 along it.
Tensor expanded(const Tensor& t, int dim = 0);
Tensor copy_of(const Tensor& t, Dtype dtype);  // row-major
inline Tensor copy_of(const Tensor& t) { return copy_of(t, t.dtype()); }
/// Each tensor among the inputs replaced by f of it.
template <class F>
Inputs each_tensor(const Inputs& in, F&& f) {
  Inputs out;
  for (auto& v : in) out.push_back(v.is_tensor() ? Value(f(v.tensor())) : v);
  return out;
}

/// All elements, row-major.
std::vector<double> doubles(const Tensor& t);
/// "" or the first difference in dtype, shape or values (nan equals nan); `got` and `want` may have other strides.
std::string difference(const Tensor& got, const Tensor& want, double rtol = 0, double atol = 0);
std::string difference(const Tensors& got, const Tensors& want, double rtol = 0, double atol = 0);
/// "" or which result differs in its bits.
std::string other_bits(const Tensors& got, const Tensors& want);
/// Gradients of sum(y · c) with fixed numbers c, by the floating inputs; null where there is none.
Tensors gradients(const Tensors& results, const Tensors& leaves);

}  // namespace luth::test
