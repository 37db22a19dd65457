// Matrix products on CUDA. Transposed operands are read where they lie; 16-bit floats are summed in float.
#include "core/ops/linalg/matmul.h"

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"
#include "devices/cuda/kernels/common/product.h"

namespace luth::cuda {
namespace {

// The library needs rows or columns that are contiguous: other floats are copied. Integers are read in any layout.
Tensor readable(const Tensor& t) {
  const int d = t.dim();
  const int64_t rows = t.shape()[d - 2], cols = t.shape()[d - 1];
  const int64_t row = t.strides()[d - 2], col = t.strides()[d - 1];
  const bool by_rows = (col == 1 || cols == 1) && (row >= cols || rows == 1);
  const bool by_cols = (row == 1 || rows == 1) && (col >= rows || cols == 1);
  return by_rows || by_cols || !is_floating(t.dtype()) ? t : dense_copy(t);
}
Operand operand(const Tensor& t) {
  const int d = t.dim();
  return {t.raw(), t.strides()[d - 2], t.strides()[d - 1], d == 3 ? t.strides()[0] : 0};
}

/// y = alpha a @ b + beta y + bias, of tensors of 2 or 3 dims; y is dense.
void multiply(const Tensor& y, const Tensor& a, const Tensor& b, const Scalar& alpha = 1, const Scalar& beta = 0,
              const void* bias = nullptr, Epilogue epilogue = Epilogue::none) {
  if (y.numel() == 0) return;
  const Tensor x = readable(a), z = readable(b);
  const int64_t m = y.shape(-2), n = y.shape(-1);
  product(y, {y.numel() / (m * n), m, n, x.shape(-1), operand(x), operand(z), y.raw(), n, m * n, alpha, beta, bias,
              epilogue});
}

void mm(const ops::Mm&, Tensor& y, const Strided& a, const Strided& b) { multiply(y, a, b); }
void bmm(const ops::Bmm&, Tensor& y, const Strided& a, const Strided& b) { multiply(y, a, b); }

// One value per column, adjacent: the library can add such a bias while it stores.
bool is_row(const Tensor& t, int64_t n) {
  return t.numel() == n && t.dim() > 0 && t.shape(-1) == n && (n == 1 || t.strides()[t.dim() - 1] == 1);
}
// y = input, broadcast to y's shape
void fill_broadcast(const Tensor& y, const Tensor& input) {
  NoGrad no_grad;
  copy.into(y, input);
}

void blended(const ops::Blend& op, Tensor& y, const Tensor& input, const Tensor& a, const Tensor& b,
             Epilogue epilogue = Epilogue::none) {
  if (y.numel() == 0) return;
  if (op.beta.value() == 0) return multiply(y, a, b, op.alpha, 0, nullptr, epilogue);
  if (op.beta.value() == 1 && input.dtype() == y.dtype() && is_row(input, y.shape(-1)))
    return multiply(y, a, b, op.alpha, 0, input.raw(), epilogue);
  fill_broadcast(y, input);
  multiply(y, a, b, op.alpha, op.beta, nullptr, epilogue);
}
void addmm(const ops::Addmm& op, Tensor& y, const Strided& input, const Strided& a, const Strided& b) {
  blended(op, y, input, a, b);
}
void addmm_activation(const ops::AddmmActivation& op, Tensor& y, const Strided& input, const Strided& a,
                      const Strided& b) {
  blended(op, y, input, a, b, op.use_gelu ? Epilogue::gelu : Epilogue::relu);
}
void baddbmm(const ops::Baddbmm& op, Tensor& y, const Strided& input, const Strided& a, const Strided& b) {
  blended(op, y, input, a, b);
}

// x as a matrix of rows; the dims before the last must lie as one
Tensor rows_of(const Tensor& x) {
  if (x.dim() == 2) return x;
  const Tensor dense = x.is_contiguous() ? x : dense_copy(x);
  const int64_t k = dense.shape(-1);
  const int64_t rows = Shape(dense.shape().begin(), dense.shape().end() - 1).numel();
  return Tensor::alias(dense.storage(), {rows, k}, {k, 1}, dense.offset(), dense.dtype());
}

void linear(const ops::Linear&, Tensor& y, const Strided& x, const Strided& w, const Strided& bias) {
  if (y.numel() == 0) return;
  const int64_t outputs = w.dim() == 1 ? 1 : w.shape()[0], k = w.shape(-1), rows = y.numel() / outputs;
  // [k, outputs]: the weight, read across
  const Tensor wt = Tensor::alias(w.storage(), {k, outputs}, {w.strides().back(), w.dim() == 1 ? 1 : w.strides()[0]},
                                  w.offset(), w.dtype());
  const Tensor out = Tensor::alias(y.storage(), {rows, outputs}, {outputs, 1}, y.offset(), y.dtype());
  if (bias && w.dim() == 2 && is_row(bias, outputs)) return multiply(out, rows_of(x), wt, 1, 0, bias.raw());
  if (bias) fill_broadcast(y, bias);
  multiply(out, rows_of(x), wt, 1, bias ? 1 : 0);
}

// ---- vectors ----

constexpr int64_t long_row = 2048;  // from here on a whole block sums one row

/// Elements of two vectors; `vectorized`: both adjacent, and aligned to 16 bytes.
template <class T>
struct Vectors {
  const T *x, *z;
  int64_t x_step, z_step, n;
  bool vectorized;
};
template <class T>
bool is_aligned(const T* x, int64_t step) {
  return step == 1 && reinterpret_cast<uintptr_t>(x) % 16 == 0;
}

// The part of x . z that worker `first` of `step` workers sums.
template <class T>
__device__ compute_t<T> part_of_dot(const Vectors<T>& v, int64_t first, int64_t step) {
  using C = compute_t<T>;
  constexpr int width = 16 / sizeof(T);
  C sum = 0;
  const int64_t whole = v.vectorized ? v.n / width : 0;
  for (int64_t i = first; i < whole; i += step) {
    const auto a = reinterpret_cast<const AlignedVector<T, width>*>(v.x)[i],
               b = reinterpret_cast<const AlignedVector<T, width>*>(v.z)[i];
    C part = 0;
#pragma unroll
    for (int j = 0; j < width; ++j) part += C(a.v[j]) * C(b.v[j]);
    sum += part;
  }
  for (int64_t i = whole * width + first; i < v.n; i += step) sum += C(v.x[i * v.x_step]) * C(v.z[i * v.z_step]);
  return sum;
}

// Of at least 4 bytes, as values that warps exchange must be; integers wrap.
template <class T>
using exchanged_t =
    std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, compute_t<T>>;

// A row for each warp, or for each block.
template <class T>
__global__ void mv_kernel(int64_t rows, int64_t row_step, Vectors<T> v, T* y, bool whole_block) {
  using C = exchanged_t<T>;
  __shared__ C shared[33];
  const int lanes = whole_block ? blockDim.x : 32, per_block = blockDim.x / lanes;
  for (int64_t first = int64_t(blockIdx.x) * per_block; first < rows; first += int64_t(gridDim.x) * per_block) {
    const int64_t row = first + threadIdx.x / lanes;
    Vectors<T> at = v;
    at.x += row * row_step;
    if (row >= rows) at.n = 0;
    C sum = C(part_of_dot(at, threadIdx.x % lanes, lanes));
    sum = whole_block ? block_reduce(sum, Plus(), C(0), shared) : warp_reduce(sum, Plus());
    if (row < rows && threadIdx.x % lanes == 0) y[row] = T(sum);
  }
}

template <class T>
void mv_rows(Tensor& y, const Tensor& a, const Tensor& vec) {
  const int64_t m = a.shape()[0], n = a.shape()[1], row = a.strides()[0];
  Vectors<T> v{a.data<T>(), vec.data<T>(), a.strides()[1], vec.strides()[0], n, false};
  v.vectorized =
      is_aligned(v.x, v.x_step) && is_aligned(v.z, v.z_step) && (m == 1 || row * int64_t(sizeof(T)) % 16 == 0);
  const bool whole_block = n >= long_row;
  start(y, mv_kernel<T>, blocks_for(m * (whole_block ? threads : 32), threads), threads, 0, m, row, v, y.data<T>(),
        whole_block);
}

void mv(const ops::Mv&, Tensor& y, const Strided& a, const Strided& v) {
  if (y.numel() == 0) return;
  const int64_t m = a.shape()[0], n = a.shape()[1];
  if (a.strides()[1] != 1 && a.strides()[0] == 1 && m > 1 && n > 1)  // columns lie together
    return product(y, {1, m, 1, n, operand(readable(a)), {v.raw(), v.strides()[0], 1}, y.raw(), 1});
  dispatch_product(y.dtype(), [&]<class T>(Type<T>) { mv_rows<T>(y, a, v); });
}

// A sum for each block, into `sums`; the one block of a grid writes the result.
template <class T>
__global__ void dot_kernel(Vectors<T> v, exchanged_t<T>* sums, T* y) {
  using C = exchanged_t<T>;
  __shared__ C shared[33];
  C sum = C(part_of_dot(v, int64_t(blockIdx.x) * blockDim.x + threadIdx.x, int64_t(gridDim.x) * blockDim.x));
  sum = block_reduce(sum, Plus(), C(0), shared);
  if (threadIdx.x != 0) return;
  if (gridDim.x == 1)
    *y = T(sum);
  else
    sums[blockIdx.x] = sum;
}
template <class T>
__global__ void finish_dot_kernel(int count, const exchanged_t<T>* sums, T* y) {
  using C = exchanged_t<T>;
  __shared__ C shared[33];
  C sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum += sums[i];
  sum = block_reduce(sum, Plus(), C(0), shared);
  if (threadIdx.x == 0) *y = T(sum);
}

template <class T>
void dot_of(Tensor& y, const Tensor& a, const Tensor& b) {
  using C = exchanged_t<T>;
  Vectors<T> v{a.data<T>(), b.data<T>(), a.strides()[0], b.strides()[0], a.numel(), false};
  v.vectorized = is_aligned(v.x, v.x_step) && is_aligned(v.z, v.z_step);
  constexpr int64_t each = 16 * threads;  // elements that a block sums at least
  const unsigned blocks = unsigned(std::clamp<int64_t>(v.n / each, 1, 1024));
  Tensor sums;
  if (blocks > 1) sums = Tensor::empty({int64_t(blocks * sizeof(C))}, Dtype::u8, y.device());
  C* into = sums ? static_cast<C*>(sums.raw()) : nullptr;
  start(y, dot_kernel<T>, blocks, threads, 0, v, into, y.data<T>());
  if (sums) start(y, finish_dot_kernel<T>, 1, threads, 0, int(blocks), into, y.data<T>());
}

void dot(const ops::Dot&, Tensor& y, const Strided& a, const Strided& b) {
  dispatch_product(y.dtype(), [&]<class T>(Type<T>) { dot_of<T>(y, a, b); });
}

const Kernel<mm> mm_;
const Kernel<bmm> bmm_;
const Kernel<addmm> addmm_;
const Kernel<addmm_activation> addmm_activation_;
const Kernel<baddbmm> baddbmm_;
const Kernel<linear> linear_;
const Kernel<mv> mv_;
const Kernel<dot> dot_;

}  // namespace
}  // namespace luth::cuda
