// Settings that transforms share: how pixels are found at other places, and what lies outside of an image.
#pragma once
#include <algorithm>
#include <string>

#include "core/image/geometry.h"

namespace luth::data {

/// The value of what lies outside, cut to a byte.
inline uint8_t byte_of(double fill) { return uint8_t(std::clamp(fill, 0.0, 255.0)); }
inline constexpr const char* fill_doc = "value of what lies outside, 0 to 255";

struct How {
  Interpolation interpolation;
  uint8_t fill;
};

/// The last settings of transforms that move pixels.
struct Placing {
  std::string interpolation = "nearest";
  double fill = 0;
  void describe(auto& field) {
    field("interpolation", interpolation, "'nearest' or 'bilinear'");
    field("fill", fill, fill_doc);
  }
  /// Throws for an unknown interpolation; `who` begins the text.
  How how(const char* who) const { return {interpolation_of(interpolation, who), byte_of(fill)}; }
};

/// The last settings of transforms that pad.
struct Padding {
  double fill = 0;
  std::string padding_mode = "constant";
  void describe(auto& field) {
    field("fill", fill, fill_doc);
    field("padding_mode", padding_mode, "'constant', 'edge', 'reflect' or 'symmetric'");
  }
};

}  // namespace luth::data
