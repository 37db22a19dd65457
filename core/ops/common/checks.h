// Checks that rules of several families share.
#pragma once
#include "core/op/op.h"

namespace luth::ops {

/// Throws unless `v` is of a floating dtype; `what` names it in the text.
void check_floating(const Value& v, std::string_view what = "input");

/// Throws unless `x` and `y`, which `a` and `b` name, have one dtype.
void check_same_dtype(const char* a, const Value& x, const char* b, const Value& y);
/// Throws unless all tensors have the dtype of the first; calls check(tensor) for each on the way.
template <class F>
void check_one_dtype(const Inputs& in, F&& check) {
  for (auto& v : in) {
    if (!v.is_tensor()) continue;
    if (v.dtype() != in[0].dtype())
      throw Error("inputs must have one dtype, got {} and {}; convert one with :to()", name(in[0].dtype()),
                  name(v.dtype()));
    check(v);
  }
}

/// The shape and dtype of `input`, and its strides where they are dense.
Spec same_as(const Value& input);

/// Results of input's shape: elements along `dim` in another order or choice, and their positions.
Specs elements_and_positions(const Value& input, int64_t dim);

/// Throws for bool, where other dtypes do.
void check_not_bool(Dtype d);

/// Throws for more than a million parts: each is a tensor of its own, however empty, and no extent bounds them.
void check_parts(int64_t parts);

/// Whether the CPU may read an element of `x` at once: on other devices it would wait, and some have none to read.
bool is_readable(const Tensor& x);

/// What sums over elements of `d` are kept in: float64 for float64, else float32.
Dtype wide(Dtype d);

}  // namespace luth::ops
