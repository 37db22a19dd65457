// What CUDA's kernel files share.
#pragma once
#include <algorithm>

#include "core/op/define.h"
#include "devices/cuda/runtime/index_check.h"
#include "devices/cuda/runtime/launch.h"
#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {

/// Registers kernel F for CUDA: `const Kernel<softmax> softmax_;` at the end of the family's file.
template <auto F>
struct Kernel {
  Kernel() { Bind<F>{"cuda"}; }
};

/// Starts a kernel for `on`, a tensor of a CUDA device: there, and in the stream that this thread gives work to.
template <class... P, class... A>
void start(const Tensor& on, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, A&&... args) {
  OnDevice device(on.device().index());
  launch(kernel, grid, block, shared_bytes, stream_of(on.device()), std::forward<A>(args)...);
  wait_if_exact(on.device());
}

/// Blocks of `threads` that cover n items with a loop over the grid: as many as fill a large device, at least one.
inline unsigned blocks_for(int64_t n, int threads) {
  constexpr int64_t most = 132 * 16;
  return unsigned(std::clamp<int64_t>((n + threads - 1) / threads, 1, most));
}

}  // namespace luth::cuda
