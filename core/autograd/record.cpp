// Recording: what apply() calls to link the results of an operator to a node.
#include "core/autograd/call_node.h"
#include "core/autograd/view_history.h"

namespace luth {
namespace {

bool floating_result(const Tensors& out) {
  for (auto& t : out)
    if (t && is_floating(t.dtype())) return true;
  return false;
}

uint32_t wanted_inputs(const Inputs& in) {
  uint32_t wanted = 0;
  for (size_t i = 0; i < in.size() && i < 32; ++i)
    if (in[i].is_tensor() && in[i].tensor().requires_grad()) wanted |= 1u << i;
  return wanted;
}

}  // namespace

void Recording::begin(const Call& call) {
  const uint32_t wanted = wanted_inputs(call.in);
  if (wanted && grad_enabled() &&
      (call.info->vjp || (call.info->decompose && call.info->traits.not_differentiable.empty())))
    node_ = make<CallNode>(call, wanted, CallNode::edges_of(call, wanted));
}

void Recording::link(Call& call, const Tensor* inplace) {
  if (!inplace && !floating_result(call.out)) return;
  static_cast<CallNode&>(*node_).save_results(call, inplace);
  if (inplace) {
    if (inplace->impl()->view)
      record_write(*inplace, node_);
    else
      set_history(*inplace, node_, 0);
    return;
  }
  for (size_t k = 0; k < call.out.size(); ++k)
    if (call.out[k] && is_floating(call.out[k].dtype())) set_history(call.out[k], node_, int(k));
}

void check_inplace(const Tensor& t) {
  check_writable(*t.storage());
  auto& view = t.impl()->view;
  if ((!view && !t.impl()->meta) || !grad_enabled()) return;
  if (t.is_leaf() && t.requires_grad())
    throw Error("a leaf that requires grad cannot be written in place; use torch.no_grad() or write into a clone()");
  if (!view) return;
  if (view->base.is_leaf() && view->base.requires_grad())
    throw Error("a view of a leaf that requires grad cannot be written in place; use torch.no_grad()");
  if (view->without_grad && view->base.requires_grad())
    throw Error("a view made under torch.no_grad() cannot be written in place while gradients are recorded");
}

void mark_parts(const Call& call) {
  if (!grad_enabled() || call.in.empty() || !call.in[0].is_tensor()) return;
  const Tensor& in = call.in[0];
  auto& from = in.impl()->view;
  for (auto& out : call.out)
    if (out && out.impl()->view && out.impl()->view->base.same(from ? from->base : in))
      out.impl()->view->without_grad = from && from->without_grad;
}

void record_view(const OpInfo& info, const void* op, const Tensor& in, const Tensor& out) {
  auto& from = in.impl()->view;
  const bool recording = grad_enabled();
  out.impl()->view =
      std::make_unique<ViewOf>(from ? from->base : in, !recording || (from && from->without_grad), out.version());
  if (!recording || !info.vjp || !in.requires_grad() || !is_floating(out.dtype())) return;
  Call call{&info, op, {in}, {out}};
  auto node = make<CallNode>(call, 1u, CallNode::edges_of(call, 1u));
  node->save_results(call, nullptr);
  set_history(out, node, 0);
}

}  // namespace luth
