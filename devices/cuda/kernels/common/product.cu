// Products of matrices: the choice between cuBLASLt and our own kernel, and that kernel.
#include "devices/cuda/kernels/common/product.h"

#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/backends.h"
#include "core/base/warn.h"
#include "core/math/functions.h"
#include "devices/cuda/kernels/common/kernels.h"
#include "devices/cuda/runtime/library.h"

namespace luth::cuda {
namespace {

// ---- cuBLASLt ----

// An operand as the library takes it; false where neither rows nor columns lie together. Where there is one row or
// column, its stride has no meaning.
bool gemm_operand(const Operand& o, int64_t rows, int64_t cols, GemmOperand& to) {
  const bool one_row = rows == 1, one_col = cols == 1;
  to = {o.data, 0, o.step, false};
  if ((o.col == 1 || one_col) && (one_row || o.row >= cols)) {
    to.ld = one_row ? cols : o.row;
    return true;
  }
  if ((o.row == 1 || one_row) && (one_col || o.col >= rows)) {
    to.ld = one_col ? rows : o.col;
    return to.transposed = true;
  }
  return false;
}

bool has_blas() {
  const std::string missing = blas_missing();
  if (missing.empty()) return true;
  static const bool told = [&] {
    warn(fmt::format("cuBLASLt is missing, so matrix products run on luth's own, slower kernels: {}", missing));
    return true;
  }();
  static_cast<void>(told);
  return false;
}

// Nothing where the library is not to be asked.
std::optional<Gemm> library_product(const Tensor& y, const Product& p) {
  const Dtype d = y.dtype();
  Gemm g{d, p.batch, p.m, p.n, p.k, {}, {}, p.y, p.y_ld, p.y_step, p.alpha.value(), p.beta.value(), p.bias, p.epilogue};
  if (!backends().blas_enabled.load(std::memory_order_relaxed)) return {};
  if (!is_floating(d) || !gemm_operand(p.a, p.m, p.k, g.a) || !gemm_operand(p.b, p.k, p.n, g.b) || !has_blas())
    return {};
  g.tf32 = d == Dtype::f32 && backends().matmul_tf32.load(std::memory_order_relaxed);
  return g;
}
bool computes(const Tensor& y, const Gemm& g) {
  return by_library(y.device(), [&] { return blas_gemm(y.device(), g); });
}

// ---- our own ----

constexpr int side = 64, depth = 16, per_thread = 4, tile_threads = 256;  // a tile of results, and its steps along k

// Integers wrap, so their low bits may be computed unsigned.
template <class T>
using sum_t = std::conditional_t<is_float<T>, compute_t<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

template <class T>
struct Tiled {
  int64_t batch, m, n, k, across;  // across: tiles in a row of them
  Operand a, b;
  T* y;
  int64_t y_ld, y_step;
  sum_t<T> alpha, beta;
  bool adds;  // y counts
  const T* bias;
  Epilogue epilogue;
};

template <class C>
__device__ C finish(C x, Epilogue e) {
  if constexpr (std::is_floating_point_v<C>) {
    if (e == Epilogue::relu) return x < C(0) ? C(0) : x;  // nan stays
    // https://arxiv.org/abs/1606.08415, section 2
    if (e == Epilogue::gelu)
      return C(0.5) * x * (C(1) + math::tanh(C(0.7978845608028654) * (x + C(0.044715) * x * x * x)));
  }
  return x;
}

// Where thread t reads its i-th element of a tile of `side` x depth: along the axis whose elements are adjacent.
struct Spot {
  int at, step;
  __device__ Spot(int t, int i, bool along_k)
      : at(along_k ? t / depth + i * (tile_threads / depth) : t % side),
        step(along_k ? t % depth : t / side + i * (tile_threads / side)) {}
};

template <class T>
__device__ void load_tile(sum_t<T> (*to)[side + 4], const T* from, int64_t first, int64_t count, int64_t stride,
                          int64_t k0, int64_t k, int64_t k_stride) {
#pragma unroll
  for (int i = 0; i < side * depth / tile_threads; ++i) {
    const Spot spot(threadIdx.x, i, k_stride == 1);
    const int64_t x = first + spot.at, z = k0 + spot.step;
    to[spot.step][spot.at] = x < count && z < k ? sum_t<T>(from[x * stride + z * k_stride]) : sum_t<T>(0);
  }
}

template <class T>
__device__ void store(const Tiled<T>& p, T* y, int64_t i, int64_t j, sum_t<T> sum) {
  using C = sum_t<T>;
  if (i >= p.m || j >= p.n) return;
  T& to = y[i * p.y_ld + j];
  C x = p.alpha * sum;
  if (p.adds) x += p.beta * C(to);
  if (p.bias) x += C(p.bias[j]);
  to = T(finish(x, p.epilogue));
}

// Sums run over steps of `depth`, whose own sums are made first: half the error of one long sum, and less.
template <class T>
__global__ void __launch_bounds__(tile_threads, sizeof(sum_t<T>) == 8 ? 0 : 2) product_kernel(Tiled<T> p) {
  using C = sum_t<T>;
  __shared__ C a[depth][side + 4], b[depth][side + 4];
  const int64_t i0 = blockIdx.x / p.across * side, j0 = blockIdx.x % p.across * side;
  const int row = threadIdx.x / (side / per_thread) * per_thread, col = threadIdx.x % (side / per_thread) * per_thread;
  for (int64_t item = blockIdx.y; item < p.batch; item += gridDim.y) {
    C sum[per_thread][per_thread] = {};
    for (int64_t k0 = 0; k0 < p.k; k0 += depth) {
      load_tile(a, static_cast<const T*>(p.a.data) + item * p.a.step, i0, p.m, p.a.row, k0, p.k, p.a.col);
      load_tile(b, static_cast<const T*>(p.b.data) + item * p.b.step, j0, p.n, p.b.col, k0, p.k, p.b.row);
      __syncthreads();
      C part[per_thread][per_thread] = {};
#pragma unroll
      for (int z = 0; z < depth; ++z)
#pragma unroll
        for (int i = 0; i < per_thread; ++i)
#pragma unroll
          for (int j = 0; j < per_thread; ++j) part[i][j] += a[z][row + i] * b[z][col + j];
#pragma unroll
      for (int i = 0; i < per_thread; ++i)
#pragma unroll
        for (int j = 0; j < per_thread; ++j) sum[i][j] += part[i][j];
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < per_thread; ++i)
#pragma unroll
      for (int j = 0; j < per_thread; ++j) store(p, p.y + item * p.y_step, i0 + row + i, j0 + col + j, sum[i][j]);
  }
}

template <class T>
void run_own(const Tensor& y, const Product& p) {
  using C = sum_t<T>;
  auto factor = [](const Scalar& s) {
    if constexpr (is_float<T>)
      return s.to<C>();
    else
      return C(s.integer());
  };
  const int64_t across = (p.n + side - 1) / side, down = (p.m + side - 1) / side;
  Tiled<T> t{p.batch,
             p.m,
             p.n,
             p.k,
             across,
             p.a,
             p.b,
             static_cast<T*>(p.y),
             p.y_ld,
             p.y_step,
             factor(p.alpha),
             factor(p.beta),
             p.beta.value() != 0,
             static_cast<const T*>(p.bias),
             p.epilogue};
  start(y, product_kernel<T>, dim3(unsigned(across * down), unsigned(std::min<int64_t>(p.batch, 65535))), tile_threads,
        0, t);
}

// ---- bias and activation in kernels of their own ----

// y = epilogue(beta y + bias), after a product that the library computes without them.
template <class T>
__global__ void finish_kernel(Gemm g) {
  using C = compute_t<T>;
  for (const int64_t i : grid_stride(g.batch * g.m * g.n)) {
    const int64_t j = i % g.n, row = i / g.n;
    T& at = static_cast<T*>(g.y)[row / g.m * g.y_step + row % g.m * g.y_ld + j];
    C x = g.beta == 0 ? C(0) : C(g.beta) * C(at);
    if (g.bias) x += C(static_cast<const T*>(g.bias)[j]);
    at = T(finish(x, g.epilogue));
  }
}
void finish_apart(const Tensor& y, Gemm g, double beta, const void* bias, Epilogue epilogue) {
  g.beta = beta, g.bias = bias, g.epilogue = epilogue;
  dispatch(Floats{}, g.dtype,
           [&]<class T>(Type<T>) { start_grid_stride(y, finish_kernel<T>, g.batch * g.m * g.n, g); });
}

// The product by the library, with bias and activation in passes of their own. Where the library declines even the
// plain product, our own kernel computes it.
void product_in_passes(const Tensor& y, Product p, const Gemm& g) {
  if (p.bias) {
    finish_apart(y, g, g.beta, p.bias, Epilogue::none);
    p.bias = nullptr, p.beta = 1;
  }
  const Epilogue last = std::exchange(p.epilogue, Epilogue::none);
  if (!computes(y, *library_product(y, p))) own_product(y, p);
  if (last != Epilogue::none) finish_apart(y, g, 1, nullptr, last);
}

}  // namespace

void own_product(const Tensor& y, const Product& p) {
  if (p.batch == 0 || p.m == 0 || p.n == 0) return;
  dispatch_product(y.dtype(), [&]<class T>(Type<T>) { run_own<T>(y, p); });
}

void product(const Tensor& y, const Product& p) {
  if (p.batch == 0 || p.m == 0 || p.n == 0) return;
  const auto g = p.k == 0 ? std::nullopt : library_product(y, p);
  if (!g) return own_product(y, p);
  if (computes(y, *g)) return;
  // cuBLASLt fuses nothing for float64 on some GPUs; its plain products are ten times as fast as ours
  if (p.bias || p.epilogue != Epilogue::none) return product_in_passes(y, p, *g);
  own_product(y, p);
}

}  // namespace luth::cuda
