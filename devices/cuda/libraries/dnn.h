// Convolution by cuDNN, behind one function of ours: dnn.cpp is the only file that knows the library, and
// tests/fakecuda/libraries/dnn.cpp stands for it where there is no GPU.
#pragma once
#include <string>

#include "core/base/dtype.h"
#include "core/device/device.h"
#include "devices/cuda/libraries/dnn_conv.h"

namespace luth::cuda {

/// forward: out = y of (x, w); grad_input: out = dx of (dy, w); grad_weight: out = dw of (dy, x). In the current stream
/// of `device`, whose memory it all is; scratch memory comes from the device's allocator. False, and nothing done,
/// where there is no cuDNN or it has no algorithm for this: then our own kernels serve. Throws cuDNN's errors, and
/// ErrorCode::memory where it found no memory, with nothing done. To be called through by_library().
bool dnn_convolve(const DnnConv& conv, Device& device, const void* a, const void* b, void* out);

/// 91900 of cuDNN 9.19.0; 0 where there is none that serves. Opens it.
int64_t dnn_version();
/// Why there is none: "" where there is one. Opens it.
std::string dnn_missing();

}  // namespace luth::cuda
