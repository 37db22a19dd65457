// Images sampled at the positions of a grid on CUDA, and the gradients: written in other operators.
#include "core/ops/window/grid_sample.h"

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {
namespace {

void decompose(const auto& op, const Inputs& in, const Tensor& y) {
  NoGrad no_grad;
  basic::copy_into(y, op.decompose(in));
}
void grid_sample(const ops::GridSample& op, Tensor& y, const Strided& x, const Strided& grid) {
  decompose(op, {x, grid}, y);
}
void input_grad(const ops::GridSampleInputGrad& op, Tensor& dx, const Strided& grad, const Strided& grid) {
  decompose(op, {grad, grid}, dx);
}
void grid_grad(const ops::GridSampleGridGrad& op, Tensor& dgrid, const Strided& grad, const Strided& x,
               const Strided& grid) {
  decompose(op, {grad, x, grid}, dgrid);
}

const Kernel<grid_sample> grid_sample_;
const Kernel<input_grad> input_grad_;
const Kernel<grid_grad> grid_grad_;

}  // namespace
}  // namespace luth::cuda
