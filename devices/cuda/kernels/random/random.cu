// Random fills and dropout on CUDA: each element from Philox words of its own, by the functions that the CPU uses
// (core/math/draw.h).
#include "core/ops/random/random.h"

#include "core/autograd/autograd.h"
#include "core/math/draw.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/sort.h"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

/// Philox counters for the numbers of an aligned vector, which a thread draws at once.
template <class T>
inline constexpr int counters = vector_size<T>* words_per<T> / 4;

template <class T, class Draw>
__device__ void draw_vector(const Draw& draw, const uint32_t* w, AlignedVector<T, vector_size<T>>& p) {
  if constexpr (requires { Draw::in_pairs; }) {
#pragma unroll
    for (int k = 0; k < vector_size<T>; k += 2) {
      compute_t<T> u, v, first, second;
      draw.uniforms(w + k * words_per<T>, u, v);
      draw.pair(u, v, first, second);
      p.v[k] = T(draw.shifted(first));
      p.v[k + 1] = T(draw.shifted(second));
    }
  } else if constexpr (requires { draw(w, p.v[0]); }) {
#pragma unroll
    for (int k = 0; k < vector_size<T>; ++k) p.v[k] = draw(w + k * words_per<T>, p.v[k]);
  } else {
#pragma unroll
    for (int k = 0; k < vector_size<T>; ++k) p.v[k] = cast<T>(draw(w + k * words_per<T>));
  }
}

/// out[i] = draw(words of i), or draw(words of i, in[i]). `whole`: both begin at a multiple of 16 bytes.
template <class T, class Draw>
__global__ void draw_kernel(int64_t seed, int64_t offset, int64_t n, const T* in, T* out, Draw draw, bool whole) {
  constexpr int each = vector_size<T>;
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i * each < n; i += step) {
    const bool full = whole && (i + 1) * each <= n;
    const int here = int(n - i * each < each ? n - i * each : each);
    uint32_t w[4 * counters<T>];
#pragma unroll
    for (int c = 0; c < counters<T>; ++c) {
      const PhiloxWords p = philox(seed, offset + i * counters<T> + c);
      for (int k = 0; k < 4; ++k) w[4 * c + k] = p.w[k];
    }
    AlignedVector<T, each> vector{};
    if (in && full) vector = reinterpret_cast<const AlignedVector<T, each>*>(in)[i];
    if (in && !full) {
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (k < here) vector.v[k] = in[i * each + k];
    }
    draw_vector<T>(draw, w, vector);
    if (full) {
      reinterpret_cast<AlignedVector<T, each>*>(out)[i] = vector;
    } else {
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (k < here) out[i * each + k] = vector.v[k];
    }
  }
}

/// Fills row-major memory in order of elements, then copies it to y's layout. `in` is row-major or null.
template <class T, class Draw>
void draw_in_order(const PhiloxState& state, Tensor& y, const Draw& draw, const T* in = nullptr) {
  Tensor work = y.is_contiguous() ? y : Tensor::empty(y.shape(), y.dtype(), y.device());
  T* out = static_cast<T*>(work.raw());
  const int64_t n = y.numel();
  if (n == 0) return;
  const bool whole = reinterpret_cast<uintptr_t>(out) % 16 == 0 && reinterpret_cast<uintptr_t>(in) % 16 == 0;
  start_grid_stride(y, draw_kernel<T, Draw>, (n + vector_size<T> - 1) / vector_size<T>, state.seed, state.offset, n, in,
                    out, draw, whole);
  if (work.same(y)) return;
  NoGrad no_grad;
  luth::copy.into(y, work);
}

template <template <class> class Draw, class... P>
void fill_floats(const PhiloxState& state, Tensor& y, P... parameters) {
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) { draw_in_order<T>(state, y, Draw<T>(parameters...)); });
}
void uniform(const ops::UniformFill& op, Tensor& y, const Value&) {
  fill_floats<draw::Uniform>(op.philox, y, op.from, op.to);
}
void normal(const ops::NormalFill& op, Tensor& y, const Value&) {
  fill_floats<draw::Normal>(op.philox, y, op.mean, op.std);
}
void exponential(const ops::ExponentialFill& op, Tensor& y, const Value&) {
  fill_floats<draw::Exponential>(op.philox, y, op.lambd);
}

/// Draws the bits of 1 or of 0.
template <class T>
struct Coin {
  draw::Bernoulli<T> draw;
  T one;
  __device__ T operator()(const uint32_t* w) const { return draw(w) ? one : T(0); }
};
void bernoulli_fill(const ops::BernoulliFill& op, Tensor& y, const Value&) {
  by_width(y.dtype(), [&]<class I>(Type<I>) {
    I one = 0;
    dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
      if constexpr (sizeof(T) == sizeof(I)) one = std::bit_cast<I>(cast<T>(1));
    });
    draw_in_order<I>(op.philox, y, Coin<I>{draw::Bernoulli<I>(op.p), one});
  });
}

template <class T>
struct CoinOf {
  __device__ T operator()(const uint32_t* w, T p) const {
    return T(compute_t<T>(compute_t<T>(uniform_float(w[0])) < compute_t<T>(p)));
  }
};
void bernoulli(const ops::Bernoulli& op, Tensor& y, const Dense& p) {
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) { draw_in_order<T>(op.philox, y, CoinOf<T>(), p.data<T>()); });
}

/// Draws an integer: its low bits or, for bool, whether it is not 0.
template <class T>
struct IntegerBits {
  draw::Integers<T> draw;
  bool truth;
  __device__ T operator()(const uint32_t* w) const {
    const int64_t v = draw(w);
    return truth ? T(v != 0) : T(v);
  }
};
void random_integers(const ops::RandomIntegers& op, Tensor& y, const Value&) {
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    const uint64_t from = uint64_t(op.from), range = uint64_t(op.to.value_or(draw::integers_of<T>())) - from;
    if constexpr (is_float<T>)
      draw_in_order<T>(op.philox, y, draw::Integers<T>{from, range});
    else
      by_width(y.dtype(), [&]<class I>(Type<I>) {
        draw_in_order<I>(op.philox, y, IntegerBits<I>{{from, range}, y.dtype() == Dtype::boolean});
      });
  });
}

/// The random word of a position as a signed key of the same order.
struct WideKey {
  __device__ int64_t operator()(const uint32_t* w) const {
    return int64_t((uint64_t(w[1]) << 32 | w[0]) ^ uint64_t(1) << 63);
  }
};
struct Key {
  __device__ int32_t operator()(const uint32_t* w) const { return int32_t(w[0] ^ 0x80000000u); }
};
// The order of random words, as on the CPU: a dtype of 8 bytes takes two for each position.
void randperm(const ops::Randperm& op, Tensor& y) {
  if (y.numel() == 0) return;
  const bool wide = size_of(y.dtype()) == 8;
  NoGrad no_grad;
  Tensor keys = Tensor::empty(y.shape(), wide ? Dtype::i64 : Dtype::i32, y.device());
  if (wide)
    draw_in_order<int64_t>(op.philox, keys, WideKey());
  else
    draw_in_order<int32_t>(op.philox, keys, Key());
  ops::Sort sort;
  sort.stable = true;
  sort.base = op.base;
  luth::copy.into(y, luth::sort(keys, sort)[1]);
}

void dropout(const ops::NativeDropout& op, Tensor& y, const Dense& x) {
  dispatch(Floats{}, y.dtype(),
           [&]<class T>(Type<T>) { draw_in_order<T>(op.philox, y, draw::Dropout<T>(op.p), x.data<T>()); });
}

const Kernel<uniform> uniform_;
const Kernel<normal> normal_;
const Kernel<exponential> exponential_;
const Kernel<bernoulli_fill> bernoulli_fill_;
const Kernel<bernoulli> bernoulli_;
const Kernel<random_integers> random_integers_;
const Kernel<randperm> randperm_;
const Kernel<dropout> dropout_;

}  // namespace
}  // namespace luth::cuda
