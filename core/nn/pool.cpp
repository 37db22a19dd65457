#include "core/nn/pool.h"

namespace luth::nn {
namespace {
const DefineModule<Poolings> poolings_;
}
}  // namespace luth::nn
