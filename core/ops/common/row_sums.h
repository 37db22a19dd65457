// Sums of the rows of a table, for families below that of embeddings.
#pragma once
#include "core/tensor/tensor.h"

namespace luth::basic {

/// For each row of `input` the sum of the rows of `table` at its positions, from 0, times weights.
Tensor row_sums(const Tensor& table, const Tensor& input, const Tensor& weights);

}  // namespace luth::basic
