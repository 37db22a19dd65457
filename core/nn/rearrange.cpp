#include "core/nn/rearrange.h"

namespace luth::nn {

template <class Op>
std::string Upsampling<Op>::extra_repr() const {
  const std::string size = Module::extra_repr();
  return size + (size.empty() ? "" : ", ") + "mode='" + UpsamplingSpec<Op>::mode + "'";
}
namespace {
const DefineModule<Rearrangements> rearrangements_;
const DefineModule<Upsampling<ops::UpsampleNearest>, Upsampling<ops::UpsampleBilinear>> upsampling_;
}  // namespace

}  // namespace luth::nn
