// Rules for calls as they were given: checks of bool operands before promotion hides them, and of forms in place before
// their result is computed; 0-dimensional operands that keep their precision; results that out= converts. Registered
// beside the operator's definition, for the few that need one.
#pragma once
#include "core/op/op.h"

namespace luth {

using BoolCheck = void (*)(const Inputs& in);
void set_bool_check(const OpInfo& info, BoolCheck check);
/// Runs the operator's check, if it has one and an operand of `in` is bool: before promotion, and only where there is
/// something to promote.
void check_bool(const OpInfo& info, const Inputs& in);
/// In the family's .cpp: `const ChecksBool<Sub> bool_{refuse};`.
template <class... Op>
struct ChecksBool {
  explicit ChecksBool(BoolCheck check) { (set_bool_check(entry(Op::doc.name), check), ...); }
};

using InplaceCheck = void (*)(const void* op, const Inputs& in);
void set_inplace_check(const OpInfo& info, InplaceCheck check);
/// Runs the operator's check, if it has one, before `op_` does anything.
void check_inplace_form(const OpInfo& info, const void* op, const Inputs& in);
/// `const ChecksInplace<Cumsum> inplace_{check};`: for operators whose kernels do not write into their inputs.
template <class... Op>
struct ChecksInplace {
  explicit ChecksInplace(InplaceCheck check) { (set_inplace_check(entry(Op::doc.name), check), ...); }
};

/// Says that results are converted to the dtype of `out=`, as those of elementwise operators, composites and factories.
void set_casts_out(const OpInfo& info);
bool casts_out(const OpInfo& info);
/// `const CastsOut<Sum, Mean> casts_;`
template <class... Op>
struct CastsOut {
  CastsOut() { (set_casts_out(entry(Op::doc.name)), ...); }
};

/// Says that a 0-dimensional second operand counts as a number, which a 16-bit float beside it does not round.
void set_keeps_number(const OpInfo& info);
bool keeps_number(const OpInfo& info);
/// `const KeepsNumber<Mul, Div> keeps_;`: those whose kernels take such numbers, see
/// core/ops/elementwise/scalar_precision.h.
template <class... Op>
struct KeepsNumber {
  KeepsNumber() { (set_keeps_number(entry(Op::doc.name)), ...); }
};

}  // namespace luth
