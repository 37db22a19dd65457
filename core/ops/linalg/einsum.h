// Sums of products written as an equation of labels. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Einsum {
  static constexpr Doc doc{"einsum", "operands[]",
                           "The sum of products that an equation of labels describes: einsum('bij,bjk->bik', a, b). A "
                           "label names a dim; one that the output lacks is summed over, one that an operand repeats "
                           "takes its diagonal, and '...' stands for all further dims, which broadcast."};
  static constexpr Traits traits{
      .order = "equation, operands", .offered = Offered::function, .autocast = Autocast::lower, .star = true};
  std::string equation;
  void describe(auto& field) {
    field("equation", equation,
          "the labels of each operand, separated by commas; then '->' and those of the result. Without '->' the result "
          "has the labels that occur once, in order of the alphabet",
          as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Einsum> samples();
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Einsum> einsum;
}  // namespace luth
