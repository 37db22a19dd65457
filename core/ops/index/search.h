// Places in rows that are in order: searchsorted, bucketize. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// Which side of equal elements, and how the answer is given.
struct Searching {
  static constexpr Traits family{.not_differentiable = "its result is positions", .offered = Offered::function},
      traits = family;
  bool out_int32 = false, right = false;
  int base = 0;
  void describe(auto& field) {
    field("out_int32", out_int32, "int32 in place of int64", as::named);
    field("right", right, "after elements that are equal, not before them", as::named);
    field("base", base, "from where positions count", as::base);
  }
};
struct Searchsorted : Searching {
  static constexpr Doc doc{"searchsorted", "sorted_sequence, input|number, sorter?",
                           "Where elements would have to be inserted into rows in ascending order to keep it."};
  static constexpr Traits traits =
      family.with({.order = "sorted_sequence, input, *, sorter", .second_names = "values: input"});
  std::optional<std::string> side;
  void describe(auto& field) {
    Searching::describe(field);
    field("side", side, "'left' or 'right', the same as right = true", as::named);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Searchsorted> samples();
};
struct Bucketize : Searching {
  static constexpr Doc doc{"bucketize", "input|number, boundaries",
                           "Between which of the ascending boundaries each element lies."};
  Tensor decompose(const Inputs& in) const;
  static Cases<Bucketize> samples();
};
/// Both of one dtype: float32, float64 or int64.
struct SearchSame {
  static constexpr Doc doc{"searchsorted.same", "sorted_sequence, input, sorter?", "Searchsorted of one dtype."};
  static constexpr Traits traits{.not_differentiable = "its result is positions", .internal = true};
  bool right = false;
  int base = 0;
  void describe(auto& field) {
    field("right", right, "after elements that are equal");
    field("base", base, "from where positions count", as::base);
  }
  Spec infer(const Inputs& in) const;
  static Cases<SearchSame> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Searchsorted> searchsorted;
inline constexpr Fn<ops::Bucketize> bucketize;
inline constexpr Fn<ops::SearchSame> search_same;
}  // namespace luth
