// Reductions on CUDA: sums, products, extremes with and without positions, variances, norms, truth.
#include "devices/cuda/kernels/reduce/reduce.cuh"

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/mask.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/statistics.h"
#include "devices/cuda/kernels/common/element.cuh"

namespace luth::cuda {
namespace {

/// Where numbers of one type are written as elements of any dtype.
struct Output {
  void* data;
  Dtype dtype;
  explicit Output(const Tensor& t) : data(t.raw()), dtype(t.dtype()) {}

  __device__ void put(int64_t i, double v) const { static_cast<double*>(data)[i] = v; }
  __device__ void put(int64_t i, float v) const {
    switch (dtype) {
      case Dtype::f16: static_cast<half*>(data)[i] = half(v); break;
      case Dtype::bf16: static_cast<bfloat16*>(data)[i] = bfloat16(v); break;
      default: static_cast<float*>(data)[i] = v;
    }
  }
  __device__ void put(int64_t i, int64_t v) const {
    switch (dtype) {
      case Dtype::boolean: static_cast<bool*>(data)[i] = v != 0; break;
      case Dtype::u8:
      case Dtype::i8: static_cast<int8_t*>(data)[i] = int8_t(v); break;
      case Dtype::i16: static_cast<int16_t*>(data)[i] = int16_t(v); break;
      case Dtype::i32: static_cast<int32_t*>(data)[i] = int32_t(v); break;
      default: static_cast<int64_t*>(data)[i] = v;
    }
  }
};

/// Instances are few: integers of rare types are widened first, and bool is read as the bytes that it is.
Tensor widened(const Tensor& x) {
  NoGrad no_grad;
  return x.dtype() == Dtype::i8 || x.dtype() == Dtype::i16 ? cast_to(x, Dtype::i32) : x;
}
template <class F>
void by_type(const Tensor& x, F f) {
  if (x.dtype() == Dtype::boolean) return f(Type<uint8_t>());
  dispatch(Types<float, double, half, bfloat16, uint8_t, int32_t, int64_t>{}, x.dtype(), f);
}

// ---- sums and products ----

template <class A>
struct Add {
  using Number = A;
  using Acc = A;
  Output out;
  __device__ A none() const { return 0; }
  __device__ A of(A v, int64_t) const { return v; }
  __device__ A combine(A a, A b) const { return a + b; }
  __device__ void store(int64_t at, A v) const { out.put(at, v); }
};
template <class A>
struct Multiply : Add<A> {
  __device__ A none() const { return 1; }
  __device__ A combine(A a, A b) const { return a * b; }
};
/// A nan counts as 0.
template <class A>
struct AddNumbers : Add<A> {
  __device__ A of(A v, int64_t) const { return v == v ? v : A(0); }
};
/// The root of the sum of squares.
template <class A>
struct Length : Add<A> {
  __device__ A of(A v, int64_t) const { return v * v; }
  __device__ void store(int64_t at, A v) const { this->out.put(at, math::sqrt(v)); }
};

// PyTorch converts first where the result's dtype is not the natural one.
Tensor converted(const Tensor& x, Dtype result) {
  const Dtype natural = is_floating(x.dtype()) ? x.dtype() : Dtype::i64;
  NoGrad no_grad;
  return natural == result ? x : cast_to(x, result);
}
template <template <class> class Op>
void accumulate(const Tensor& input, Tensor& y, uint32_t mask) {
  const Tensor x = widened(converted(input, y.dtype()));
  by_type(x, [&]<class T>(Type<T>) { reduce<T>(Op<sum_t<T>>{Output(y)}, x, y, mask); });
}
void sum(const ops::Sum& op, Tensor& y, const Strided& x) { accumulate<Add>(x, y, op.dim.mask(x)); }
void prod(const ops::Prod& op, Tensor& y, const Strided& input) {
  const uint32_t mask = !op.dim ? ~0u : input.dim() ? 1u << wrap_dim(*op.dim, input.dim()) : 0u;
  Tensor x = converted(input, y.dtype());
  NoGrad no_grad;
  if (!is_floating(x.dtype())) x = cast_to(x, Dtype::i64);  // rare: no instances of its own
  dispatch(Types<float, double, half, bfloat16, int64_t>{}, x.dtype(),
           [&]<class T>(Type<T>) { reduce<T>(Multiply<sum_t<T>>{{Output(y)}}, x, y, mask); });
}
template <template <class> class Op>
void sum_floats(const auto& op, Tensor& y, const Tensor& x) {
  dispatch(Floats{}, x.dtype(),
           [&]<class T>(Type<T>) { reduce<T>(Op<compute_t<T>>{{Output(y)}}, x, y, op.dim.mask(x)); });
}
void sum_of_numbers(const ops::SumOfNumbers& op, Tensor& y, const Strided& x) { sum_floats<AddNumbers>(op, y, x); }
void euclidean_norm(const ops::EuclideanNorm& op, Tensor& y, const Strided& x) { sum_floats<Length>(op, y, x); }

// ---- extremes ----

template <class A>
__device__ A worst(bool largest) {
  if constexpr (std::is_floating_point_v<A>)
    return largest ? -std::numeric_limits<A>::infinity() : std::numeric_limits<A>::infinity();
  else
    return largest ? std::numeric_limits<A>::lowest() : std::numeric_limits<A>::max();
}
template <class A>
struct Extreme {
  using Number = A;
  using Acc = A;
  Output out;
  bool largest;
  __device__ A none() const { return worst<A>(largest); }
  __device__ A of(A v, int64_t) const { return v; }
  __device__ A combine(A a, A b) const { return (largest ? b > a : b < a) || b != b ? b : a; }
  __device__ void store(int64_t at, A v) const { out.put(at, v); }
};
void extreme(const Tensor& input, Tensor& y, uint32_t mask, bool largest) {
  const Tensor x = widened(input);
  by_type(x, [&]<class T>(Type<T>) { reduce<T>(Extreme<sum_t<T>>{Output(y), largest}, x, y, mask); });
}
void amax(const ops::Amax& op, Tensor& y, const Strided& x) { extreme(x, y, op.dim.mask(x), true); }
void amin(const ops::Amin& op, Tensor& y, const Strided& x) { extreme(x, y, op.dim.mask(x), false); }

/// The extreme and the first position that holds it; a nan is more extreme than any number.
template <class A>
struct Find {
  using Number = A;
  struct Acc {
    A value;
    int64_t at;
  };
  Output values;
  int64_t* positions;
  bool largest;
  int base;
  __device__ Acc none() const { return {worst<A>(largest), INT64_MAX}; }
  __device__ Acc of(A v, int64_t i) const { return {v, i}; }
  __device__ Acc combine(const Acc& a, const Acc& b) const {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool same = a.value == b.value || (a_nan && b_nan);
    const bool better = largest ? b.value > a.value : b.value < a.value;
    return (same ? b.at < a.at : !a_nan && (b_nan || better)) ? b : a;
  }
  __device__ void store(int64_t at, const Acc& v) const {
    values.put(at, v.value);
    positions[at] = v.at + base;
  }
};
void find(const auto& op, Tensor& values, Tensor& positions, const Tensor& input, bool largest) {
  const Tensor x = widened(input);
  const uint32_t mask = x.dim() ? 1u << wrap_dim(op.dim, x.dim()) : 0u;
  by_type(x, [&]<class T>(Type<T>) {
    const Find<sum_t<T>> f{Output(values), positions.data<int64_t>(), largest, op.base};
    reduce<T>(f, x, values, mask);
  });
}
void max_dim(const ops::MaxDim& op, Tensor& v, Tensor& i, const Strided& x) { find(op, v, i, x, true); }
void min_dim(const ops::MinDim& op, Tensor& v, Tensor& i, const Strided& x) { find(op, v, i, x, false); }

// ---- how many are not 0 ----

enum class Truth : uint8_t { count, all, any };
/// Elements of `width` bytes, which are 0 where no bit of `bits` is set: -0 is 0.
template <class W>
struct Count {
  using Number = W;
  using Acc = int64_t;
  Output out;
  W bits;
  Truth what;
  int64_t n;
  __device__ int64_t none() const { return 0; }
  __device__ int64_t of(W v, int64_t) const { return (v & bits) != 0; }
  __device__ int64_t combine(int64_t a, int64_t b) const { return a + b; }
  __device__ void store(int64_t at, int64_t v) const {
    out.put(at, what == Truth::count ? v : int64_t(what == Truth::all ? v == n : v > 0));
  }
};
void count(const Tensor& x, Tensor& y, uint32_t mask, Truth what) {
  int64_t n = 1;
  for (int i = 0; i < x.dim(); ++i)
    if (mask >> i & 1) n *= x.shape()[i];
  by_width(x.dtype(), [&]<class W>(Type<W>) {
    const W bits = is_floating(x.dtype()) ? W(W(~W(0)) >> 1) : W(~W(0));
    reduce<W>(Count<W>{Output(y), bits, what, n}, x, y, mask);
  });
}
void all(const ops::AllDims& op, Tensor& y, const Strided& x) { count(x, y, op.dim.mask(x), Truth::all); }
void any(const ops::AnyDims& op, Tensor& y, const Strided& x) { count(x, y, op.dim.mask(x), Truth::any); }
void count_nonzero(const ops::CountNonzero&, Tensor& y, const Strided& x) { count(x, y, ~0u, Truth::count); }

// ---- variance ----

/// Variance from counts, means and sums of squared distances from the mean, which combine() merges by Chan, Golub and
/// LeVeque's rule.
template <class A>
struct Spread {
  using Number = A;
  struct Acc {
    A count, mean, squares;
  };
  Output out;
  double divisor;
  bool root;
  __device__ Acc none() const { return {0, 0, 0}; }
  __device__ Acc of(A v, int64_t) const { return {1, v, 0}; }
  template <int n>
  __device__ Acc of_all(const A (&v)[n]) const {
    A total = 0, squares = 0;
#pragma unroll
    for (int k = 0; k < n; ++k) total += v[k];
    const A mean = total / A(n);
#pragma unroll
    for (int k = 0; k < n; ++k) squares += (v[k] - mean) * (v[k] - mean);
    return {A(n), mean, squares};
  }
  __device__ Acc combine(const Acc& a, const Acc& b) const {
    if (b.count == A(0)) return a;
    if (a.count == A(0)) return b;
    const A count = a.count + b.count, part = b.count / count, d = b.mean - a.mean;
    return {count, a.mean + d * part, a.squares + b.squares + d * d * a.count * part};
  }
  __device__ void store(int64_t at, const Acc& v) const {
    const A variance = v.squares / A(divisor);
    out.put(at, root ? math::sqrt(variance) : variance);
  }
};
void variance(const auto& op, Tensor& y, const Tensor& x, bool root) {
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    reduce<T>(Spread<compute_t<T>>{Output(y), op.divisor(x), root}, x, y, op.dim.mask(x));
  });
}
void var(const ops::Var& op, Tensor& y, const Strided& x) { variance(op, y, x, false); }
void stddev(const ops::Std& op, Tensor& y, const Strided& x) { variance(op, y, x, true); }

const Kernel<sum> sum_;
const Kernel<prod> prod_;
const Kernel<sum_of_numbers> sum_of_numbers_;
const Kernel<euclidean_norm> euclidean_norm_;
const Kernel<amax> amax_;
const Kernel<amin> amin_;
const Kernel<all> all_;
const Kernel<any> any_;
const Kernel<count_nonzero> count_nonzero_;
const Kernel<var> var_;
const Kernel<stddev> stddev_;
const Kernel<max_dim> max_dim_;
const Kernel<min_dim> min_dim_;

}  // namespace
}  // namespace luth::cuda
