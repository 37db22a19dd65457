// cumsum, cumprod, logcumsumexp, tril and triu on CUDA. Scans are in two passes where rows are few and long: the first
// finds the total of each chunk, the second scans each chunk from the sum of the totals before it.
#include "core/ops/reduce/scan.h"

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/reduce/cumulative.h"
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

/// A scan of rows of n elements, `inner` apart, in chunks.
struct Scan {
  Axis a;
  int64_t chunk, chunks;
  bool backwards, product;
  bool vectorized;  // four neighbours can be loaded and stored at once

  template <class A>
  __device__ A none() const {
    return product ? A(1) : A(0);
  }
  template <class A>
  __device__ A join(A x, A y) const {
    return product ? x * y : x + y;
  }
  __device__ int64_t position(int64_t i) const { return backwards ? a.n - 1 - i : i; }
  __device__ int64_t end(int64_t begin) const { return begin + chunk < a.n ? begin + chunk : a.n; }
};

/// Logarithms of prefix sums of exponentials.
struct LogScan : Scan {
  template <class A>
  __device__ A none() const {
    return -std::numeric_limits<A>::infinity();
  }
  template <class A>
  __device__ A join(A x, A y) const {
    const A low = x < y ? x : y, high = x < y ? y : x;
    if (low == high && (low == none<A>() || low == -none<A>())) return low;
    return high + math::log1p(math::exp(low - high));
  }
};

constexpr int scan_per_thread = 4, columns_at_once = 128;

/// Exclusive prefix sum and total of v over the row's threads: a warp, or all of the block.
template <class S, class A>
__device__ Scanned<A> scan_threads(const S& s, A v) {
  return exclusive_scan(
      v, [&](A x, A y) { return s.join(x, y); }, s.template none<A>(), dynamic_shared<A>());
}

/// The sum over the chunks before this block's, by all of its threads; chunks > 1 only where a block has one row.
template <class S, class A>
__device__ A chunks_before(const S& s, const A* totals) {
  A v = s.template none<A>();
#pragma unroll 1
  for (int64_t c = threadIdx.x; c < blockIdx.y; c += blockDim.x) v = s.join(v, totals[c]);
  return scan_threads(s, v).total;
}

/// Rows along the innermost dim. first_pass: writes nothing but the total of each chunk.
template <class S, class T>
__global__ void __launch_bounds__(threads)
    scan_rows(const __grid_constant__ S s, const T* x, T* y, sum_t<T>* totals, bool first_pass) {
  using A = sum_t<T>;
  const int64_t step = int64_t(blockDim.x) * scan_per_thread;
  for (int64_t first = int64_t(blockIdx.x) * blockDim.y; first < s.a.outer; first += int64_t(gridDim.x) * blockDim.y) {
    const int64_t row = first + threadIdx.y, begin = blockIdx.y * s.chunk;
    const int64_t end = row < s.a.outer ? s.end(begin) : begin;  // a warp without a row takes part in shuffles
    const T* in = x + row * s.a.n;
    T* out = y + row * s.a.n;
    A carry = s.template none<A>();
    if (totals && !first_pass) carry = chunks_before(s, totals + row * s.chunks);
    for (int64_t at = begin; at < s.end(begin); at += step) {
      const int64_t i = at + int64_t(threadIdx.x) * scan_per_thread;
      const bool whole = s.vectorized && i + scan_per_thread <= end;
      AlignedVector<T, scan_per_thread> vector;
      if (whole)
        vector = *reinterpret_cast<const AlignedVector<T, scan_per_thread>*>(in + i);
      else
        for (int k = 0; k < scan_per_thread; ++k) vector.v[k] = i + k < end ? in[s.position(i + k)] : T(A(0));
      A v[scan_per_thread], sum = s.template none<A>();
#pragma unroll
      for (int k = 0; k < scan_per_thread; ++k) {
        if (i + k < end) sum = s.join(sum, A(static_cast<compute_t<T>>(vector.v[k])));
        v[k] = sum;
      }
      const Scanned<A> scanned = scan_threads(s, sum);
      const A start = s.join(carry, scanned.prefix);
#pragma unroll
      for (int k = 0; k < scan_per_thread; ++k) vector.v[k] = T(static_cast<compute_t<T>>(s.join(start, v[k])));
      if (whole && !first_pass)
        *reinterpret_cast<AlignedVector<T, scan_per_thread>*>(out + i) = vector;
      else if (!first_pass)
        for (int k = 0; k < scan_per_thread; ++k)
          if (i + k < end) out[s.position(i + k)] = vector.v[k];
      carry = s.join(carry, scanned.total);
    }
    if (first_pass && threadIdx.x == 0) totals[row * s.chunks + blockIdx.y] = carry;
  }
}

/// Rows along another dim, one thread for each: neighbouring threads have neighbouring rows. totals[chunk][row].
template <class S, class T>
__global__ void __launch_bounds__(columns_at_once)
    scan_columns(const __grid_constant__ S s, const T* x, T* y, sum_t<T>* totals, bool first_pass) {
  using A = sum_t<T>;
  const int64_t rows = s.a.outer * s.a.inner, begin = blockIdx.y * s.chunk, end = s.end(begin);
  for (const int64_t row : grid_stride(rows)) {
    const int64_t at = row / s.a.inner * s.a.n * s.a.inner + row % s.a.inner;
    A sum = s.template none<A>();
    if (totals && !first_pass)
#pragma unroll 4
      for (int64_t c = 0; c < blockIdx.y; ++c) sum = s.join(sum, totals[c * rows + row]);
#pragma unroll 4
    for (int64_t i = begin; i < end; ++i) {
      const int64_t here = at + s.position(i) * s.a.inner;
      sum = s.join(sum, A(static_cast<compute_t<T>>(x[here])));
      if (!first_pass) y[here] = T(static_cast<compute_t<T>>(sum));
    }
    if (first_pass) totals[blockIdx.y * rows + row] = sum;
  }
}

/// As many chunks as fill the device where rows alone do not, of at least `least` elements and a multiple of it.
void share_out(Scan& s, int64_t blocks, int64_t most_blocks, int64_t least) {
  const int64_t wanted = std::max<int64_t>(1, std::min(most_blocks / std::max<int64_t>(1, blocks), s.a.n / least));
  s.chunk = ((s.a.n + wanted - 1) / wanted + least - 1) / least * least;
  s.chunks = (s.a.n + s.chunk - 1) / s.chunk;
}

template <class T, class S>
void scan(S s, const Tensor& x, Tensor& y) {
  using A = sum_t<T>;
  const int64_t rows = s.a.outer * s.a.inner;
  const bool by_column = s.a.inner > 1 || s.a.n <= 16;
  dim3 block, grid;
  if (by_column) {
    block = dim3(columns_at_once);
    grid.x = unsigned(std::min<int64_t>((rows + columns_at_once - 1) / columns_at_once, 1 << 20));
    share_out(s, grid.x, multiprocessors() * 4, 128);
  } else {
    block = s.a.n <= 1024 && s.a.outer >= multiprocessors() ? dim3(32, threads / 32) : dim3(threads);
    grid.x = unsigned(std::min<int64_t>((s.a.outer + block.y - 1) / block.y, 1 << 20));
    share_out(s, grid.x, multiprocessors() * 4, 8 * threads * scan_per_thread);
  }
  grid.y = unsigned(s.chunks);
  auto aligned = [](const Tensor& t) {
    return reinterpret_cast<uintptr_t>(t.raw()) % (scan_per_thread * sizeof(T)) == 0;
  };
  s.vectorized = !s.backwards && s.a.n % scan_per_thread == 0 && aligned(x) && aligned(y);
  Tensor memory;
  A* totals = nullptr;
  if (s.chunks > 1) {
    memory = Tensor::empty(Shape{rows * s.chunks}, dtype_of<A>, y.device());
    totals = memory.data<A>();
  }
  for (int pass = totals ? 1 : 2; pass <= 2; ++pass)
    start(y, by_column ? scan_columns<S, T> : scan_rows<S, T>, grid, block, sizeof(A) * threads / 32, s,
          x.data<const T>(), y.data<T>(), totals, pass == 1);
}

void cumulative(int64_t dim, Tensor& y, const Tensor& input, bool backwards, bool product) {
  if (y.numel() == 0) return;
  NoGrad no_grad;
  const Dtype d = is_floating(y.dtype()) ? y.dtype() : Dtype::i64;  // integers of other types are rare
  Tensor x = input.dtype() == y.dtype() ? input : cast_to(input, y.dtype());
  x = dense_copy(x.dtype() == d ? x : cast_to(x, d));
  Tensor result = y.dtype() == d ? y : Tensor::empty(y.shape(), d, y.device());
  const Scan s{axis_of(x.shape(), wrap_dim(dim, x.dim())), 0, 1, backwards, product, false};
  dispatch(Types<float, double, half, bfloat16, int64_t>{}, d, [&]<class T>(Type<T>) { scan<T>(s, x, result); });
  if (!result.same(y)) copy.into(y, result);
}
void cumsum(const ops::Cumsum& op, Tensor& y, const Strided& x) { cumulative(op.dim, y, x, op.backwards, false); }
void cumprod(const ops::Cumprod& op, Tensor& y, const Strided& x) { cumulative(op.dim, y, x, false, true); }

void logcumsumexp(const ops::LogCumsumExp& op, Tensor& y, const Strided& input) {
  if (y.numel() == 0) return;
  NoGrad no_grad;
  const Dtype d = y.dtype() == Dtype::f64 ? Dtype::f64 : Dtype::f32;  // the 16-bit types are rare
  const Tensor x = dense_copy(input.dtype() == d ? Tensor(input) : cast_to(input, d));
  Tensor result = y.dtype() == d ? y : Tensor::empty(y.shape(), d, y.device());
  const LogScan s{{axis_of(x.shape(), wrap_dim(op.dim, x.dim())), 0, 1, op.backwards, false, false}};
  dispatch(Types<float, double>{}, d, [&]<class T>(Type<T>) { scan<T>(s, x, result); });
  if (!result.same(y)) copy.into(y, result);
}

// ---- triangles ----

/// Element i of row-major matrices stays where its column minus its row is from `from` to `to`.
struct Triangle {
  int64_t numel, rows, columns, from, to;
};
template <class W>
__global__ void __launch_bounds__(threads) triangle_kernel(const __grid_constant__ Triangle t, const W* x, W* y) {
  for (const int64_t i : grid_stride(t.numel)) {
    const int64_t line = i / t.columns, distance = (i - line * t.columns) - line % t.rows;
    y[i] = distance >= t.from && distance <= t.to ? x[i] : W(0);
  }
}
void triangle(Tensor& y, const Tensor& x, int64_t from, int64_t to) {
  if (y.numel() == 0) return;
  const Triangle t{y.numel(), y.shape(-2), y.shape(-1), from, to};
  by_width(y.dtype(), [&]<class W>(Type<W>) {
    start_grid_stride(y, triangle_kernel<W>, t.numel, t, x.data<const W>(), y.data<W>());
  });
}
void tril(const ops::Tril& op, Tensor& y, const Dense& x) { triangle(y, x, INT64_MIN, op.diagonal); }
void triu(const ops::Triu& op, Tensor& y, const Dense& x) { triangle(y, x, op.diagonal, INT64_MAX); }

const Kernel<cumsum> cumsum_;
const Kernel<cumprod> cumprod_;
const Kernel<logcumsumexp> logcumsumexp_;
const Kernel<tril> tril_;
const Kernel<triu> triu_;

}  // namespace
}  // namespace luth::cuda
