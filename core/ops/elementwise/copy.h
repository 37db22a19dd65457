// Copies, casts and fills: what apply() and autograd themselves are built on. See op.h for the recipe.
#pragma once
#include "core/op/basics.h"
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

/// The tensor in another dtype; apply() inserts it for promotion. Not elementwise: a result in place would change
/// dtype.
struct Cast {
  static constexpr Doc doc{"cast", "input",
                           "The tensor converted to another dtype; the same tensor where nothing changes."};
  static constexpr Traits traits{.saves = "input: input.meta", .internal = true};
  Dtype dtype = Dtype::f32;
  void describe(auto& field) { field("dtype", dtype, "the dtype of the result", as::required); }
  Spec infer(const Inputs& in) const { return elementwise_spec(in, dtype); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Cast> samples() { return {{{.dtype = Dtype::f64}, {{2, 3}}}, {{.dtype = Dtype::f64}, {{}}}}; }
};

/// The functional form of copy_: src as input's dtype and shape.
struct Copy {
  static constexpr Doc doc{"copy", "input, src|number",
                           "The elements of src, broadcast to input's shape, in input's dtype and device."};
  static constexpr Traits traits{
      .saves = "src: src.meta", .offered = Offered::method, .inplace = Inplace::only, .elementwise = true};
  bool non_blocking = false;
  void describe(auto& field) { field("non_blocking", non_blocking, "return before a copy between devices is done"); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Copy> samples() { return {{{}, {{2, 3}, {2, 3}}}, {{}, {{2, 3}, {3}}}}; }
};

struct Clone {
  static constexpr Doc doc{"clone", "input", "A copy of the tensor, with memory of its own."};
  MemoryFormat memory_format = MemoryFormat::preserve;
  void describe(auto& field) { field("memory_format", memory_format, "the order of the copy in memory", as::named); }
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call&, const Tensor& dy) const { return {dy}; }
  static Cases<Clone> samples() {
    return {{{}, {{2, 3}}},
            {{.memory_format = MemoryFormat::channels_last}, {{2, 3, 2, 2}}},
            {{MemoryFormat::contiguous}, {{3}}}};
  }
};

struct Contiguous {
  static constexpr Doc doc{"contiguous", "input",
                           "The tensor itself if it lies in memory in that order, else a copy that does."};
  static constexpr Traits traits{.offered = Offered::method};
  MemoryFormat memory_format = MemoryFormat::contiguous;
  void describe(auto& field) { field("memory_format", memory_format, "the order in memory"); }
  Tensor decompose(const Inputs& in) const;
  static Cases<Contiguous> samples() { return {{{}, {{2, 3}}}, {{MemoryFormat::channels_last}, {{2, 3, 2, 2}}}}; }
};

struct Fill {
  static constexpr Doc doc{"fill", "input, value|number",
                           "Every element set to value, a number or a 0-dimensional tensor."};
  static constexpr Traits traits{.offered = Offered::function, .elementwise = true, .fills = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Fill> samples() { return {{{}, {{2, 3}, {}}}}; }
};
struct Zero {
  static constexpr Doc doc{"zero", "input", "Every element set to 0."};
  static constexpr Traits traits{
      .offered = Offered::method, .inplace = Inplace::only, .elementwise = true, .fills = true};
  Spec infer(const Inputs& in) const;
  Tensors vjp(const Call&, const Tensor& dy) const;
  static Cases<Zero> samples() { return {{{}, {{2, 3}}}}; }
};

/// To another device.
struct ToDevice {
  static constexpr Doc doc{"to_device", "input",
                           "The tensor on another device; the same tensor where nothing changes."};
  static constexpr Traits traits{.saves = "input: input.meta", .internal = true};
  Device* device = nullptr;
  bool non_blocking = false;
  void describe(auto& field) {
    field("device", device, "where the result lies", as::required);
    field("non_blocking", non_blocking, "return before the copy is done");
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<ToDevice> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Copy> copy;
inline constexpr Fn<ops::Clone> clone;
inline constexpr Fn<ops::Contiguous> contiguous;
inline constexpr Fn<ops::Fill> fill;
inline constexpr Fn<ops::ToDevice> to_device;

/// PyTorch's rule for a number that is written as an element of dtype `d`: an integer dtype must have it in its range
/// (of uint8, negative ones down to -255 wrap), a float dtype too, unless it is infinite or nan.
bool holds(Dtype d, const Scalar& v);
/// Throws where `v` is a number that `d` does not hold.
void check_holds(Dtype d, const Value& v);

/// A tensor of zeros of t's shape, dtype and device; needs no gradient.
Tensor zeros_of(const Tensor& t);
}  // namespace luth
