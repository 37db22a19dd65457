// Transforms that change size and place. Names, settings and choices of random numbers are those of torchvision's.
#include <algorithm>
#include <cmath>

#include "core/data/placing.h"
#include "core/data/transform.h"
#include "core/image/geometry.h"

namespace luth::data {
namespace {

constexpr const char* how_doc = "'nearest', 'bilinear' or 'bicubic'";

// As Python rounds: halves to the even number.
int64_t half_even(double v) { return int64_t(std::nearbyint(v)); }

void check_chance(double p, const char* who) {
  if (!(p >= 0 && p <= 1)) throw Error("{}: p is a probability, 0 to 1, got {}", who, p);
}

struct Resize {
  static constexpr const char *name = "Resize",
                              *brief =
                                  "An image of another size: a number is that of the shorter side, {height, width} "
                                  "both. Each pixel is a mean of those that it covers.";
  Ints size;
  std::string interpolation = "bilinear";
  std::optional<int64_t> max_size;
  bool antialias = true;
  void describe(auto& field) {
    field("size", size, "pixels of the shorter side, or {height, width}", as::required);
    field("interpolation", interpolation, how_doc);
    field("max_size", max_size, "most pixels of the longer side, where size is a number");
    field("antialias", antialias, "widen the filter when the image becomes smaller");
  }
  void check() const {
    size_of_image(size, name);
    interpolation_of(interpolation, name);
    if (max_size && (size.size() != 1 || *max_size < size[0]))
      throw Error("Resize: max_size goes with a size of one number, which is no larger");
  }
  std::pair<int64_t, int64_t> target(const Pixels& p) const {
    if (size.size() == 2) return {size[0], size[1]};
    const int64_t shorter = std::min(p.height, p.width), longer = std::max(p.height, p.width);
    int64_t low = size[0], high = size[0] * longer / shorter;
    if (max_size && high > *max_size) low = std::max<int64_t>(1, *max_size * low / high), high = *max_size;
    return p.height <= p.width ? std::pair(low, high) : std::pair(high, low);
  }
  Tensor run(const Tensor& image, Random&) const {
    const Pixels p = pixels_of(image, name);
    const auto [height, width] = target(p);
    return resize(p, height, width, interpolation_of(interpolation, name), antialias).image;
  }
};

struct CenterCrop {
  static constexpr const char *name = "CenterCrop", *brief = "The middle of an image; 0 where it is smaller.";
  Ints size;
  void describe(auto& field) { field("size", size, "pixels of each side, or {height, width}", as::required); }
  void check() const { size_of_image(size, name); }
  Tensor run(const Tensor& image, Random&) const {
    const Pixels p = pixels_of(image, name);
    const auto [height, width] = size_of_image(size, name);
    const int64_t top = p.height < height ? -((height - p.height) / 2) : half_even(double(p.height - height) / 2);
    const int64_t left = p.width < width ? -((width - p.width) / 2) : half_even(double(p.width - width) / 2);
    return crop(p, {top, left, height, width}).image;
  }
};

// left, top, right, bottom of one, two or four numbers.
std::array<int64_t, 4> sides_of(const Ints& padding, const char* who) {
  for (int64_t n : padding)
    if (n < 0) throw Error("{}: padding is at least 0, got {}", who, n);
  if (padding.empty()) return {0, 0, 0, 0};
  if (padding.size() == 1) return {padding[0], padding[0], padding[0], padding[0]};
  if (padding.size() == 2) return {padding[0], padding[1], padding[0], padding[1]};
  if (padding.size() == 4) return {padding[0], padding[1], padding[2], padding[3]};
  throw Error("{}: padding is one number, {{left and right, top and bottom}}, or {{left, top, right, bottom}}", who);
}

struct Pad : Padding {
  static constexpr const char *name = "Pad", *brief = "An image with more pixels at its sides.";
  Ints padding;
  void describe(auto& field) {
    field("padding", padding, "pixels: of all sides, {sides, top and bottom}, or {left, top, right, bottom}",
          as::required);
    Padding::describe(field);
  }
  void check() const { sides_of(padding, name); }
  Tensor run(const Tensor& image, Random&) const {
    return pad(pixels_of(image, name), sides_of(padding, name), byte_of(fill), padding_mode).image;
  }
};

struct RandomCrop : Padding {
  static constexpr const char *name = "RandomCrop", *brief = "A part of an image, at a random place.";
  Ints size, padding;
  bool pad_if_needed = false;
  void describe(auto& field) {
    field("size", size, "pixels of each side, or {height, width}", as::required);
    field("padding", padding, "more pixels at the sides before, as Pad has it");
    field("pad_if_needed", pad_if_needed, "pad an image that is smaller");
    Padding::describe(field);
  }
  void check() const {
    size_of_image(size, name);
    sides_of(padding, name);
  }
  Tensor run(const Tensor& image, Random& random) const {
    Pixels p = pixels_of(image, name);
    const auto [height, width] = size_of_image(size, name);
    if (!padding.empty()) p = pad(p, sides_of(padding, name), byte_of(fill), padding_mode);
    if (pad_if_needed) {
      const int64_t x = std::max<int64_t>(0, width - p.width), y = std::max<int64_t>(0, height - p.height);
      if (x || y) p = pad(p, {x, y, x, y}, byte_of(fill), padding_mode);
    }
    if (p.height < height || p.width < width)
      throw Error("RandomCrop: the image has {} x {} pixels, fewer than {} x {}; set pad_if_needed", p.height, p.width,
                  height, width);
    const int64_t top = random.integer(0, p.height - height + 1), left = random.integer(0, p.width - width + 1);
    return crop(p, {top, left, height, width}).image;
  }
};

struct RandomResizedCrop {
  static constexpr const char *name = "RandomResizedCrop",
                              *brief = "A part of an image of a random area and shape, at a fixed size.";
  Ints size;
  std::vector<double> scale{0.08, 1}, ratio{3. / 4, 4. / 3};
  std::string interpolation = "bilinear";
  bool antialias = true;
  void describe(auto& field) {
    field("size", size, "pixels of each side, or {height, width}", as::required);
    field("scale", scale, "least and largest share of the area");
    field("ratio", ratio, "least and largest width / height");
    field("interpolation", interpolation, how_doc);
    field("antialias", antialias, "as Resize has it");
  }
  void check() const {
    size_of_image(size, name);
    interpolation_of(interpolation, name);
    if (scale.size() != 2 || ratio.size() != 2 ||
        !(scale[0] > 0 && scale[0] <= scale[1] && ratio[0] > 0 && ratio[0] <= ratio[1]))
      throw Error("RandomResizedCrop: scale and ratio are two numbers above 0 each, the smaller one first");
  }
  Box choose(const Pixels& p, Random& random) const {
    const double area = double(p.height) * double(p.width);
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double part = area * random.uniform(scale[0], scale[1]), shape = random.log_uniform(ratio[0], ratio[1]);
      const int64_t width = half_even(std::sqrt(part * shape)), height = half_even(std::sqrt(part / shape));
      if (width < 1 || height < 1 || width > p.width || height > p.height) continue;
      const int64_t top = random.integer(0, p.height - height + 1);
      return {top, random.integer(0, p.width - width + 1), height, width};
    }
    const double shape = double(p.width) / double(p.height);  // the middle
    int64_t width = p.width, height = p.height;
    if (shape < ratio[0]) height = std::min(height, half_even(double(width) / ratio[0]));
    if (shape > ratio[1]) width = std::min(width, half_even(double(height) * ratio[1]));
    return {(p.height - height) / 2, (p.width - width) / 2, height, width};
  }
  // Of the part alone, as if it were an image: nothing of its surroundings.
  Tensor run(const Tensor& image, Random& random) const {
    const Pixels p = pixels_of(image, name), part = crop(p, choose(p, random));
    const auto [height, width] = size_of_image(size, name);
    return resize(part, height, width, interpolation_of(interpolation, name), antialias).image;
  }
};

struct RandomHorizontalFlip : WithoutSettings {
  static constexpr const char *name = "RandomHorizontalFlip", *brief = "An image or its mirror image.";
  Pixels change(const Pixels& p) const { return flip_horizontally(p); }
};
struct RandomVerticalFlip : WithoutSettings {
  static constexpr const char *name = "RandomVerticalFlip", *brief = "An image, or the image upside down.";
  Pixels change(const Pixels& p) const { return flip_vertically(p); }
};

struct RandomRotation : Placing {
  static constexpr const char *name = "RandomRotation", *brief = "An image turned around its centre.";
  std::vector<double> degrees;
  void describe(auto& field) {
    field("degrees", degrees, "{least, largest}, counter-clockwise; one number d is {-d, d}", as::required);
    Placing::describe(field);
  }
  void check() const {
    range_of(degrees, 0, 0);
    how(name);
  }
  Tensor run(const Tensor& image, Random& random) const {
    const Pixels p = pixels_of(image, name);
    const auto [low, high] = range_of(degrees, -degrees[0], degrees[0]);
    const Projection turn = affine(p, -random.uniform(low, high), 0, 0, 1, 0, 0);
    const How at = how(name);
    return project(p, p.height, p.width, turn, at.interpolation, at.fill).image;
  }
};

struct RandomAffine : Placing {
  static constexpr const char *name = "RandomAffine", *brief = "An image turned, moved, scaled and sheared.";
  std::vector<double> degrees;
  std::optional<std::vector<double>> translate, scale, shear;
  void describe(auto& field) {
    field("degrees", degrees, "{least, largest}; one number d is {-d, d}", as::required);
    field("translate", translate, "{share of the width, share of the height}: the farthest move");
    field("scale", scale, "{least, largest}");
    field("shear", shear, "degrees along x: {least, largest}, one number d is {-d, d}; four numbers: along y too");
    Placing::describe(field);
  }
  void check() const {
    range_of(degrees, 0, 0);
    how(name);
    if (translate && translate->size() != 2) throw Error("RandomAffine: translate is two shares, of width and height");
    if (scale && (scale->size() != 2 || !((*scale)[0] > 0))) throw Error("RandomAffine: scale is two numbers above 0");
    if (shear && shear->size() != 1 && shear->size() != 2 && shear->size() != 4)
      throw Error("RandomAffine: shear is one, two or four numbers of degrees");
  }
  Tensor run(const Tensor& image, Random& random) const {
    const Pixels p = pixels_of(image, name);
    const auto [low, high] = range_of(degrees, -degrees[0], degrees[0]);
    const double turn = random.uniform(low, high);
    double x = 0, y = 0, sx = 0, sy = 0;
    if (translate) {
      const double far_x = (*translate)[0] * double(p.width), far_y = (*translate)[1] * double(p.height);
      x = double(half_even(random.uniform(-far_x, far_x)));
      y = double(half_even(random.uniform(-far_y, far_y)));
    }
    const double size = scale ? random.uniform((*scale)[0], (*scale)[1]) : 1;
    if (shear) {
      const auto& s = *shear;
      sx = s.size() == 1 ? random.uniform(-s[0], s[0]) : random.uniform(s[0], s[1]);
      if (s.size() == 4) sy = random.uniform(s[2], s[3]);
    }
    const Projection moved = affine(p, turn, x, y, size, sx, sy);
    const How at = how(name);
    return project(p, p.height, p.width, moved, at.interpolation, at.fill).image;
  }
};

struct RandomPerspective : Placing {
  static constexpr const char *name = "RandomPerspective", *brief = "An image as if seen from the side.";
  double distortion_scale = 0.5, p = 0.5;
  RandomPerspective() { interpolation = "bilinear"; }
  void describe(auto& field) {
    field("distortion_scale", distortion_scale, "how far corners move, 0 to 1 of half a side");
    field("p", p, "probability");
    Placing::describe(field);
  }
  void check() const {
    check_chance(p, name);
    check_chance(distortion_scale, name);
    how(name);
  }
  Tensor run(const Tensor& image, Random& random) const {
    if (!random.chance(p)) return image;
    const Pixels from = pixels_of(image, name);
    const double w = double(from.width), h = double(from.height);
    const int64_t x = int64_t(distortion_scale * w / 2) + 1, y = int64_t(distortion_scale * h / 2) + 1;
    auto near = [&](int64_t range) { return double(random.integer(0, range)); };
    const Corners from_corners{{{0, 0}, {w - 1, 0}, {w - 1, h - 1}, {0, h - 1}}};
    Corners to;
    to[0] = {near(x), near(y)};
    to[1] = {w - 1 - near(x), near(y)};
    to[2] = {w - 1 - near(x), h - 1 - near(y)};
    to[3] = {near(x), h - 1 - near(y)};
    if (from.width < 3 || from.height < 3) return image;
    const Projection seen = perspective(from_corners, to);
    const How at = how(name);
    return project(from, from.height, from.width, seen, at.interpolation, at.fill).image;
  }
};

}  // namespace

const std::vector<TransformClass>& size_transforms() {
  static const auto& list = *new std::vector<TransformClass>{transform_class<Resize>(),
                                                             transform_class<CenterCrop>(),
                                                             transform_class<Pad>(),
                                                             transform_class<RandomCrop>(),
                                                             transform_class<RandomResizedCrop>(),
                                                             transform_class<WithChance<RandomHorizontalFlip>>(),
                                                             transform_class<WithChance<RandomVerticalFlip>>(),
                                                             transform_class<RandomRotation>(),
                                                             transform_class<RandomAffine>(),
                                                             transform_class<RandomPerspective>()};
  return list;
}

}  // namespace luth::data
