// Kernels for the tests of the fake runtime, right ones and wrong ones. nvcc compiles them too: those that
// are no templates are in kernels.cpp.
#pragma once
#include "devices/cuda/runtime/launch.h"

namespace kernels {

using luth::cuda::dynamic_shared;

__global__ void fill(float* out, int n, float v);

template <class T>
__global__ void add(const T* a, const T* b, T* out, int n) {
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += int(gridDim.x * blockDim.x))
    out[i] = a[i] + b[i];
}

__device__ inline float warp_sum(float v) {
  for (int bits = 16; bits; bits >>= 1) v += __shfl_xor_sync(0xffffffffu, v, bits);
  return v;
}

/// out[block] = sum of x over a grid-strided range. Blocks of whole warps.
template <class T>
__global__ void __launch_bounds__(1024) block_sum(const T* x, T* out, int n) {
  __shared__ float partial[32];
  float s = 0;
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += int(gridDim.x * blockDim.x))
    s += float(__ldg(x + i));
  s = warp_sum(s);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = T(s);
  }
}

/// C = A B, of n x n each, n a multiple of 16.
__global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n);

/// Turns the elements of each block around, through dynamic shared memory.
template <class T>
__global__ void reverse(T* x, bool with_barrier) {
  T* s = dynamic_shared<T>();
  unsigned i = threadIdx.x, first = blockIdx.x * blockDim.x;
  s[i] = x[first + i];
  if (with_barrier) __syncthreads();
  x[first + i] = s[blockDim.x - 1 - i];
}
__global__ void reverse_static(int* x, bool with_barrier);

// Wrong ones

__global__ void divergent(float* out);
__global__ void two_barriers(float* out);
__global__ void half_warp(int* out);
__global__ void behind_shared(float* out);
__global__ void write_at(float* out, long long i);
__global__ void read_at(const float* x, float* out, long long i);
__global__ void divide(int* x, int by);
__global__ void give_up();
__global__ void uninitialised(float* out);

// What CUDA offers

__global__ void warp_operations(int* out);
__global__ void block_votes(int* out);
__global__ void atomics(int* i, unsigned long long* u, float* f, double* d, int* extremes, unsigned* lock);
/// The last block to come sums what the others wrote: what a reduction in one pass does.
__global__ void last_block(int* parts, unsigned* arrived, int* out);
__global__ void barriers(float* out, int times);
__global__ void vectors(const float4* in, float4* out);

}  // namespace kernels
