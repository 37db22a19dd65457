// Steps of optimizers and clipping of gradients on CUDA: many tensors in one launch (multi-tensor apply). The kernel's
// parameter is a table of tensors; each block takes a chunk of one of them. Nothing is read by the host.
#include <tuple>

#include "core/ops/nn/optim.h"
#include "core/ops/nn/rules.h"
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace luth::cuda {
namespace {

constexpr int64_t chunk = 16384;  // elements of a block, a multiple of every vector_size

/// Groups of n tensors of one length: a parameter, its gradient and its state. A kernel's parameters have room for 4
/// KB.
template <int n>
struct Table {
  static constexpr int most = 3400 / (n * 8 + 12);
  int groups = 0;
  void* data[most][n];
  int64_t size[most];
  unsigned first[most + 1] = {0};  // number of the first chunk of each, and how many there are

  void add(const Value* tensors) {
    size[groups] = tensors[0].numel();
    for (int k = 0; k < n; ++k) data[groups][k] = tensors[k].tensor().raw();
    first[groups + 1] = first[groups] + unsigned((size[groups] + chunk - 1) / chunk);
    ++groups;
  }
  unsigned chunks() const { return first[groups]; }
  /// The group of this block.
  __device__ int group() const {
    int low = 0, high = groups;  // the last one that begins at this block or before
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (first[middle] <= blockIdx.x)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
};

template <class T, int n>
__device__ bool aligned(void* const (&data)[n]) {
  bool all = true;
#pragma unroll
  for (int k = 0; k < n; ++k) all = all && reinterpret_cast<uintptr_t>(data[k]) % 16 == 0;
  return all;
}

/// Applies f to `width` elements of each tensor from `at` on; stores the tensors that f writes.
template <class T, int n, int width, class F>
__device__ void step_vector(void* const (&data)[n], int64_t at, const F& f) {
  using C = compute_t<T>;
  AlignedVector<T, width> vectors[n];
#pragma unroll
  for (int k = 0; k < n; ++k)
    vectors[k] = *reinterpret_cast<const AlignedVector<T, width>*>(static_cast<const T*>(data[k]) + at);
#pragma unroll
  for (int j = 0; j < width; ++j) {
    C v[n];
#pragma unroll
    for (int k = 0; k < n; ++k) v[k] = C(vectors[k].v[j]);
    f(v);
#pragma unroll
    for (int k = 0; k < n; ++k) vectors[k].v[j] = T(v[k]);
  }
#pragma unroll
  for (int k = 0; k < n; ++k)
    if (F::writes >> k & 1) *reinterpret_cast<AlignedVector<T, width>*>(static_cast<T*>(data[k]) + at) = vectors[k];
}

/// f(v) for the elements v[0 … n - 1] at each position; bit k of F::writes: v[k] is stored. f.begin() false: nothing is
/// to be done.
template <class T, int n, class F>
__global__ void step_kernel(const Table<n> table, const F given) {
  F f = given;
  if constexpr (requires { f.begin(); })
    if (!f.begin()) return;
  const int g = table.group();
  const int64_t begin = int64_t(blockIdx.x - table.first[g]) * chunk, end = min(begin + chunk, table.size[g]);
  void* data[n];
#pragma unroll
  for (int k = 0; k < n; ++k) data[k] = table.data[g][k];
  constexpr int width = vector_size<T>;
  int64_t rest = begin;
  if (aligned<T, n>(data)) {
    const int64_t vectors = (end - begin) / width;
    for (int64_t i = threadIdx.x; i < vectors; i += blockDim.x) step_vector<T, n, width>(data, begin + i * width, f);
    rest += vectors * width;
  }
#pragma unroll 1
  for (int64_t i = rest + threadIdx.x; i < end; i += blockDim.x) step_vector<T, n, 1>(data, i, f);
}

/// Calls flush(table) for all groups whose dtype is T's, as many at once as a table holds.
template <class T, int n, class Flush>
void in_tables(List list, Flush&& flush) {
  Table<n> table;
  for (size_t i = 0; i < list.size(); i += n) {
    if (list[i].dtype() != dtype_of<T> || list[i].numel() == 0) continue;
    table.add(&list[i]);
    if (table.groups < Table<n>::most) continue;
    flush(table);
    table = Table<n>();
  }
  if (table.groups) flush(table);
}
/// A step of F<C, n>, made from the arguments, on each group of n tensors; C: the type to compute in.
template <int n, template <class, int> class F, class... A>
void step_all(List list, const A&... arguments) {
  if (list.empty()) return;
  for_each(Floats{}, [&]<class T>(Type<T>) {
    using Step = F<compute_t<T>, n>;
    in_tables<T, n>(list, [&](const Table<n>& table) {
      start(list[0].tensor(), step_kernel<T, n, Step>, table.chunks(), threads, 0, table, Step(arguments...));
    });
  });
}

/// The rule's function of one element; all but the gradient, v[1], is stored.
template <class Rule>
struct StepOf {
  template <class C, int n>
  struct Of {
    static constexpr unsigned writes = ~2u;
    typename Rule::template Update<C> update;
    explicit Of(const ops::Step<Rule>& op) : update(op, op.moment) {}
    __device__ void operator()(C (&v)[n]) const { update(v); }
  };
};
template <class Rule>
void step(const ops::Step<Rule>& op, List list) {
  op.with_tensors([&]<int n>(std::integral_constant<int, n>) { step_all<n, StepOf<Rule>::template Of>(list, op); });
}
template <class Rules>
struct StepKernels;
template <class... Rule>
struct StepKernels<Types<Rule...>> {
  std::tuple<Kernel<step<Rule>>...> kernels;
};

/// A 0-dimensional tensor that a kernel reads.
struct Norm {
  const void* data;
  Dtype dtype;
  __device__ double value() const {
    switch (dtype) {
      case Dtype::f16: return float(*static_cast<const half*>(data));
      case Dtype::bf16: return float(*static_cast<const bfloat16*>(data));
      case Dtype::f32: return *static_cast<const float*>(data);
      default: return *static_cast<const double*>(data);
    }
  }
};
template <class C, int n>
struct ScaleToNorm {
  static constexpr unsigned writes = 1;
  double most;
  Norm total;
  C factor = 1;
  ScaleToNorm(double max_norm, const Norm& norm) : most(max_norm), total(norm) {}
  __device__ bool begin() {
    const double share = most / (total.value() + 1e-6);
    factor = C(share);
    return !(share >= 1);  // nan goes on: gradients become nan, as in PyTorch
  }
  __device__ void operator()(C (&v)[n]) const { v[0] *= factor; }
};
void clip_by_norm(const ops::ClipByNorm& op, List list) {
  step_all<1, ScaleToNorm>(list.subspan(1), op.max_norm, Norm{list[0].tensor().raw(), list[0].dtype()});
}

template <class C, int n>
struct Clamp {
  static constexpr unsigned writes = 1;
  C top;
  explicit Clamp(double clip_value) : top(C(clip_value)) {}
  __device__ void operator()(C (&v)[n]) const { v[0] = v[0] > top ? top : v[0] < -top ? -top : v[0]; }
};
void clip_by_value(const ops::ClipByValue& op, List list) { step_all<1, Clamp>(list, op.clip_value); }

// ---- the norm of all ----------------------------------------------------------------------------------------------
// Sums in double, of the elements of a chunk in one tree, of the chunks in another: always in the same order.

inline constexpr int sum_threads = 1024;

struct Power {
  enum Kind { largest, first, second, any };
  double p;
  Kind kind;
  explicit Power(double norm_type)
      : p(norm_type),
        kind(std::isinf(p) ? largest
             : p == 1      ? first
             : p == 2      ? second
                           : any) {}
  __device__ double of(double x) const {
    const double a = fabs(x);
    return kind == second ? x * x : kind == any ? pow(a, p) : a;
  }
  __device__ double root(double sum) const { return kind == second ? sqrt(sum) : kind == any ? pow(sum, 1 / p) : sum; }
  __device__ double operator()(double a, double b) const {
    return kind == largest ? (a > b || a != a ? a : b) : a + b;  // nan is larger than all
  }
};

template <class T>
__global__ void norm_kernel(const Table<1> table, const Power power, double* sums) {
  __shared__ double shared[33];
  const int g = table.group();
  const int64_t begin = int64_t(blockIdx.x - table.first[g]) * chunk, end = min(begin + chunk, table.size[g]);
  const T* x = static_cast<const T*>(table.data[g][0]);
  constexpr int width = vector_size<T>;
  double sum = 0;
  int64_t rest = begin;
  if (reinterpret_cast<uintptr_t>(x) % 16 == 0) {
    const int64_t vectors = (end - begin) / width;
    for (int64_t i = threadIdx.x; i < vectors; i += blockDim.x) {
      const auto vector = *reinterpret_cast<const AlignedVector<T, width>*>(x + begin + i * width);
#pragma unroll
      for (int k = 0; k < width; ++k) sum = power(sum, power.of(cast<double>(vector.v[k])));
    }
    rest += vectors * width;
  }
#pragma unroll 1
  for (int64_t i = rest + threadIdx.x; i < end; i += blockDim.x) sum = power(sum, power.of(cast<double>(x[i])));
  sum = block_reduce(sum, power, 0.0, shared);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(sum_threads)
    norm_of_sums(const double* sums, int64_t n, const Power power, void* out, Dtype dtype) {
  __shared__ double shared[33];
  double sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum = power(sum, sums[i]);
  sum = power.root(block_reduce(sum, power, 0.0, shared));
  if (threadIdx.x != 0) return;
  switch (dtype) {
    case Dtype::f16: *static_cast<half*>(out) = cast<half>(sum); break;
    case Dtype::bf16: *static_cast<bfloat16*>(out) = cast<bfloat16>(sum); break;
    case Dtype::f32: *static_cast<float*>(out) = float(sum); break;
    default: *static_cast<double*>(out) = sum;
  }
}

void norm_of_all(const ops::NormOfAll& op, Tensor& out, List list) {
  std::vector<Value> flat;  // in any order of memory, but without holes
  int64_t chunks = 0;
  for (auto& v : list) {
    const Tensor& x = v.tensor();
    flat.push_back(is_dense(x.shape(), x.strides()) ? x : dense_copy(x));
    chunks += (x.numel() + chunk - 1) / chunk;
  }
  const Power power(op.norm_type);
  Tensor sums = Tensor::empty({chunks}, Dtype::f64, out.device());
  int64_t done = 0;
  for_each(Floats{}, [&]<class T>(Type<T>) {
    in_tables<T, 1>(flat, [&](const Table<1>& table) {
      start(out, norm_kernel<T>, table.chunks(), threads, 0, table, power, sums.data<double>() + done);
      done += table.chunks();
    });
  });
  start(out, norm_of_sums, 1, sum_threads, 0, sums.data<double>(), chunks, power, out.raw(), out.dtype());
}

const StepKernels<ops::UpdateRules> steps_;
const Kernel<norm_of_all> norm_of_all_;
const Kernel<clip_by_norm> clip_by_norm_;
const Kernel<clip_by_value> clip_by_value_;

}  // namespace
}  // namespace luth::cuda
