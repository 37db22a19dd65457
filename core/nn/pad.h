// Padding: elements added around sequences, images and volumes.
#pragma once
#include "core/nn/module.h"
#include "core/ops/window/pad.h"

namespace luth::nn {

enum class Padding { constant, zero, reflect, replicate, circular };

/// Over n spatial dims. `padding` is one number, or two for each dim, the last one first; negative ones cut off.
template <Padding kind, int n>
struct PadSpec {
  static constexpr const char* names[][3] = {
      {"ConstantPad1d", "ConstantPad2d", "ConstantPad3d"},
      {"ZeroPad1d", "ZeroPad2d", "ZeroPad3d"},
      {"ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d"},
      {"ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d"},
      {"CircularPad1d", "CircularPad2d", "CircularPad3d"},
  };
  static constexpr const char* briefs[] = {
      "a value around the input", "zeros around the input", "the input reflected at its borders",
      "the input's outermost elements around it", "elements from the other end around the input"};
  static constexpr const char *name = names[int(kind)][n - 1], *brief = briefs[int(kind)];
  Ints padding;
  Scalar value = 0;
  void describe(auto& field) {
    constexpr bool named = kind == Padding::constant;
    field("padding", padding, "elements on every side, or before and after the last dim, then the one before it, …",
          as::required | (named ? as::plain : as::bare));
    if constexpr (named) field("value", value, "what is added", as::required);
  }
};
template <Padding kind, int n>
class Pad final : public Layer<Pad<kind, n>, PadSpec<kind, n>> {
 public:
  using Layer<Pad, PadSpec<kind, n>>::Layer;
  using Layer<Pad, PadSpec<kind, n>>::spec;
  void build() override;
  Tensor run(const Tensor& x) {
    constexpr const char* modes[] = {"constant", "constant", "reflect", "replicate", "circular"};
    return pad(x, {.pad = spec.padding,
                   .mode = modes[int(kind)],
                   .value = kind == Padding::constant ? std::optional(spec.value) : std::nullopt});
  }
};

}  // namespace luth::nn
