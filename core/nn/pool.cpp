#include "core/nn/pool.h"

#include "core/ops/window/pool.h"

namespace luth::nn {
namespace {
const DefineModule<MaxPool2d> max_pool2d_;
const DefineModule<AvgPool2d> avg_pool2d_;
}  // namespace

std::string MaxPool2d::extra_repr() const {
  return fmt::format("kernel_size={}, stride={}, padding={}, dilation={}, ceil_mode={}",
                     py_int_or_tuple(spec.kernel_size), py_int_or_tuple(spec.stride.value_or(spec.kernel_size)),
                     py_int_or_tuple(spec.padding), py_int_or_tuple(spec.dilation), py(spec.ceil_mode));
}

namespace {
template <class Op, class Spec>
void set_window(Op& op, const Spec& s) {
  op.kernel_size = s.kernel_size;
  op.stride = s.stride;
  op.padding = s.padding;
  op.ceil_mode = s.ceil_mode;
}
}  // namespace

Tensor MaxPool2d::run(const Tensor& x) {
  ops::MaxPool2d op;
  set_window(op, spec);
  op.dilation = spec.dilation;
  return max_pool2d(x, op);
}

Values MaxPool2d::forward(const Values& in) {
  if (!spec.return_indices) return Layer::forward(in);
  check_tensors(*this, in, 1);
  ops::MaxPool2dWithIndices op;
  set_window(op, spec);
  op.dilation = spec.dilation;
  op.base = spec.base;
  Tensors out = max_pool2d_with_indices(in[0], op);
  return {out[0], out[1]};
}

std::string AvgPool2d::extra_repr() const {
  return fmt::format("kernel_size={}, stride={}, padding={}", py_int_or_tuple(spec.kernel_size),
                     py_int_or_tuple(spec.stride.value_or(spec.kernel_size)), py_int_or_tuple(spec.padding));
}

Tensor AvgPool2d::run(const Tensor& x) {
  ops::AvgPool2d op;
  set_window(op, spec);
  op.count_include_pad = spec.count_include_pad;
  op.divisor_override = spec.divisor_override;
  return avg_pool2d(x, op);
}

}  // namespace luth::nn
