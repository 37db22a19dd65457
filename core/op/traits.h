// Traits: the facts of an operator, one value in its struct.
//
//   static constexpr Traits traits{.saves = "input: result", .offered = Offered::function};
//
// Structs of a family add to the family's facts; `traits{…}` alone would lose them and does not compile:
//
//   struct Exp : FloatElementwise {
//     static constexpr Traits traits = family.with({.saves = "input: result"});
//   …
//   struct Searching {  // a family of one's own
//     static constexpr Traits family{.not_differentiable = "its result is positions"}, traits = family;
#pragma once
#include <string_view>

#include "core/base/small.h"

namespace luth {

class Value;
using Inputs = Small<Value, 4>;

/// How apply() makes the dtypes of the inputs one before `infer` sees them.
enum class Promote : uint8_t {
  unset,     // as none; a family's stays
  none,      // infer decides
  common,    // PyTorch's result type of all inputs
  floating,  // the same, and integers and bool become the default float dtype
};

/// Whether `op_` exists, which writes the first result into the first input.
enum class Inplace : uint8_t {
  automatic,  // yes, if the operator is elementwise or overwrites
  none,
  also,
  only,  // `op_` alone exists (normal_, uniform_)
};

/// What scripts call it by.
enum class Offered : uint8_t {
  everywhere,          // torch.op(x) and x:op()
  function,            // torch.op(x)
  method,              // x:op()
  functional,          // torch.op(x), which PyTorch has as torch.nn.functional.op alone
  functional_inplace,  // the same, and op_ too
};

/// What autocast does to the floating inputs, float64 excepted.
enum class Autocast : uint8_t {
  none,
  lower,    // cast to the scope's 16-bit dtype
  f32,      // cast to float32
  widest,   // cast to one dtype: float32 where an input has it
  refused,  // an error where an input is 16-bit
};

// Functions that an operator may have. They are compared by whether there is one: under sanitizers g++ cannot compare
// addresses of functions in constant expressions. No template, which would want Inputs to be complete here.
struct BoolCheck {
  constexpr BoolCheck() = default;
  constexpr BoolCheck(void (*f)(const Inputs& in)) : run(f), given(true) {}
  constexpr bool operator==(const BoolCheck& o) const { return given == o.given; }
  void (*run)(const Inputs& in) = nullptr;
  bool given = false;
};
struct InplaceCheck {
  constexpr InplaceCheck() = default;
  constexpr InplaceCheck(void (*f)(const void* op, const Inputs& in)) : run(f), given(true) {}
  constexpr bool operator==(const InplaceCheck& o) const { return given == o.given; }
  void (*run)(const void* op, const Inputs& in) = nullptr;
  bool given = false;
};

struct Traits {
  // gradient
  /// What vjp reads, by the input that its gradient is for: "input: other, result; other: input.meta" ("*": for each).
  /// Values, or with `.meta` shape and dtype alone. All else is null in vjp, and so is what only serves a gradient that
  /// is not wanted: ask Call::wants(i) first.
  std::string_view saves;
  std::string_view not_differentiable;  // the reason, when it has no vjp and should have none

  // names
  std::string_view aliases;  // further Lua names, space-separated: "absolute"
  std::string_view order;    // positional arguments, where the inputs are not the first: "input, dim, index"
  /// Arguments of two names, the documented one first: "input: dividend; other: divisor". The struct has either. One
  /// name alone ends what its name space says (linalg: "A: input", special: "input: x").
  std::string_view second_names;
  Offered offered = Offered::everywhere;
  bool internal = false;  // not offered at all

  // dtypes, shapes and memory
  Inplace inplace = Inplace::automatic;
  Promote promote = Promote::unset;
  int promote_from = 0;      // the first input that takes part (where's condition does not)
  bool broadcast = false;    // tensor inputs are expanded to a common shape first
  bool elementwise = false;  // kernels take any layout of inputs and result, and a result that is an input
  bool overwrites = false;   // kernels take any layout of the result, which may be the first input: `op_` needs no copy
  bool fills = false;        // every element gets the same value: `op_` of a number may write an expanded tensor
  /// Bit k: a number as input k is not rounded to the 16-bit float dtype of the tensors beside it. With bit 1 a
  /// 0-dimensional tensor as input 1 counts as such a number. See core/dispatch/half_numbers.h.
  uint8_t exact_numbers = 0;
  bool divides = false;  // by input 1, which must not be 0 where they are integers
  Autocast autocast = Autocast::none;
  bool casts_out = false;  // results become the dtype of out=, as those of elementwise operators and composites do

  // calls and results
  bool factory = false;          // makes tensors from attributes: `device`, `dtype` say where and of what
  bool star = false;             // lists may be separate arguments, and are several results: X, Y = meshgrid(a, b)
  bool answers = false;          // a question: scripts get its 0-dimensional bool result as a Lua boolean
  bool takes_generator = false;  // made of random operators: scripts may give a `generator`
  bool kernel_required = false;  // training spends time in it: a device has a kernel for it, not a composition
  /// Runs where an operand is bool and there is something to promote, before that hides it.
  BoolCheck check_bool;
  /// Runs before `op_` of an operator whose kernel does not write into its input.
  InplaceCheck check_inplace;

  bool operator==(const Traits&) const = default;

 private:
  /// Calls f with every member: does not compile where one is missing.
  template <class T, class F>
  static constexpr void members(T& t, F&& f) {
    auto& [a, b, c, d, e, f1, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z] = t;
    f(a, b, c, d, e, f1, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z);
  }

 public:
  /// These facts, but where `more` says otherwise than a Traits{}, whose members are all T(). No tuples: the compiler
  /// evaluates this for each operator that a file includes.
  constexpr Traits with(const Traits& more) const {
    Traits all = *this;
    const auto take = []<class T>(T& to, const T& given) {
      if (!(given == T())) to = given;
    };
    members(all, [&](auto&... to) { members(more, [&](auto&... given) { (take(to, given), ...); }); });
    return all;
  }
};

}  // namespace luth
