// Sums, products, norms, extremes and truth of slices.
#include "core/ops/reduce/reduce.h"

#include "core/ops/reduce/statistics.h"

#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/reduce/totals.h"

namespace luth::cpu {
namespace {

// x in the dtype in which the reduction computes for a result of dtype `result`.
Tensor converted(const Tensor& x, Dtype result) {
  Dtype natural = is_floating(x.dtype()) ? x.dtype() : Dtype::i64;
  if (natural == result) return x;
  NoGrad no_grad;
  return cast_to(x, result);
}
template <template <class> class R>
void accumulate(const Tensor& input, Tensor& y, uint32_t mask) {
  with_slices(AllTypes{}, converted(input, y.dtype()), mask, true, [&]<class T>(const T* x, const Slices& a) {
    using C = compute_t<T>;
    dispatch(AllTypes{}, y.dtype(), [&]<class Out>(Type<Out>) {
      if constexpr (std::is_same_v<Out, T> || std::is_same_v<Out, int64_t>) {
        Out* out = y.data<Out>();
        reduce<R<C>, C>(x, a, [&](int64_t i, auto total) { out[i] = cast<Out>(total); });
      }
    });
  });
}

void sum(const ops::Sum& op, Tensor& y, const Strided& x) { accumulate<Adds>(x, y, op.dim.mask(x)); }
void prod(const ops::Prod& op, Tensor& y, const Strided& x) {
  accumulate<Multiplies>(x, y, !op.dim ? ~0u : x.dim() ? 1u << wrap_dim(*op.dim, x.dim()) : 0u);
}
/// The sums of a floating tensor, and f of each as result.
template <template <class> class R, class F>
void sum_floats(const auto& op, Tensor& y, const Tensor& input, F f) {
  with_slices(Floats{}, input, op.dim.mask(input), true, [&]<class T>(const T* x, const Slices& a) {
    using C = compute_t<T>;
    T* out = y.data<T>();
    reduce<R<C>, C>(x, a, [&](int64_t i, double total) { out[i] = cast<T>(f(total)); });
  });
}
void sum_of_numbers(const ops::SumOfNumbers& op, Tensor& y, const Strided& x) {
  sum_floats<AddsNumbers>(op, y, x, [](double total) { return total; });
}
void euclidean_norm(const ops::EuclideanNorm& op, Tensor& y, const Strided& x) {
  sum_floats<AddsSquares>(op, y, x, [](double total) { return std::sqrt(total); });
}
template <template <class> class R>
void extremum(const Tensor& input, Tensor& y, uint32_t mask) {
  with_slices(AllTypes{}, input, mask, true, [&]<class T>(const T* x, const Slices& a) {
    using C = std::conditional_t<std::is_same_v<T, bool>, uint8_t, compute_t<T>>;
    T* out = y.data<T>();
    reduce<R<C>, C>(x, a, [&](int64_t i, C total) { out[i] = cast<T>(total); });
  });
}
void amax(const ops::Amax& op, Tensor& y, const Strided& x) { extremum<Largest>(x, y, op.dim.mask(x)); }
void amin(const ops::Amin& op, Tensor& y, const Strided& x) { extremum<Smallest>(x, y, op.dim.mask(x)); }

// all: the smallest truth; any: the largest.
template <template <class> class R>
void truth(const Tensor& input, Tensor& y, uint32_t mask) {
  NoGrad no_grad;
  auto [x, a] = sliced(input.dtype() == Dtype::boolean ? input : cast_to(input, Dtype::boolean), mask, true);
  uint8_t* out = y.data<uint8_t>();
  reduce<R<uint8_t>, uint8_t>(x.data<uint8_t>(), a, [&](int64_t i, uint8_t total) { out[i] = total != 0; });
}
void all(const ops::AllDims& op, Tensor& y, const Strided& x) { truth<Smallest>(x, y, op.dim.mask(x)); }
void any(const ops::AnyDims& op, Tensor& y, const Strided& x) { truth<Largest>(x, y, op.dim.mask(x)); }

const Kernel<sum> sum_;
const Kernel<prod> prod_;
const Kernel<sum_of_numbers> sum_of_numbers_;
const Kernel<euclidean_norm> euclidean_norm_;
const Kernel<amax> amax_;
const Kernel<amin> amin_;
const Kernel<all> all_;
const Kernel<any> any_;

}  // namespace
}  // namespace luth::cpu
