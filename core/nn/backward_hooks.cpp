#include "core/nn/backward_hooks.h"

#include "core/autograd/autograd.h"
#include "core/tensor/source_mark.h"

namespace luth::nn {

// The state that the two nodes of a call share.
struct BackwardHooks::Passing {
  ModuleRef module;
  bool inputs = false;  // there is a node at the arguments
  size_t arguments = 0;
  Tensors grad_outputs;

  // The global hooks of a kind, then those of the module; copies, since a hook may remove itself.
  void run(std::vector<Hook<BackwardHook>> Hooks::*kind, Tensors& gradients, auto call) {
    for (Hooks* hooks : {&global_hooks(), &module->hooks()}) {
      const auto list = hooks->*kind;
      for (auto& hook : list) apply_hook_result(gradients, call(hook.f), [&] { return who(); });
    }
  }
  std::string who() const { return std::string(module->type()) + ": a hook of backward"; }
  void at_results(Tensors& dys) {
    run(&Hooks::before_backward, dys, [&](auto& f) { return f(*module, {}, dys); });
    grad_outputs = dys;
    if (inputs) return;
    Tensors none(arguments);
    at_inputs(none);
  }
  void at_inputs(Tensors& dxs) {
    run(&Hooks::after_backward, dxs, [&](auto& f) { return f(*module, dxs, grad_outputs); });
    grad_outputs.clear();
  }
};

// A node that passes gradients on and calls the hooks.
class BackwardHooks::Watch final : public Node {
 public:
  Watch(std::shared_ptr<Passing> passing, const Values& values, Edges edges, bool at_inputs)
      : passing_(std::move(passing)), at_inputs_(at_inputs) {
    mark = source_mark();
    next = std::move(edges);
    for (auto& v : values) {
      results.push_back(v.is_tensor() ? grad_spec_of(v.tensor()) : GradSpec{{}, Dtype::f32, nullptr});
      if (v.is_tensor() && v.tensor().storage()->stream()) stream = v.tensor().device().current_stream();
    }
  }
  std::string name() const override { return "BackwardHookFunctionBackward"; }
  Tensors backward(const Tensors& dys) override {
    Tensors dxs = dys;
    at_inputs_ ? passing_->at_inputs(dxs) : passing_->at_results(dxs);
    return dxs;
  }

  static bool watch(const std::shared_ptr<Passing>& passing, Values& values, bool at_inputs) {
    Edges edges;
    bool any = false;
    for (auto& v : values) {
      edges.push_back(v.is_tensor() && v.tensor().requires_grad() ? gradient_edge(v.tensor()) : Edge{});
      any = any || edges.back().node;
    }
    if (!any) return false;
    auto node = make<Watch>(passing, values, std::move(edges), at_inputs);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!node->next[i].node) continue;
      Tensor same = values[i].tensor().detach();
      set_history(same, node, int(i));
      values[i] = same;
    }
    return true;
  }

 private:
  std::shared_ptr<Passing> passing_;
  bool at_inputs_;
};

BackwardHooks::BackwardHooks(Module& module) {
  auto none = [](const Hooks& h) { return h.before_backward.empty() && h.after_backward.empty(); };
  if ((none(module.hooks()) && none(global_hooks())) || !grad_enabled()) return;
  passing_ = std::make_shared<Passing>();
  passing_->module = ModuleRef(&module);
}
void BackwardHooks::watch_inputs(Values& in) {
  if (!passing_) return;
  passing_->arguments = in.size();
  passing_->inputs = Watch::watch(passing_, in, true);
}
void BackwardHooks::watch_results(Values& out) {
  if (passing_) Watch::watch(passing_, out, false);
}

}  // namespace luth::nn
