#include "core/image/image.h"

#include <cstring>

#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"

namespace luth::data {

Tensor new_image(int64_t channels, int64_t height, int64_t width) {
  if (height < 1 || width < 1 || channels < 1)
    throw Error("an image of {} x {} pixels in {} channels has no content", height, width, channels);
  if (height > most_pixels || width > most_pixels || height * width > most_pixels)
    throw Error("an image of {} x {} pixels is larger than the {} pixels that luth takes", height, width, most_pixels);
  const Tensor rows = Tensor::empty({height, width, channels}, Dtype::u8, host());
  return Tensor::alias(rows.storage(), {channels, height, width}, {1, width * channels, channels}, 0, Dtype::u8);
}

static Pixels bytes_of(const Tensor& image) {
  const Shape& s = image.shape();
  return {image, s[0], s[1], s[2], image.data<uint8_t>()};
}

Pixels new_pixels(int64_t channels, int64_t height, int64_t width) {
  return bytes_of(new_image(channels, height, width));
}

Pixels pixels_of(const Tensor& image, const std::string& who) {
  if (image.dim() != 3 || image.dtype() != Dtype::u8 || (image.shape()[0] != 1 && image.shape()[0] != 3))
    throw Error("{} takes images, uint8[1 or 3, height, width], got {}; transforms of images come before ToTensor", who,
                describe(image));
  if (&image.device() != &host()) throw Error("{} takes images on the CPU, got {}", who, describe(image));
  const Shape& s = image.shape();
  const Strides& t = image.strides();
  if (t[0] == 1 && t[2] == s[0] && t[1] == s[0] * s[2]) return bytes_of(image);
  const Pixels to = new_pixels(s[0], s[1], s[2]);
  const uint8_t* from = image.data<uint8_t>();
  for (int64_t y = 0; y < s[1]; ++y)
    for (int64_t x = 0; x < s[2]; ++x)
      for (int64_t c = 0; c < s[0]; ++c) to.at(y, x)[c] = from[c * t[0] + y * t[1] + x * t[2]];
  return to;
}

Pixels copy_of(const Pixels& from) {
  const Pixels to = new_pixels(from.channels, from.height, from.width);
  std::memcpy(to.data, from.data, size_t(from.height * from.row_bytes()));
  return to;
}

}  // namespace luth::data
