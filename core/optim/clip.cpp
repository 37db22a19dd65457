#include "core/optim/clip.h"

#include "core/autograd.h"
#include "core/ops/optim.h"
#include "core/optim/multi.h"

namespace luth::optim {
namespace {

std::vector<Tensor> gradients(const std::vector<Tensor>& params) {
  std::vector<Tensor> out;
  for (auto& p : params)
    if (Tensor g = p.grad(); g && g.numel()) out.push_back(g);
  return out;
}

Tensor norm_of(const std::vector<Tensor>& grads, double norm_type) {
  ops::NormOfAll op{norm_type};
  Inputs in;
  for (auto& g : grads) in.push_back(g.detach());
  return apply(info<ops::NormOfAll>(), &op, std::move(in))[0];
}

}  // namespace

Tensor clip_grad_norm(const std::vector<Tensor>& params, double max_norm, double norm_type, bool error_if_nonfinite) {
  NoGrad no_grad;
  if (!(norm_type > 0)) throw Error("norm_type must be above 0, got {}", norm_type);
  std::vector<Tensor> grads = gradients(params);
  if (grads.empty()) return Tensor::scalar(0.0, default_dtype());
  Tensor total = norm_of(grads, norm_type);
  if (double norm = total.item().value(); error_if_nonfinite && !std::isfinite(norm))
    throw Error("the total norm of the gradients is {}; they were not clipped", std::isnan(norm) ? "nan" : "inf");
  MultiTensor list;
  list.head(total);
  for (auto& g : grads) list.head(g);
  ops::ClipByNorm op{max_norm};
  list.run(info<ops::ClipByNorm>(), &op);
  return total;
}

void clip_grad_value(const std::vector<Tensor>& params, double clip_value) {
  NoGrad no_grad;
  MultiTensor list;
  for (auto& g : gradients(params)) list.head(g);
  ops::ClipByValue op{clip_value};
  if (!list.empty()) list.run(info<ops::ClipByValue>(), &op);
}

}  // namespace luth::optim
