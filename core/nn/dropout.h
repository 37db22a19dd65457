// Dropout of elements and of channels.
#pragma once
#include "core/nn/operator_module.h"
#include "core/ops/nn/dropout.h"
#include "core/ops/random/random.h"

namespace luth::nn {

inline constexpr Beside printed_inplace{.inplace = Inplace::printed};

using Dropout = OperatorModule<ops::Dropout, "Dropout", printed_inplace>;
using Dropout1d = OperatorModule<ops::Dropout1d, "Dropout1d", printed_inplace>;
using Dropout2d = OperatorModule<ops::Dropout2d, "Dropout2d", printed_inplace>;
using Dropout3d = OperatorModule<ops::Dropout3d, "Dropout3d", printed_inplace>;
using AlphaDropout = OperatorModule<ops::AlphaDropout, "AlphaDropout", printed_inplace>;
using FeatureAlphaDropout = OperatorModule<ops::FeatureAlphaDropout, "FeatureAlphaDropout", printed_inplace>;

using Dropouts = Types<Dropout, Dropout1d, Dropout2d, Dropout3d, AlphaDropout, FeatureAlphaDropout>;

}  // namespace luth::nn
