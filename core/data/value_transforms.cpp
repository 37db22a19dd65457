// Transforms from bytes to numbers, and of numbers. Names and settings are those of torchvision's.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/data/transform.h"
#include "core/ops/elementwise/copy.h"

namespace luth::data {
namespace {

// float32 [C, H, W] in [0, 1] of an image.
Tensor to_floats(const Pixels& p) {
  Tensor out = Tensor::empty({p.channels, p.height, p.width}, Dtype::f32, host());
  const int64_t n = p.height * p.width;
  static const auto shares = [] {  // a division takes longer than a look
    std::array<float, 256> all{};
    for (int v = 0; v < 256; ++v) all[size_t(v)] = float(v) / 255.0f;
    return all;
  }();
  for (int64_t c = 0; c < p.channels; ++c) {
    float* to = out.data<float>() + c * n;
    const uint8_t* from = p.data + c;
    for (int64_t i = 0; i < n; ++i) to[i] = shares[from[i * p.channels]];
  }
  return out;
}

// A float32 image [C, H, W], row by row, that may be written.
Tensor writable(const Tensor& image, const char* who) {
  if (image.dim() != 3 || image.dtype() != Dtype::f32)
    throw Error("{} takes float32[channels, height, width], got {}; it comes after ToTensor", who, describe(image));
  return dense_copy(image);
}

struct ToTensor {
  static constexpr const char *name = "ToTensor", *brief = "float32[C, H, W] in [0, 1] of an image.";
  void describe(auto&) {}
  Tensor run(const Tensor& image, Random&) const { return to_floats(pixels_of(image, name)); }
};

struct ToDtype {
  static constexpr const char *name = "ToDtype", *brief = "An image as numbers of another dtype.";
  Dtype dtype = Dtype::f32;
  bool scale = false;
  void describe(auto& field) {
    field("dtype", dtype, "of the result", as::required);
    field("scale", scale, "of an image: 0 to 255 become 0 to 1");
  }
  Tensor run(const Tensor& image, Random&) const {
    const Tensor numbers = scale && image.dtype() == Dtype::u8 ? to_floats(pixels_of(image, name)) : image;
    return cast_to(numbers, dtype);
  }
};

struct Normalize {
  static constexpr const char *name = "Normalize", *brief = "(x - mean) / std of each channel.";
  std::vector<double> mean, std;
  void describe(auto& field) {
    field("mean", mean, "of each channel, or of all", as::required);
    field("std", std, "of each channel, or of all", as::required);
  }
  void check() const {
    if (mean.empty() || std.empty()) throw Error("Normalize: mean and std are lists of numbers");
    for (double s : std)
      if (s == 0) throw Error("Normalize: std holds 0, by which nothing can be divided");
  }
  Tensor run(const Tensor& image, Random&) const {
    const Tensor out = writable(image, name);
    const int64_t channels = out.shape()[0], n = out.shape()[1] * out.shape()[2];
    for (auto* list : {&mean, &std})
      if (list->size() != 1 && int64_t(list->size()) != channels)
        throw Error("Normalize: the image has {} channels, and {} numbers are given", channels, list->size());
    for (int64_t c = 0; c < channels; ++c) {
      const float m = float(mean[mean.size() == 1 ? 0 : size_t(c)]), s = float(std[std.size() == 1 ? 0 : size_t(c)]);
      float* p = out.data<float>() + c * n;
      for (int64_t i = 0; i < n; ++i) p[i] = (p[i] - m) / s;
    }
    return out;
  }
};

struct RandomErasing {
  static constexpr const char *name = "RandomErasing", *brief = "An image, or one of which a part has been erased.";
  double p = 0.5, value = 0;
  std::vector<double> scale{0.02, 0.33}, ratio{0.3, 3.3};
  void describe(auto& field) {
    field("p", p, "probability");
    field("scale", scale, "least and largest share of the area");
    field("ratio", ratio, "least and largest height / width");
    field("value", value, "of the erased pixels");
  }
  void check() const {
    if (scale.size() != 2 || ratio.size() != 2 || !(ratio[0] > 0 && scale[0] >= 0 && scale[1] <= 1))
      throw Error("RandomErasing: scale and ratio are two numbers each, scale within 0 to 1");
  }
  Tensor run(const Tensor& image, Random& random) const {
    if (!random.chance(p)) return image;
    const Tensor out = writable(image, name);
    const int64_t height = out.shape()[1], width = out.shape()[2];
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double area = double(height * width) * random.uniform(scale[0], scale[1]);
      const double shape = random.log_uniform(ratio[0], ratio[1]);
      const int64_t h = int64_t(std::nearbyint(std::sqrt(area * shape))),
                    w = int64_t(std::nearbyint(std::sqrt(area / shape)));
      if (h >= height || w >= width) continue;
      const int64_t top = random.integer(0, height - h + 1), left = random.integer(0, width - w + 1);
      for (int64_t c = 0; c < out.shape()[0]; ++c)
        for (int64_t y = top; y < top + h; ++y)
          std::fill_n(out.data<float>() + (c * height + y) * width + left, w, float(value));
      break;
    }
    return out;
  }
};

}  // namespace

const std::vector<TransformClass>& value_transforms() {
  static const auto& list =
      *new std::vector<TransformClass>{transform_class<ToTensor>(), transform_class<ToDtype>(),
                                       transform_class<Normalize>(), transform_class<RandomErasing>()};
  return list;
}

}  // namespace luth::data
