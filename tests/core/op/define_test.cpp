// Mistakes in operators that no compiler sees.
#include "core/op/define.h"

#include <gtest/gtest.h>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/reduce.h"

namespace luth::ops {
namespace {

/// Computes both gradients, wanted or not.
struct Unasked {
  static constexpr Doc doc{"test_unasked", "input, other", "Product."};
  static constexpr Traits traits{.saves = "input: other; other: input"};
  Tensor decompose(const Inputs& in) const { return mul(in[0], in[1]); }
  Tensors vjp(const Call& c, const Tensor& dy) const { return {mul(dy, c.in[1]), mul(dy, c.in[0])}; }
};
/// Does not save what it reads.
struct Unsaved {
  static constexpr Doc doc{"test_unsaved", "input, other", "Product."};
  static constexpr Traits traits{.saves = "input: other"};
  Tensor decompose(const Inputs& in) const { return mul(in[0], in[1]); }
  Tensors vjp(const Call& c, const Tensor& dy) const { return {mul(dy, c.in[1]), mul(dy, c.in[0])}; }
};
struct Other {
  static constexpr Doc doc{"test_unsaved", "input", "Another operator."};
  Tensor decompose(const Inputs& in) const { return in[0]; }
};
const DefineAll<Unasked, Unsaved> define_;

std::string error_of(auto&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "";
}
template <class Op>
std::string backward_error(bool first, bool second) {
  const Tensor x = Tensor::scalar(2, Dtype::f32), y = Tensor::scalar(3, Dtype::f32);
  x.set_requires_grad(first);
  y.set_requires_grad(second);
  return error_of([&] { Fn<Op>()(x, y).backward(); });
}

TEST(Define, ReadingWhatWasNotSavedIsAnError) {
  EXPECT_EQ(backward_error<Unasked>(true, true), "");
  for (const std::string& text : {backward_error<Unasked>(true, false), backward_error<Unsaved>(false, true)})
    for (const char* part : {"mul(", "other is missing, in the vjp of 'test_un", "`saves`", "c.wants(i)"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(Define, TwoOperatorsOfOneName) {
  find_op("test_unsaved");
  EXPECT_EQ(error_of([] {
              Define<Other>();
              find_op("test_unsaved");
            }),
            "two operators are named 'test_unsaved': \"Product.\" and \"Another operator.\"");
}

}  // namespace
}  // namespace luth::ops
