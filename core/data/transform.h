// Transforms of images, on any thread: described settings and a function of an image and of the sample's random
// numbers.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ref_count.h"
#include "core/data/sample_random.h"
#include "core/image/image.h"
#include "core/tensor/describe.h"

namespace luth::data {

class Transform;
using TransformRef = Ref<Transform>;

class Transform : public Counted {
 public:
  virtual ~Transform();
  /// "Resize".
  virtual std::string type() const = 0;
  /// Visits the settings.
  virtual void describe(Fields& fields) = 0;
  /// Throws for settings that make no sense.
  virtual void check() {}
  /// The transformed image. The input is not changed. Safe from several threads.
  virtual Tensor apply(const Tensor& image, Random& random) const = 0;
  /// False where apply must run on the thread that owns the transform (a function of Lua).
  virtual bool any_thread() const { return true; }
  /// As it is written: "Resize(size=[224], interpolation='bilinear')"; parts in lines of their own.
  virtual std::string text();
};

/// A class that can be made by name.
struct TransformClass {
  std::string_view name, brief;
  TransformRef (*make)();  // with default settings, not checked
};
/// In the order of their definition.
const std::vector<TransformClass>& transform_classes();

/// Transforms one after the other.
class Compose final : public Transform {
 public:
  explicit Compose(std::vector<TransformRef> parts) : parts_(std::move(parts)) {}
  std::string type() const override { return "Compose"; }
  void describe(Fields&) override {}
  Tensor apply(const Tensor& image, Random& random) const override;
  bool any_thread() const override;
  std::string text() override;

 private:
  std::vector<TransformRef> parts_;
};

/// A transform whose settings are the struct S: `static constexpr const char *name, *brief`, `describe(auto& field)`,
/// `Tensor run(const Tensor& image, Random& random) const`, and, where they can be wrong, `void check() const`.
template <class S>
class Described final : public Transform {
 public:
  std::string type() const override { return S::name; }
  void describe(Fields& fields) override { settings_.describe(fields); }
  void check() override {
    if constexpr (requires { settings_.check(); }) settings_.check();
  }
  Tensor apply(const Tensor& image, Random& random) const override { return settings_.run(image, random); }

 private:
  S settings_;
};
template <class S>
constexpr TransformClass transform_class() {
  return {S::name, S::brief, [] { return TransformRef(new Described<S>); }};
}

/// Settings of a transform with a probability: S has `usual`, the default of it, and `Pixels change(const Pixels&)
/// const`.
template <class S>
struct WithChance {
  double p = S::usual;
  S rest;
  static constexpr const char *name = S::name, *brief = S::brief;
  void describe(auto& field) {
    rest.describe(field);
    field("p", p, "probability");
  }
  void check() const {
    if (!(p >= 0 && p <= 1)) throw Error("{}: p is a probability, 0 to 1, got {}", name, p);
    rest.check();
  }
  Tensor run(const Tensor& image, Random& random) const {
    return random.chance(p) ? rest.change(pixels_of(image, name)).image : image;
  }
};

/// An S without settings of its own.
struct WithoutSettings {
  static constexpr double usual = 0.5;
  void describe(auto&) {}
  void check() const {}
};
/// Those of each file, in the order in which they are listed.
const std::vector<TransformClass>& size_transforms();
const std::vector<TransformClass>& color_transforms();
const std::vector<TransformClass>& value_transforms();
const std::vector<TransformClass>& augment_transforms();
const std::vector<TransformClass>& text_transforms();

/// The two numbers of a setting; where it is one number, `low` and `high`.
std::pair<double, double> range_of(const std::vector<double>& given, double low, double high);
/// Height and width; one number stands for both.
std::pair<int64_t, int64_t> size_of_image(const Ints& size, const char* who);

}  // namespace luth::data
