// Dropout.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/random/random.h"

namespace luth::nn {

using Dropout = OperatorModule<ops::Dropout, "Dropout", Beside{.inplace = Inplace::printed}>;

using Dropouts = Types<Dropout>;

}  // namespace luth::nn
