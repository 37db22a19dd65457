// Sets of elements: unique, unique_consecutive, isin. See op.h for the recipe. nan equals nothing, not even nan. How
// many elements are unique depends on data, so these wait for the device.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// Results: the elements; and where asked for, the position among them of each element of input, and their counts.
struct UniqueConsecutive {
  static constexpr Doc doc{"unique_consecutive", "input",
                           "The elements, or the positions along a dim, without those that equal the one before.",
                           "output, inverse_indices, counts"};
  static constexpr Traits traits{.not_differentiable = "what it picks depends on all elements"};
  bool return_inverse = false, return_counts = false;
  std::optional<int64_t> dim;
  int base = 0;
  void describe(auto& field) {
    field("return_inverse", return_inverse, "also where each element is among the results");
    field("return_counts", return_counts, "also how many elements each result stands for");
    field("dim", dim, "compare whole positions along this dim; nil: all elements", as::dim);
    field("base", base, "from where indices count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<UniqueConsecutive> samples();
};
struct Unique {
  static constexpr Doc doc{"unique", "input", "The different elements, or positions along a dim, in ascending order.",
                           "output, inverse_indices, counts"};
  static constexpr Traits traits{.not_differentiable = "what it picks depends on all elements"};
  bool sorted = true, return_inverse = false, return_counts = false;
  std::optional<int64_t> dim;
  int base = 0;
  void describe(auto& field) {
    field("sorted", sorted, "in ascending order; luth always sorts them");
    field("return_inverse", return_inverse, "also where each element is among the results");
    field("return_counts", return_counts, "also how many elements each result stands for");
    field("dim", dim, "compare whole positions along this dim; nil: all elements", as::dim);
    field("base", base, "from where indices count", as::base);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Unique> samples();
};

struct IsIn {
  static constexpr Doc doc{"isin", "elements|number, test_elements|number",
                           "Whether each element is one of test_elements."};
  static constexpr Traits traits{.not_differentiable = "its result is a truth value",
                                 .second_names = "elements: element; test_elements: test_element",
                                 .offered = Offered::function};
  bool assume_unique = false, invert = false;
  void describe(auto& field) {
    field("assume_unique", assume_unique, "no element comes twice in either; luth has no use for it", as::named);
    field("invert", invert, "whether each is none of them", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<IsIn> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Unique> unique;
inline constexpr Fn<ops::UniqueConsecutive> unique_consecutive;
inline constexpr Fn<ops::IsIn> isin;
}  // namespace luth
