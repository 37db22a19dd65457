#include "tests/fakecuda/kernels.h"

namespace kernels {

__global__ void fill(float* out, int n, float v) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = v;
}

__global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float ta[16][17], tb[16][17];
  int x = int(threadIdx.x), y = int(threadIdx.y), row = int(blockIdx.y) * 16 + y, column = int(blockIdx.x) * 16 + x;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int j = 0; j < 16; ++j) s += ta[y][j] * tb[j][x];
    __syncthreads();
  }
  c[row * n + column] = s;
}

__global__ void reverse_static(int* x, bool with_barrier) {
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  if (with_barrier) __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void divergent(float* out) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void two_barriers(float* out) {
  if (threadIdx.x < 16)
    __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void half_warp(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffffffu, int(threadIdx.x), 3);
}

__global__ void behind_shared(float* out) {
  float* s = dynamic_shared<float>();
  s[blockDim.x + threadIdx.x] = 1;
  out[threadIdx.x] = 1;
}

__global__ void write_at(float* out, long long i) { out[i] = 1; }

__global__ void read_at(const float* x, float* out, long long i) { out[0] = x[i]; }

__global__ void divide(int* x, int by) { x[0] /= by; }

__global__ void give_up() { __trap(); }

__global__ void uninitialised(float* out) {
  __shared__ float s[64];
  if (threadIdx.x == 0) s[0] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

__global__ void warp_operations(int* out) {
  int lane = int(threadIdx.x) & 31;
  unsigned full = 0xffffffffu;
  int* mine = out + threadIdx.x * 12;
  mine[0] = __shfl_sync(full, lane * 10, 5);
  mine[1] = __shfl_up_sync(full, lane, 1);
  mine[2] = __shfl_down_sync(full, lane, 2);
  mine[3] = __shfl_xor_sync(full, lane, 1);
  mine[4] = __shfl_down_sync(full, lane, 4, 8);
  mine[5] = int(__ballot_sync(full, lane < 4));
  mine[6] = __any_sync(full, lane == 7);
  mine[7] = __all_sync(full, lane < 31);
  mine[8] = int(__shfl_xor_sync(full, (long long)(lane) << 40, 3) >> 40);
  mine[9] = int(__match_any_sync(full, lane % 4));
  mine[10] = __popc(0xf0f0u) + __clz(1) + __ffs(8);
  if (lane < 8) mine[11] = int(__reduce_add_sync(0xffu, unsigned(lane)));
  __syncwarp();
}

__global__ void block_votes(int* out) {
  int t = int(threadIdx.x);
  out[t * 3] = __syncthreads_count(t % 3 == 0);
  out[t * 3 + 1] = __syncthreads_and(t >= 0);
  out[t * 3 + 2] = __syncthreads_or(t == 1000);
}

__global__ void atomics(int* i, unsigned long long* u, float* f, double* d, int* extremes, unsigned* lock) {
  int t = int(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(i, 1);
  atomicAdd(u, 1ull << 33);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicMax(extremes, t);
  atomicMin(extremes + 1, -t);
  if (atomicCAS(lock, 0u, 1u) == 0u) atomicExch(lock + 1, 7u);
}

__global__ void last_block(int* parts, unsigned* arrived, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = int(blockIdx.x);
    __threadfence();
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  int s = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) s += parts[b];
  *out = s;
}

__global__ void barriers(float* out, int times) {
  float s = 0;
  for (int i = 0; i < times; ++i) {
    __syncthreads();
    s += 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void vectors(const float4* in, float4* out) {
  float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
}

}  // namespace kernels
