// Images of other colours. Factors and formulas are those of Pillow's ImageEnhance and ImageOps; values are cut to
// bytes.
#pragma once
#include <vector>

#include "core/image/image.h"

namespace luth::data {

/// One channel: (19595 R + 38470 G + 7471 B + 2^15) / 2^16.
Pixels to_grey(const Pixels& from);
/// `channels` equal ones of an image of one channel.
Pixels repeat_grey(const Pixels& grey, int64_t channels);

/// The image times `factor`.
Pixels brightness(const Pixels& from, double factor);
/// From the mean of the grey image (0) over the image (1) on.
Pixels contrast(const Pixels& from, double factor);
/// From the grey image (0) over the image (1) on.
Pixels saturation(const Pixels& from, double factor);
/// From a smoothed image (0) over the image (1) on.
Pixels sharpness(const Pixels& from, double factor);
/// All hues turned by `turn` of a circle, -0.5 to 0.5.
Pixels hue(const Pixels& from, double turn);

Pixels invert(const Pixels& from);
/// The upper `bits` bits of each value.
Pixels posterize(const Pixels& from, int bits);
/// Values from `threshold` on inverted.
Pixels solarize(const Pixels& from, double threshold);
/// The range of each channel stretched to 0 … 255.
Pixels autocontrast(const Pixels& from);
/// The values of each channel as often as each other, as far as they can be.
Pixels equalize(const Pixels& from);
/// Weights of a Gauss function in both directions, over `width` x `height` pixels (odd); reflected at the edges.
Pixels gaussian_blur(const Pixels& from, int64_t width, int64_t height, double sigma);

}  // namespace luth::data
