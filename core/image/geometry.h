// Images of another size or place.
#pragma once
#include <array>

#include "core/image/image.h"

namespace luth::data {

enum class Interpolation { nearest, bilinear, bicubic };
/// By its name; throws for another one.
Interpolation interpolation_of(const std::string& name, const char* who);

/// A part of an image; what lies outside of it has the value `fill`.
struct Box {
  int64_t top, left, height, width;
};
Pixels crop(const Pixels& from, const Box& box, uint8_t fill = 0);
/// `left`, `top`, `right`, `bottom` more pixels; mode "constant", "edge", "reflect" or "symmetric".
Pixels pad(const Pixels& from, const std::array<int64_t, 4>& sides, uint8_t fill, const std::string& mode);

/// The image at another size: each pixel is a mean of those that it covers, weighted by the filter. Two passes, in the
/// order that Pillow 13 has, in fixed point with 22 bits, each rounded to bytes: Pillow's values. `antialias` =
/// false: the filter has its own width whatever the scale.
Pixels resize(const Pixels& from, int64_t height, int64_t width, Interpolation how, bool antialias = true);
Pixels flip_horizontally(const Pixels& from);
Pixels flip_vertically(const Pixels& from);

/// Of the point (x, y) of the result to that of the source: x' = (a x + b y + c) / w, y' = (d x + e y + f) / w with
/// w = g x + h y + 1.
using Projection = std::array<double, 8>;
/// Pixels of the source at the places of those of the result; `fill` outside. Bicubic is bilinear here.
Pixels project(const Pixels& from, int64_t height, int64_t width, const Projection& p, Interpolation how, uint8_t fill);
/// Turns by `degrees` clockwise, shears and scales around the centre, and moves: the projection of project().
Projection affine(const Pixels& of, double degrees, double move_x, double move_y, double scale, double shear_x,
                  double shear_y);
/// The projection that takes the four points `to` to `from`; points are (x, y). Throws where there is none.
using Corners = std::array<std::array<double, 2>, 4>;
Projection perspective(const Corners& from, const Corners& to);

}  // namespace luth::data
