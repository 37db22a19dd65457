#include "core/nn/loss.h"

namespace luth::nn {
namespace {
const DefineModule<Losses> losses_;
}
}  // namespace luth::nn
