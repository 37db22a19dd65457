// RandAugment, TrivialAugmentWide, AutoAugment: random choices among a set of changes. Ranges and policies are those of
// the papers (Cubuk et al. 2019, 2018; Müller and Hutter 2021) as torchvision has them.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "core/data/placing.h"
#include "core/data/transform.h"
#include "core/image/color.h"
#include "core/image/geometry.h"

namespace luth::data {
namespace {

enum class Op {
  identity,
  shear_x,
  shear_y,
  move_x,
  move_y,
  rotate,
  brightness,
  color,
  contrast,
  sharpness,
  posterize,
  solarize,
  autocontrast,
  equalize,
  invert
};
constexpr bool is_signed(Op op) { return op >= Op::shear_x && op <= Op::sharpness; }

// Shears keep the left or the upper edge where it is.
Pixels shear(const Pixels& p, double x, double y, How how) {
  return project(p, p.height, p.width, {1, x, 0, y, 1, 0, 0, 0}, how.interpolation, how.fill);
}
Pixels move(const Pixels& p, double x, double y, How how) {
  return project(p, p.height, p.width, {1, 0, -std::trunc(x), 0, 1, -std::trunc(y), 0, 0}, how.interpolation, how.fill);
}

Pixels change(const Pixels& p, Op op, double size, How how) {
  switch (op) {
    case Op::identity: return p;
    case Op::shear_x: return shear(p, -size, 0, how);
    case Op::shear_y: return shear(p, 0, -size, how);
    case Op::move_x: return move(p, size, 0, how);
    case Op::move_y: return move(p, 0, size, how);
    case Op::rotate: return project(p, p.height, p.width, affine(p, -size, 0, 0, 1, 0, 0), how.interpolation, how.fill);
    case Op::brightness: return brightness(p, 1 + size);
    case Op::color: return saturation(p, 1 + size);
    case Op::contrast: return contrast(p, 1 + size);
    case Op::sharpness: return sharpness(p, 1 + size);
    case Op::posterize: return posterize(p, int(size));
    case Op::solarize: return solarize(p, size);
    case Op::autocontrast: return autocontrast(p);
    case Op::equalize: return equalize(p);
    case Op::invert: return invert(p);
  }
  return p;
}

// What an operation's size is at the share `part` (0 to 1) of its range.
struct Ranges {
  double shear, rotate, factor, bits;  // the largest ones; bits that posterize takes away
  double move_x, move_y;
  double size(Op op, double part) const {
    switch (op) {
      case Op::shear_x:
      case Op::shear_y: return shear * part;
      case Op::move_x: return move_x * part;
      case Op::move_y: return move_y * part;
      case Op::rotate: return rotate * part;
      case Op::posterize: return 8 - std::nearbyint(bits * part);
      case Op::solarize: return 255 * (1 - part);
      default: return factor * part;
    }
  }
};
Ranges usual_ranges(const Pixels& p) {
  constexpr double share = 150.0 / 331;
  return {0.3, 30, 0.9, 4, share * double(p.width), share * double(p.height)};
}

Pixels change_at(const Pixels& p, Op op, double part, const Ranges& ranges, How how, Random& random) {
  double size = ranges.size(op, part);
  if (is_signed(op) && random.chance(0.5)) size = -size;
  return change(p, op, size, how);
}

constexpr Op usual_ops[] = {Op::identity,  Op::shear_x,    Op::shear_y,      Op::move_x,   Op::move_y,
                            Op::rotate,    Op::brightness, Op::color,        Op::contrast, Op::sharpness,
                            Op::posterize, Op::solarize,   Op::autocontrast, Op::equalize};
constexpr int64_t usual_count = int64_t(std::size(usual_ops));

struct RandAugment : Placing {
  static constexpr const char *name = "RandAugment", *brief = "Some random changes of one size.";
  int num_ops = 2, magnitude = 9, num_magnitude_bins = 31;
  void describe(auto& field) {
    field("num_ops", num_ops, "how many changes");
    field("magnitude", magnitude, "their size, from 0");
    field("num_magnitude_bins", num_magnitude_bins, "how many sizes there are");
    Placing::describe(field);
  }
  void check() const {
    how(name);
    if (num_ops < 0 || num_magnitude_bins < 2 || magnitude < 0 || magnitude >= num_magnitude_bins)
      throw Error("RandAugment: magnitude lies within 0 to num_magnitude_bins - 1, and num_ops is at least 0");
  }
  Tensor run(const Tensor& image, Random& random) const {
    Pixels p = pixels_of(image, name);
    const Ranges ranges = usual_ranges(p);
    const double part = double(magnitude) / (num_magnitude_bins - 1);
    for (int i = 0; i < num_ops; ++i)
      p = change_at(p, usual_ops[random.integer(0, usual_count)], part, ranges, how(name), random);
    return p.image;
  }
};

struct TrivialAugmentWide : Placing {
  static constexpr const char *name = "TrivialAugmentWide", *brief = "One random change of random size.";
  int num_magnitude_bins = 31;
  void describe(auto& field) {
    field("num_magnitude_bins", num_magnitude_bins, "how many sizes there are");
    Placing::describe(field);
  }
  void check() const {
    how(name);
    if (num_magnitude_bins < 2) throw Error("TrivialAugmentWide: num_magnitude_bins is at least 2");
  }
  Tensor run(const Tensor& image, Random& random) const {
    const Pixels p = pixels_of(image, name);
    const Op op = usual_ops[random.integer(0, usual_count)];
    const double part = double(random.integer(0, num_magnitude_bins)) / (num_magnitude_bins - 1);
    return change_at(p, op, part, {0.99, 135, 0.99, 6, 32, 32}, how(name), random).image;
  }
};

// ---- AutoAugment --------------------------------------------------------------------------------------------------

struct Step {
  Op op;
  double p;
  int magnitude;  // 0 to 9
};
struct Policy {
  Step steps[2];
};
constexpr Policy of_imagenet[] = {
    {{{Op::posterize, 0.4, 8}, {Op::rotate, 0.6, 9}}},  {{{Op::solarize, 0.6, 5}, {Op::autocontrast, 0.6, 0}}},
    {{{Op::equalize, 0.8, 0}, {Op::equalize, 0.6, 0}}}, {{{Op::posterize, 0.6, 7}, {Op::posterize, 0.6, 6}}},
    {{{Op::equalize, 0.4, 0}, {Op::solarize, 0.2, 4}}}, {{{Op::equalize, 0.4, 0}, {Op::rotate, 0.8, 8}}},
    {{{Op::solarize, 0.6, 3}, {Op::equalize, 0.6, 0}}}, {{{Op::posterize, 0.8, 5}, {Op::equalize, 1.0, 0}}},
    {{{Op::rotate, 0.2, 3}, {Op::solarize, 0.6, 8}}},   {{{Op::equalize, 0.6, 0}, {Op::posterize, 0.4, 6}}},
    {{{Op::rotate, 0.8, 8}, {Op::color, 0.4, 0}}},      {{{Op::rotate, 0.4, 9}, {Op::equalize, 0.6, 0}}},
    {{{Op::equalize, 0.0, 0}, {Op::equalize, 0.8, 0}}}, {{{Op::invert, 0.6, 0}, {Op::equalize, 1.0, 0}}},
    {{{Op::color, 0.6, 4}, {Op::contrast, 1.0, 8}}},    {{{Op::rotate, 0.8, 8}, {Op::color, 1.0, 2}}},
    {{{Op::color, 0.8, 8}, {Op::solarize, 0.8, 7}}},    {{{Op::sharpness, 0.4, 7}, {Op::invert, 0.6, 0}}},
    {{{Op::shear_x, 0.6, 5}, {Op::equalize, 1.0, 0}}},  {{{Op::color, 0.4, 0}, {Op::equalize, 0.6, 0}}},
    {{{Op::equalize, 0.4, 0}, {Op::solarize, 0.2, 4}}}, {{{Op::solarize, 0.6, 5}, {Op::autocontrast, 0.6, 0}}},
    {{{Op::invert, 0.6, 0}, {Op::equalize, 1.0, 0}}},   {{{Op::color, 0.6, 4}, {Op::contrast, 1.0, 8}}},
    {{{Op::equalize, 0.8, 0}, {Op::equalize, 0.6, 0}}}};
constexpr Policy of_cifar10[] = {
    {{{Op::invert, 0.1, 0}, {Op::contrast, 0.2, 6}}},       {{{Op::rotate, 0.7, 2}, {Op::move_x, 0.3, 9}}},
    {{{Op::sharpness, 0.8, 1}, {Op::sharpness, 0.9, 3}}},   {{{Op::shear_y, 0.5, 8}, {Op::move_y, 0.7, 9}}},
    {{{Op::autocontrast, 0.5, 0}, {Op::equalize, 0.9, 0}}}, {{{Op::shear_y, 0.2, 7}, {Op::posterize, 0.3, 7}}},
    {{{Op::color, 0.4, 3}, {Op::brightness, 0.6, 7}}},      {{{Op::sharpness, 0.3, 9}, {Op::brightness, 0.7, 9}}},
    {{{Op::equalize, 0.6, 0}, {Op::equalize, 0.5, 0}}},     {{{Op::contrast, 0.6, 7}, {Op::sharpness, 0.6, 5}}},
    {{{Op::color, 0.7, 7}, {Op::move_x, 0.5, 8}}},          {{{Op::equalize, 0.3, 0}, {Op::autocontrast, 0.4, 0}}},
    {{{Op::move_y, 0.4, 3}, {Op::sharpness, 0.2, 6}}},      {{{Op::brightness, 0.9, 6}, {Op::color, 0.2, 8}}},
    {{{Op::solarize, 0.5, 2}, {Op::invert, 0.0, 0}}},       {{{Op::equalize, 0.2, 0}, {Op::autocontrast, 0.6, 0}}},
    {{{Op::equalize, 0.2, 0}, {Op::equalize, 0.6, 0}}},     {{{Op::color, 0.9, 9}, {Op::equalize, 0.6, 0}}},
    {{{Op::autocontrast, 0.8, 0}, {Op::solarize, 0.2, 8}}}, {{{Op::brightness, 0.1, 3}, {Op::color, 0.7, 0}}},
    {{{Op::solarize, 0.4, 5}, {Op::autocontrast, 0.9, 0}}}, {{{Op::move_y, 0.9, 9}, {Op::move_y, 0.7, 9}}},
    {{{Op::autocontrast, 0.9, 0}, {Op::solarize, 0.8, 3}}}, {{{Op::equalize, 0.8, 0}, {Op::invert, 0.1, 0}}},
    {{{Op::move_y, 0.7, 9}, {Op::autocontrast, 0.9, 0}}}};
constexpr Policy of_svhn[] = {
    {{{Op::shear_x, 0.9, 4}, {Op::invert, 0.2, 0}}},      {{{Op::shear_y, 0.9, 8}, {Op::invert, 0.7, 0}}},
    {{{Op::equalize, 0.6, 0}, {Op::solarize, 0.6, 6}}},   {{{Op::invert, 0.9, 0}, {Op::equalize, 0.6, 0}}},
    {{{Op::equalize, 0.6, 0}, {Op::rotate, 0.9, 3}}},     {{{Op::shear_x, 0.9, 4}, {Op::autocontrast, 0.8, 0}}},
    {{{Op::shear_y, 0.9, 8}, {Op::invert, 0.4, 0}}},      {{{Op::shear_y, 0.9, 5}, {Op::solarize, 0.2, 6}}},
    {{{Op::invert, 0.9, 0}, {Op::autocontrast, 0.8, 0}}}, {{{Op::equalize, 0.6, 0}, {Op::rotate, 0.9, 3}}},
    {{{Op::shear_x, 0.9, 4}, {Op::solarize, 0.3, 3}}},    {{{Op::shear_y, 0.8, 8}, {Op::invert, 0.7, 0}}},
    {{{Op::equalize, 0.9, 0}, {Op::move_y, 0.6, 6}}},     {{{Op::invert, 0.9, 0}, {Op::equalize, 0.6, 0}}},
    {{{Op::contrast, 0.3, 3}, {Op::rotate, 0.8, 4}}},     {{{Op::invert, 0.8, 0}, {Op::move_y, 0.0, 2}}},
    {{{Op::shear_y, 0.7, 6}, {Op::solarize, 0.4, 8}}},    {{{Op::invert, 0.6, 0}, {Op::rotate, 0.8, 4}}},
    {{{Op::shear_y, 0.3, 7}, {Op::move_x, 0.9, 3}}},      {{{Op::shear_x, 0.1, 6}, {Op::invert, 0.6, 0}}},
    {{{Op::solarize, 0.7, 2}, {Op::move_y, 0.6, 7}}},     {{{Op::shear_y, 0.8, 4}, {Op::invert, 0.8, 0}}},
    {{{Op::shear_x, 0.7, 9}, {Op::move_y, 0.8, 3}}},      {{{Op::shear_y, 0.8, 5}, {Op::autocontrast, 0.7, 0}}},
    {{{Op::shear_x, 0.7, 2}, {Op::invert, 0.1, 0}}}};

struct AutoAugment : Placing {
  static constexpr const char *name = "AutoAugment", *brief = "Two changes, by a policy that was learnt on a data set.";
  std::string policy = "imagenet";
  void describe(auto& field) {
    field("policy", policy, "'imagenet', 'cifar10' or 'svhn'");
    Placing::describe(field);
  }
  std::span<const Policy> policies() const {
    if (policy == "imagenet") return of_imagenet;
    if (policy == "cifar10") return of_cifar10;
    if (policy == "svhn") return of_svhn;
    throw Error("AutoAugment: policy is imagenet, cifar10 or svhn, got '{}'", policy);
  }
  void check() const {
    how(name);
    policies();
  }
  Tensor run(const Tensor& image, Random& random) const {
    Pixels p = pixels_of(image, name);
    const Ranges ranges = usual_ranges(p);
    const auto all = policies();
    for (const Step& step : all[size_t(random.integer(0, int64_t(all.size())))].steps)
      if (random.chance(step.p)) p = change_at(p, step.op, step.magnitude / 9.0, ranges, how(name), random);
    return p.image;
  }
};

}  // namespace

const std::vector<TransformClass>& augment_transforms() {
  static const auto& list = *new std::vector<TransformClass>{
      transform_class<AutoAugment>(), transform_class<RandAugment>(), transform_class<TrivialAugmentWide>()};
  return list;
}

}  // namespace luth::data
