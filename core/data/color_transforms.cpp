// Transforms that change colours. Names, settings and choices of random numbers are those of torchvision's.
#include <algorithm>
#include <utility>

#include "core/data/transform.h"
#include "core/image/color.h"

namespace luth::data {
namespace {

struct Grayscale {
  static constexpr const char *name = "Grayscale", *brief = "The image in grey.";
  int num_output_channels = 1;
  void describe(auto& field) { field("num_output_channels", num_output_channels, "1, or 3 equal ones"); }
  void check() const {
    if (num_output_channels != 1 && num_output_channels != 3) throw Error("Grayscale: num_output_channels is 1 or 3");
  }
  Tensor run(const Tensor& image, Random&) const {
    return repeat_grey(to_grey(pixels_of(image, name)), num_output_channels).image;
  }
};

struct RandomGrayscale : WithoutSettings {
  static constexpr double usual = 0.1;
  static constexpr const char *name = "RandomGrayscale", *brief = "The image, or the image in grey.";
  Pixels change(const Pixels& p) const { return repeat_grey(to_grey(p), p.channels); }
};
struct RandomInvert : WithoutSettings {
  static constexpr const char *name = "RandomInvert", *brief = "The image, or its negative.";
  Pixels change(const Pixels& p) const { return invert(p); }
};
struct RandomAutocontrast : WithoutSettings {
  static constexpr const char *name = "RandomAutocontrast",
                              *brief = "The image, or the one whose values fill the range.";
  Pixels change(const Pixels& p) const { return autocontrast(p); }
};
struct RandomEqualize : WithoutSettings {
  static constexpr const char *name = "RandomEqualize",
                              *brief = "The image, or the one whose values are equally frequent.";
  Pixels change(const Pixels& p) const { return equalize(p); }
};
struct RandomPosterize {
  static constexpr double usual = 0.5;
  static constexpr const char *name = "RandomPosterize", *brief = "The image, or one of fewer values.";
  int bits = 4;
  void describe(auto& field) { field("bits", bits, "bits of a value that stay, 0 to 8", as::required); }
  void check() const {
    if (bits < 0 || bits > 8) throw Error("RandomPosterize: bits is 0 to 8, got {}", bits);
  }
  Pixels change(const Pixels& p) const { return posterize(p, bits); }
};
struct RandomSolarize {
  static constexpr double usual = 0.5;
  static constexpr const char *name = "RandomSolarize", *brief = "The image, or one whose bright values are inverted.";
  double threshold = 128;
  void describe(auto& field) { field("threshold", threshold, "from where on values are inverted", as::required); }
  void check() const {}
  Pixels change(const Pixels& p) const { return solarize(p, threshold); }
};
struct RandomAdjustSharpness {
  static constexpr double usual = 0.5;
  static constexpr const char *name = "RandomAdjustSharpness", *brief = "The image, or a sharper or smoother one.";
  double sharpness_factor = 1;
  void describe(auto& field) {
    field("sharpness_factor", sharpness_factor, "0: smooth, 1: the image, 2: sharper", as::required);
  }
  void check() const {
    if (sharpness_factor < 0) throw Error("RandomAdjustSharpness: sharpness_factor is at least 0");
  }
  Pixels change(const Pixels& p) const { return sharpness(p, sharpness_factor); }
};

struct ColorJitter {
  static constexpr const char *name = "ColorJitter",
                              *brief = "An image of random brightness, contrast, saturation and hue, in random order.";
  std::vector<double> brightness{0}, contrast{0}, saturation{0}, hue{0};
  void describe(auto& field) {
    constexpr const char* doc = "{least, largest} factor; one number x is {max(0, 1 - x), 1 + x}";
    field("brightness", brightness, doc);
    field("contrast", contrast, doc);
    field("saturation", saturation, doc);
    field("hue", hue, "{least, largest} part of a turn, within -0.5 to 0.5; one number x is {-x, x}");
  }
  static std::pair<double, double> factors(const std::vector<double>& v) {
    return range_of(v, std::max(0.0, 1 - v[0]), 1 + v[0]);
  }
  void check() const {
    for (auto* v : {&brightness, &contrast, &saturation, &hue})
      if (v->empty() || v->size() > 2) throw Error("ColorJitter: each setting is one number or two");
    for (auto* v : {&brightness, &contrast, &saturation})
      if (const auto [low, high] = factors(*v); low < 0 || low > high)
        throw Error("ColorJitter: factors are at least 0, the smaller one first");
    const auto [low, high] = range_of(hue, -hue[0], hue[0]);
    if (!(low >= -0.5 && low <= high && high <= 0.5)) throw Error("ColorJitter: hue lies within -0.5 to 0.5");
  }
  Tensor run(const Tensor& image, Random& random) const {
    Pixels p = pixels_of(image, name);
    int order[] = {0, 1, 2, 3};
    for (int i = 3; i > 0; --i) std::swap(order[i], order[random.integer(0, i + 1)]);
    auto factor = [&](const std::vector<double>& v) {
      const auto [low, high] = factors(v);
      return random.uniform(low, high);
    };
    const double b = factor(brightness), c = factor(contrast), s = factor(saturation);
    const auto [low, high] = range_of(hue, -hue[0], hue[0]);
    const double h = random.uniform(low, high);
    for (int which : order) {
      if (which == 0 && b != 1) p = data::brightness(p, b);
      if (which == 1 && c != 1) p = data::contrast(p, c);
      if (which == 2 && s != 1) p = data::saturation(p, s);
      if (which == 3 && h != 0) p = data::hue(p, h);
    }
    return p.image;
  }
};

struct GaussianBlur {
  static constexpr const char *name = "GaussianBlur", *brief = "An image blurred by a Gauss function of random width.";
  Ints kernel_size;
  std::vector<double> sigma{0.1, 2};
  void describe(auto& field) {
    field("kernel_size", kernel_size, "odd number of pixels, or {width, height}", as::required);
    field("sigma", sigma, "{least, largest} standard deviation in pixels, or one number");
  }
  void check() const {
    if (kernel_size.empty() || kernel_size.size() > 2) throw Error("GaussianBlur: kernel_size is one number or two");
    for (int64_t n : kernel_size)
      if (n < 1 || n % 2 == 0 || n > 1001) throw Error("GaussianBlur: kernel_size is odd, from 1 to 1001, got {}", n);
    if (const auto [low, high] = range_of(sigma, sigma[0], sigma[0]); !(low > 0 && low <= high))
      throw Error("GaussianBlur: sigma is above 0, the smaller one first");
  }
  Tensor run(const Tensor& image, Random& random) const {
    const auto [low, high] = range_of(sigma, sigma[0], sigma[0]);
    return gaussian_blur(pixels_of(image, name), kernel_size[0], kernel_size.back(), random.uniform(low, high)).image;
  }
};

}  // namespace

const std::vector<TransformClass>& color_transforms() {
  static const auto& list = *new std::vector<TransformClass>{transform_class<Grayscale>(),
                                                             transform_class<WithChance<RandomGrayscale>>(),
                                                             transform_class<ColorJitter>(),
                                                             transform_class<GaussianBlur>(),
                                                             transform_class<WithChance<RandomInvert>>(),
                                                             transform_class<WithChance<RandomPosterize>>(),
                                                             transform_class<WithChance<RandomSolarize>>(),
                                                             transform_class<WithChance<RandomAdjustSharpness>>(),
                                                             transform_class<WithChance<RandomAutocontrast>>(),
                                                             transform_class<WithChance<RandomEqualize>>()};
  return list;
}

}  // namespace luth::data
