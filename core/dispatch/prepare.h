// The first steps of apply(): one device, one dtype, one shape.
#pragma once
#include "core/op/op.h"

namespace luth {

/// Makes the inputs what `infer` and kernels expect: checks the device, promotes and broadcasts as the operator's
/// traits say. The device that the tensors name; null where there is none. Throws for tensors on several devices,
/// naming each.
Device* prepare(const OpInfo& info, Inputs& in);
/// Throws MissingInput where an input is null that is not optional.
void check_given(const OpInfo& info, const Inputs& in);

}  // namespace luth
