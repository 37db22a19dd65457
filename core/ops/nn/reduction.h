// What losses share: the attribute `reduction`, and what it does to a tensor of terms.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

void describe_reduction(auto& field, std::string& reduction) {
  field("reduction", reduction, "'mean', 'sum' or 'none'");
}
/// Throws for a word that is none of the three.
void check_reduction(const std::string& reduction);
/// The mean or the sum of all elements, or `t` as it is.
Tensor reduced(const Tensor& t, const std::string& reduction);

}  // namespace luth::ops
