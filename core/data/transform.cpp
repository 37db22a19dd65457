#include "core/data/transform.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace luth::data {

Transform::~Transform() = default;

std::string Transform::text() {
  FieldList list;
  describe(list);
  std::string out = type() + "(";
  for (auto& field : list.items) {
    if (out.back() != '(') out += ", ";
    out += fmt::format("{}={}", field.name, to_string(field.value));
  }
  return out + ")";
}

Tensor Compose::apply(const Tensor& image, Random& random) const {
  Tensor now = image;
  for (auto& part : parts_) now = part->apply(now, random);
  return now;
}

bool Compose::any_thread() const {
  return std::all_of(parts_.begin(), parts_.end(), [](auto& part) { return part->any_thread(); });
}

std::string Compose::text() {
  std::string out = "Compose(\n";
  for (auto& part : parts_) {
    std::string lines = part->text();
    for (size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 3) lines.insert(at + 1, "  ");
    out += "  " + lines + "\n";
  }
  return out + ")";
}

const std::vector<TransformClass>& transform_classes() {
  static const auto& all = *new std::vector<TransformClass>([] {
    std::vector<TransformClass> list;
    for (auto* some :
         {&size_transforms(), &color_transforms(), &value_transforms(), &augment_transforms(), &text_transforms()})
      list.insert(list.end(), some->begin(), some->end());
    return list;
  }());
  return all;
}

std::pair<double, double> range_of(const std::vector<double>& given, double low, double high) {
  if (given.size() == 2) return {given[0], given[1]};
  if (given.size() != 1) throw Error("expects one number or two, got {}", given.size());
  return {low, high};
}

std::pair<int64_t, int64_t> size_of_image(const Ints& size, const char* who) {
  if (size.empty() || size.size() > 2) throw Error("{}: size is a number of pixels, or {{height, width}}", who);
  for (int64_t n : size)
    if (n < 1) throw Error("{}: size is at least 1, got {}", who, n);
  return {size[0], size.back()};
}

}  // namespace luth::data
