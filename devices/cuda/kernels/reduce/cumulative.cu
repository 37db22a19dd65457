// cummax and cummin on CUDA: prefix maxima of pairs of a sort key (core/math/sort_key.h) and a position.
#include "core/ops/reduce/cumulative.h"

#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/sort_keys.cuh"

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

  /// The greatest key is the result's; that of nan is the greatest of all.
  template <class K>
  __device__ K key_at(int64_t at) const {
    return with_key_type<K>(dtype, [&]<class T>(Type<T>) {
      const T v = static_cast<const T*>(in)[at];
      const auto k = sort_key(v, smallest);
      if constexpr (is_float<T>) {
        const compute_t<T> c = compute_t<T>(v);
        return K(c != c ? SortKey<T>(~SortKey<T>(0)) : k);
      } else {
        return K(k);
      }
    });
  }
  /// Writes the result for element `at` of the row that begins at `row`: the element at position `best`.
  __device__ void write(int64_t row, int64_t at, int64_t best) const {
    copy_element(values, at, in, row + best * a.inner, width);
    positions[at] = best + base;
  }
};

/// The greatest key so far and its position; `at` of -1: no element yet.
template <class K>
struct Best {
  K key;
  int64_t at;
};
struct Later {
  template <class K>
  __device__ Best<K> operator()(const Best<K>& a, const Best<K>& b) const {
    return a.at < 0 || (b.at >= 0 && b.key >= a.key) ? b : a;
  }
};

/// One block for each row of neighbours, a chunk of blockDim.x * per_thread elements at a time.
template <class K>
__global__ void __launch_bounds__(threads) row_kernel(const __grid_constant__ CumulativeRows r) {
  const Later later;
  const Best<K> none{0, -1};
  for (int64_t row = blockIdx.x; row < r.a.outer; row += gridDim.x) {
    const int64_t start = row * r.a.n;
    Best<K> carry = none;
    for (int64_t chunk = 0; chunk < r.a.n; chunk += int64_t(blockDim.x) * per_thread) {
      const int64_t first = chunk + int64_t(threadIdx.x) * per_thread;
      Best<K> own[per_thread], best = none;
#pragma unroll
      for (int k = 0; k < per_thread; ++k) {
        if (first + k < r.a.n) best = later(best, Best<K>{r.key_at<K>(start + first + k), first + k});
        own[k] = best;
      }
      const auto scanned = exclusive_scan(best, later, none, dynamic_shared<Best<K>>());
      const Best<K> before = later(carry, scanned.prefix);
#pragma unroll
      for (int k = 0; k < per_thread; ++k)
        if (first + k < r.a.n) r.write(start, start + first + k, later(before, own[k]).at);
      carry = later(carry, scanned.total);
    }
  }
}

/// One thread for each row along another dim: neighbouring threads have neighbouring rows.
template <class K>
__global__ void __launch_bounds__(threads) column_kernel(const __grid_constant__ CumulativeRows r) {
  for (const int64_t row : grid_stride(r.a.outer * r.a.inner)) {
    const int64_t start = row / r.a.inner * r.a.n * r.a.inner + row % r.a.inner;
    Best<K> best{0, -1};
    for (int64_t i = 0; i < r.a.n; ++i) {
      const int64_t at = start + i * r.a.inner;
      best = Later()(best, Best<K>{r.key_at<K>(at), i});
      r.write(start, at, best.at);
    }
  }
}

void run(const auto& op, Tensor& values, Tensor& positions, const Tensor& x, bool smallest) {
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
      start_grid_stride(values, column_kernel<K>, r.a.outer * r.a.inner, r);
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
