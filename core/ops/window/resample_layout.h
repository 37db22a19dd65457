// The memory order in which kernels resample.
#pragma once
#include "core/op/memory_order.h"
#include "core/ops/window/resample.h"

namespace luth::ops {

/// The input of a resampling in the memory order of its result y, and the plan for that order: channels-last images
/// have their channels as inner dim.
struct ResampleLayout {
  bool channels_last;
  Tensor x;
  ResamplePlan plan;

  template <class Op>
  ResampleLayout(const Op& op, const Tensor& y, const Tensor& input)
      : channels_last(op.dims.count() == 2 && only_channels_last(y)),
        x(laid(input, channels_last)),
        plan(op, x.shape()) {
    if (channels_last) plan.outer = x.shape()[0], plan.inner = x.shape()[1];
  }
};

}  // namespace luth::ops
