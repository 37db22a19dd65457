#include "core/dispatch/device_copy.h"

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "core/tensor/record_stream.h"

namespace luth {

bool copy_from_elsewhere(const OpInfo& info, const void* op, Inputs& in) {
  if (&info != &luth::info<ops::Copy>() || in.size() < 2 || !in[1].is_tensor()) return false;
  const Tensor &to = in[0].tensor(), &from = in[1].tensor();
  if (&from.device() == &to.device()) return false;
  const bool async = static_cast<const ops::Copy*>(op)->non_blocking;
  const bool recorded = grad_enabled() && (to.requires_grad() || from.requires_grad());
  const bool alike =
      to.shape() == from.shape() && to.dtype() == from.dtype() && to.is_contiguous() && from.is_contiguous();
  if (recorded || !alike || !to.device().has_data() || !from.device().has_data()) {
    in[1] = to_device(from, {&to.device(), async});
    return false;
  }
  record_current_stream(to);
  record_current_stream(from);
  if (to.numel()) copy_bytes(to.raw(), to.device(), from.raw(), from.device(), to.bytes(), async);
  to.storage()->written(&info);
  return true;
}

}  // namespace luth
