#include "core/nn/pool.h"

#include "core/ops/window/pool.h"

namespace luth::nn {
namespace {

template <int n>
Tensors maxima(const Tensor& x, const MaxPoolSpec<n>& s) {
  return Fn<ops::MaxPoolOf<n>>()(
      x, {{s.kernel_size, s.stride, s.padding, s.dilation, s.ceil_mode}, s.return_indices, s.base});
}

}  // namespace

template <int n>
std::string MaxPool<n>::extra_repr() const {
  return fmt::format("kernel_size={}, stride={}, padding={}, dilation={}, ceil_mode={}",
                     py_int_or_tuple(spec.kernel_size), py_int_or_tuple(spec.stride.value_or(spec.kernel_size)),
                     py_int_or_tuple(spec.padding), py_int_or_tuple(spec.dilation), py(spec.ceil_mode));
}
template <int n>
Tensor MaxPool<n>::run(const Tensor& x) {
  return maxima(x, spec)[0];
}
template <int n>
Values MaxPool<n>::forward(const Values& in) {
  check_tensors(*this, in, 1);
  const Tensors out = maxima(in[0].tensor(), spec);
  return {out.begin(), out.end()};
}

template <int n>
std::string AvgPool<n>::extra_repr() const {
  return fmt::format("kernel_size={}, stride={}, padding={}", py_int_or_tuple(spec.kernel_size),
                     py_int_or_tuple(spec.stride.value_or(spec.kernel_size)), py_int_or_tuple(spec.padding));
}
template <int n>
Tensor AvgPool<n>::run(const Tensor& x) {
  return Fn<ops::AvgPoolOf<n>>()(x, {{spec.kernel_size, spec.stride, spec.padding, {1}, spec.ceil_mode},
                                     spec.count_include_pad,
                                     spec.divisor_override});
}

template class MaxPool<2>;
template class AvgPool<2>;

namespace {
const DefineModule<MaxPool2d> max_pool2d_;
const DefineModule<AvgPool2d> avg_pool2d_;
}  // namespace

}  // namespace luth::nn
