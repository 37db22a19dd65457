#include "core/nn/activation.h"

namespace luth::nn {
namespace {
const DefineModule<Activations> activations_;
}
}  // namespace luth::nn
