// Counting by bins: bincount, histc, histograms. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct CountPositions {
  static constexpr Doc doc{"bincount.positions", "input", "How often each of 0 … bins - 1 comes; others do not count."};
  static constexpr Traits traits{.not_differentiable = "its result is counts", .internal = true};
  int64_t bins = 0;
  void describe(auto& field) { field("bins", bins, "how many", as::required); }
  Spec infer(const Inputs& in) const;
  static Cases<CountPositions> samples();
};
struct Bincount {
  static constexpr Doc doc{"bincount", "input, weights?",
                           "How often each position comes in a list of them, or the sum of its weights."};
  static constexpr Traits traits{.not_differentiable = "its result is counts"};
  int64_t minlength = 0;
  int base = 0;
  void describe(auto& field) {
    field("minlength", minlength, "the least number of bins");
    field("base", base, "from where positions count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Bincount> samples();
};

struct Histc {
  static constexpr Doc doc{"histc", "input", "How many elements lie in each of `bins` equal parts of [min, max]."};
  static constexpr Traits traits{.not_differentiable = "its result is counts"};
  int64_t bins = 100;
  Scalar min = 0, max = 0;
  void describe(auto& field) {
    field("bins", bins, "how many parts");
    field("min", min, "where they begin; where min is max, the smallest element");
    field("max", max, "where they end; where min is max, the largest element");
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Histc> samples();
};

/// The attributes of histograms.
struct Histograms {
  static constexpr Traits family{.not_differentiable = "its result is counts",
                                 .order = "input, bins, *, range, weight, density"},
      traits = family;
  bool density = false;
  void describe(auto& field) {
    field("density", density, "divided by the sum and by the sizes of the bins", as::named);
  }
};
struct Histogram : Histograms {
  static constexpr Doc doc{"histogram", "input, weight?",
                           "How many elements lie in each of `bins` equal parts, and the edges of these.",
                           "hist, bin_edges"};
  int64_t bins = 100;
  std::optional<std::vector<double>> range;
  void describe(auto& field) {
    field("bins", bins, "how many parts");
    field("range", range, "where they begin and end; nil: at the smallest and the largest element", as::named);
    Histograms::describe(field);
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Histogram> samples();
};
struct HistogramEdges : Histograms {
  static constexpr Doc doc{"histogram.edges", "input, bins, weight?", "The same with the edges of the parts given.",
                           "hist, bin_edges"};
  Tensors decompose(const Inputs& in) const;
  static Cases<HistogramEdges> samples();
};
/// Of points: the last dim of input is their coordinates. Results: counts, then the edges along each coordinate.
struct Histogramdd : Histograms {
  static constexpr Doc doc{"histogramdd", "input, weight?",
                           "How many points lie in each box of a grid, and the edges along each coordinate.",
                           "hist, bin_edges"};
  static constexpr Traits traits =
      family.with({.order = "input, bins, range, weight, density", .offered = Offered::function});
  Ints bins;
  std::optional<std::vector<double>> range;
  void describe(auto& field) {
    field("bins", bins, "how many parts along each coordinate: a number, or one for each", as::required);
    field("range", range, "where they begin and end, two numbers for each coordinate");
    field("density", density, "divided by the sum and by the sizes of the bins");
  }
  Tensors decompose(const Inputs& in) const;
  static Cases<Histogramdd> samples();
};
struct HistogramddEdges : Histograms {
  static constexpr Doc doc{"histogramdd.edges", "input, weight?, bins[]", "The same with the edges given.",
                           "hist, bin_edges"};
  static constexpr Traits traits = family.with({.offered = Offered::function});
  Tensors decompose(const Inputs& in) const;
  static Cases<HistogramddEdges> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::CountPositions> count_positions;
inline constexpr Fn<ops::Bincount> bincount;
inline constexpr Fn<ops::Histc> histc;
inline constexpr Fn<ops::Histogram> histogram;
}  // namespace luth
