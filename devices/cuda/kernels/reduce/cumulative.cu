// The largest and smallest element so far, and where it is, on CUDA: running maxima of pairs of a key, whose order is
// that of the elements (core/math/sort_key.h), and a position.
#include "core/math/sort_key.h"
#include "core/ops/reduce/cumulative.h"
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/element.cuh"

namespace luth::cuda {
namespace {

constexpr int per_thread = 4;

struct CumulativeRows {
  Axis a;
  const void* in;
  void* values;
  int64_t* positions;
  Dtype dtype;
  int width, base;
  bool smallest;

  /// The greatest key counts; that of nan is the greatest of all.
  template <class T>
  __device__ auto key(int64_t at) const {
    const T v = static_cast<const T*>(in)[at];
    const auto k = sort_key(v, smallest);
    if constexpr (is_float<T>) {
      using K = SortKey<T>;
      const compute_t<T> c = compute_t<T>(v);
      return c != c ? K(~K(0)) : k;
    } else {
      return k;
    }
  }
  template <class K>
  __device__ K key_at(int64_t at) const {
    if constexpr (sizeof(K) == 8) return dtype == Dtype::f64 ? key<double>(at) : key<int64_t>(at);
    switch (dtype) {
      case Dtype::f32: return key<float>(at);
      case Dtype::f16: return key<half>(at);
      case Dtype::bf16: return key<bfloat16>(at);
      case Dtype::i32: return key<int32_t>(at);
      case Dtype::i16: return key<int16_t>(at);
      case Dtype::i8: return key<int8_t>(at);
      default: return key<uint8_t>(at);
    }
  }
  /// The result for element `at`, in a row that begins at `row`: what lies at position `best`.
  __device__ void write(int64_t row, int64_t at, int64_t best) const {
    copy_element(values, at, in, row + best * a.inner, width);
    positions[at] = best + base;
  }
};

/// at < 0: nothing yet.
template <class K>
struct Best {
  K key;
  int64_t at;
};
template <class K>
__device__ Best<K> later(const Best<K>& a, const Best<K>& b) {
  return a.at < 0 || (b.at >= 0 && b.key >= a.key) ? b : a;
}

/// One block for each row of neighbours, tile by tile.
template <class K>
__global__ void __launch_bounds__(threads) row_kernel(const __grid_constant__ CumulativeRows r) {
  Best<K>* totals = dynamic_shared<Best<K>>();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int64_t row = blockIdx.x; row < r.a.outer; row += gridDim.x) {
    const int64_t start = row * r.a.n;
    Best<K> carry{0, -1};
    for (int64_t tile = 0; tile < r.a.n; tile += int64_t(blockDim.x) * per_thread) {
      const int64_t first = tile + int64_t(threadIdx.x) * per_thread;
      Best<K> own[per_thread], sum{0, -1};
#pragma unroll
      for (int k = 0; k < per_thread; ++k) {
        if (first + k < r.a.n) sum = later(sum, Best<K>{r.key_at<K>(start + first + k), first + k});
        own[k] = sum;
      }
#pragma unroll 1
      for (int by = 1; by < 32; by *= 2) {
        const Best<K> other{__shfl_up_sync(all_lanes, sum.key, by), __shfl_up_sync(all_lanes, sum.at, by)};
        if (lane >= by) sum = later(other, sum);
      }
      Best<K> before{__shfl_up_sync(all_lanes, sum.key, 1), __shfl_up_sync(all_lanes, sum.at, 1)};
      if (lane == 0) before = {0, -1};
      __syncthreads();  // the totals of the tile before may still be read
      if (lane == 31) totals[warp] = sum;
      __syncthreads();
      Best<K> so_far = carry;
#pragma unroll 1
      for (int w = 0; w < warps; ++w) {
        if (w == warp) so_far = carry;
        carry = later(carry, totals[w]);
      }
      so_far = later(so_far, before);
#pragma unroll
      for (int k = 0; k < per_thread; ++k)
        if (first + k < r.a.n) r.write(start, start + first + k, later(so_far, own[k]).at);
    }
  }
}

/// One thread for each row along another dim: neighbouring threads have neighbouring rows.
template <class K>
__global__ void __launch_bounds__(threads) column_kernel(const __grid_constant__ CumulativeRows r) {
  const int64_t rows = r.a.outer * r.a.inner, step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    const int64_t start = row / r.a.inner * r.a.n * r.a.inner + row % r.a.inner;
    Best<K> best{0, -1};
    for (int64_t i = 0; i < r.a.n; ++i) {
      const int64_t at = start + i * r.a.inner;
      best = later(best, Best<K>{r.key_at<K>(at), i});
      r.write(start, at, best.at);
    }
  }
}

void run(const ops::CumExtremum& op, Tensor& values, Tensor& positions, const Tensor& x, bool smallest) {
  if (x.numel() == 0) return;
  const CumulativeRows r{axis_of(x.shape(), wrap_dim(op.dim, x.dim())),
                         x.raw(),
                         values.raw(),
                         positions.data<int64_t>(),
                         x.dtype(),
                         int(size_of(x.dtype())),
                         op.base,
                         smallest};
  const bool columns = r.a.inner > 1 || r.a.n <= 16;
  auto launch = [&]<class K>(Type<K>) {
    if (columns)
      start(values, column_kernel<K>, blocks_for(r.a.outer * r.a.inner, threads), threads, 0, r);
    else
      start(values, row_kernel<K>, unsigned(std::min<int64_t>(r.a.outer, 1 << 20)), threads,
            sizeof(Best<K>) * threads / 32, r);
  };
  if (r.width == 8)
    launch(Type<uint64_t>());
  else
    launch(Type<uint32_t>());
}
void cummax(const ops::Cummax& op, Tensor& v, Tensor& i, const Dense& x) { run(op, v, i, x, false); }
void cummin(const ops::Cummin& op, Tensor& v, Tensor& i, const Dense& x) { run(op, v, i, x, true); }

const Kernel<cummax> cummax_;
const Kernel<cummin> cummin_;

}  // namespace
}  // namespace luth::cuda
