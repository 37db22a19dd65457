// Images: tensors uint8 [channels, height, width], 1 (grey) or 3 (RGB) channels, in whose memory each pixel is whole.
#pragma once
#include <cstdint>
#include <string>

#include "core/tensor/tensor.h"

namespace luth::data {

/// More pixels than this are refused before memory is taken: a file of a few bytes may claim any size.
inline constexpr int64_t most_pixels = 178'956'970;

/// An image without content. Throws for more than most_pixels.
Tensor new_image(int64_t channels, int64_t height, int64_t width);

/// The bytes of an image: `channels` bytes for a pixel, `width` pixels for a row.
struct Pixels {
  Tensor image;  // what keeps them
  int64_t channels, height, width;
  uint8_t* data;
  int64_t row_bytes() const { return channels * width; }
  uint8_t* row(int64_t y) const { return data + y * row_bytes(); }
  uint8_t* at(int64_t y, int64_t x) const { return row(y) + x * channels; }
};

/// Those of an image, which is copied where its pixels are not whole. Throws, with `who` in the text, for a tensor that
/// is no image.
Pixels pixels_of(const Tensor& image, const std::string& who);
/// Those of a new image.
Pixels new_pixels(int64_t channels, int64_t height, int64_t width);
/// A copy that may be written.
Pixels copy_of(const Pixels& from);

}  // namespace luth::data
