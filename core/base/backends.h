// Switches for the libraries that devices compute with: torch.backends, torch.use_deterministic_algorithms.
#pragma once
#include <atomic>

namespace luth {

/// Of the whole process; read by kernels at each call. Everything but `deterministic` concerns CUDA alone.
struct Backends {
  std::atomic<bool> matmul_tf32{false};          // float32 matrix products may round their inputs to 10 bits
  std::atomic<bool> cudnn_enabled{true};         // false: convolution by our own kernels
  std::atomic<bool> cudnn_benchmark{false};      // times the algorithms for each new shape and keeps the fastest
  std::atomic<bool> cudnn_deterministic{false};  // only algorithms that give the same bits each time
  std::atomic<bool> cudnn_tf32{true};            // float32 convolutions may round their inputs to 10 bits
  std::atomic<bool> deterministic{false};        // every operator: the same bits each time, or an error that names it
  std::atomic<bool> blas_enabled{true};          // false: matrix products by our own kernel
};
Backends& backends();

}  // namespace luth
