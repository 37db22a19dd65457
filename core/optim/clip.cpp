#include "core/optim/clip.h"

#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/nn/optim.h"
#include "core/optim/tensor_lists.h"

namespace luth::optim {
namespace {

std::vector<Tensor> gradients(const std::vector<Tensor>& params) {
  std::vector<Tensor> out;
  for (auto& p : params)
    if (Tensor g = p.grad(); g && g.numel()) out.push_back(g);
  return out;
}

// The gradients of each device, in order of first appearance: one operator takes those of one.
std::vector<std::vector<Tensor>> by_device(const std::vector<Tensor>& grads) {
  std::vector<std::vector<Tensor>> out;
  for (auto& g : grads) {
    auto on_the_same = [&](auto& list) { return &list[0].device() == &g.device(); };
    auto it = std::find_if(out.begin(), out.end(), on_the_same);
    if (it == out.end()) it = out.emplace(out.end());
    it->push_back(g);
  }
  return out;
}

Tensor norm_of(const std::vector<Tensor>& grads, double norm_type) {
  ops::NormOfAll op{norm_type};
  Inputs in;
  for (auto& g : grads) in.push_back(g.detach());
  return apply(info<ops::NormOfAll>(), &op, std::move(in))[0];
}

// On the first device; those of several devices are the norm of their norms.
Tensor total_norm(const std::vector<std::vector<Tensor>>& lists, double norm_type) {
  std::vector<Tensor> norms;
  Device& d = lists[0][0].device();
  for (auto& grads : lists) norms.push_back(to_device(norm_of(grads, norm_type), {&d}));
  return norms.size() == 1 ? norms[0] : norm_of(norms, norm_type);
}

}  // namespace

Tensor clip_grad_norm(const std::vector<Tensor>& params, double max_norm, double norm_type, bool error_if_nonfinite) {
  NoGrad no_grad;
  if (!(norm_type > 0)) throw Error("norm_type must be above 0, got {}", norm_type);
  const auto lists = by_device(gradients(params));
  if (lists.empty()) return Tensor::scalar(0.0, default_dtype());
  Tensor total = total_norm(lists, norm_type);
  if (error_if_nonfinite) {
    const double norm = total.item().value();
    if (!std::isfinite(norm))
      throw Error("the total norm of the gradients is {}; they were not clipped", std::isnan(norm) ? "nan" : "inf");
  }
  for (auto& grads : lists) {
    MultiTensor list;
    list.head(to_device(total, {&grads[0].device()}));
    for (auto& g : grads) list.head(g);
    ops::ClipByNorm op{max_norm};
    list.run(info<ops::ClipByNorm>(), &op);
  }
  return total;
}

void clip_grad_value(const std::vector<Tensor>& params, double clip_value) {
  NoGrad no_grad;
  for (auto& grads : by_device(gradients(params))) {
    MultiTensor list;
    for (auto& g : grads) list.head(g);
    ops::ClipByValue op{clip_value};
    list.run(info<ops::ClipByValue>(), &op);
  }
}

}  // namespace luth::optim
