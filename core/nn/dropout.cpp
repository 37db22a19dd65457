#include "core/nn/dropout.h"

namespace luth::nn {
namespace {
const DefineModule<Dropouts> dropouts_;
}
}  // namespace luth::nn
