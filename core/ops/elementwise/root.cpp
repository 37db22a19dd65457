#include "core/ops/elementwise/root.h"

#include "core/ops/elementwise/arith.h"

namespace luth::ops {
namespace {
const DefineAll<RootOps> define_all_;
}  // namespace

Tensor SafeRoot::bend(const Value& x) const { return where(le(x, 0), 0, mul(pow(where(le(x, 0), 1, x), -1.5), -0.25)); }

}  // namespace luth::ops
