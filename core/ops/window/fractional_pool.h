// Pooling by maxima of windows at random places: Graham, "Fractional Max-Pooling" (2014), with overlapping windows of
// one size. See op.h for the recipe; written in other operators.
#pragma once
#include "core/ops/window/window.h"

namespace luth::ops {

/// Over n spatial dims, 2 or 3. Along a dim of m elements, window i of k begins at
/// floor((i + u) a) - floor(u a) with a = (m - kernel) / (k - 1), and the last one ends with the input. u: a number
/// from [0, 1) for each plane and dim, random or from _random_samples, [N, C, n]: of width and height, or of depth,
/// height and width. One result, or two with return_indices.
template <int n>
struct FractionalMaxPool {
  static constexpr Doc docs[] = {{"fractional_max_pool2d", "input, _random_samples?",
                                  "Largest elements of windows at random places.", "result, indices"},
                                 {"fractional_max_pool3d", "input, _random_samples?",
                                  "Largest elements of windows at random places of a volume.", "result, indices"}};
  static constexpr Doc doc = docs[n - 2];
  static constexpr Traits traits{
      .order = "input, kernel_size, output_size, output_ratio, return_indices, _random_samples",
      .offered = Offered::functional,
      .takes_generator = true};
  Ints kernel_size;
  std::optional<Ints> output_size{};
  std::optional<std::vector<double>> output_ratio{};
  bool return_indices = false;
  int base = 0;
  void describe(auto& field) {
    field("kernel_size", kernel_size, "the extents of the windows", as::required);
    field("output_size", output_size, "the extents of the result");
    field("output_ratio", output_ratio, "in place of output_size: its ratio to the input's extents, between 0 and 1");
    field("return_indices", return_indices, "also return where they stand in the input, row by row");
    field("base", base, "from where indices count", as::base);
  }
  /// Throws for settings that make no sense.
  void check() const;
  Tensors decompose(const Inputs& in) const;
  static Cases<FractionalMaxPool> samples();
};

}  // namespace luth::ops
