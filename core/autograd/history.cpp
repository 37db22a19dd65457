// Autograd's part of tensors: their history, grads and hooks.
#include "core/autograd/autograd.h"

#include <algorithm>
#include <atomic>

#include "core/autograd/accumulated_hooks.h"
#include "core/autograd/view_history.h"
#include "core/op/basics.h"

namespace luth {
namespace {

std::atomic<int64_t> next_hook{1};
std::atomic<bool> accumulated_hooks{false};

// grad + dy: a grad of its own, with a graph where one is recorded.
void accumulate(Tensor& grad, const Tensor& dy) {
  if (!grad)
    grad = basic::clone(dy);
  else if (grad_enabled())
    grad = basic::add(grad, dy);
  else
    basic::add_into(grad, dy);
}

// Adds a gradient to a leaf.
class Accumulate final : public Node {
 public:
  explicit Accumulate(const Tensor& leaf) : leaf_(leaf) {
    results.push_back(grad_spec_of(leaf));
    if (leaf.storage()->stream()) stream = leaf.device().current_stream();
  }
  ~Accumulate() override {
    if (auto& m = leaf_.impl()->meta; m && m->accumulator == this) m->accumulator = nullptr;
  }
  std::string name() const override { return "AccumulateGrad"; }
  std::vector<HookEntry>* tensor_hooks() override {
    auto& list = meta_of(leaf_).hooks;
    return list.empty() ? nullptr : &list;
  }
  Tensor leaf() const override { return leaf_; }

  Tensors backward(const Tensors& dys) override {
    Tensor& grad = meta_of(leaf_).grad;
    if (!grad && only_reference(dys[0]))
      grad = dys[0];
    else
      accumulate(grad, dys[0]);
    run_accumulated_hooks();
    return {};
  }

  /// False once the leaf was given other memory (`data`, a module that moves).
  bool fits() const {
    const GradSpec& s = results[0];
    return s.device == &leaf_.device() && s.dtype == leaf_.dtype() && s.shape == leaf_.shape();
  }

 private:
  // The only reference to a whole, plain gradient may become the leaf's without a copy.
  static bool only_reference(const Tensor& dy) {
    if (grad_enabled() || dy.requires_grad()) return false;
    return dy.impl()->use_count() == 1 && dy.storage()->use_count() == 1 && !dy.impl()->view &&
           is_dense(dy.shape(), dy.strides());
  }
  // A copy of the list: a hook may register another, or remove itself.
  void run_accumulated_hooks() {
    const auto hooks = meta_of(leaf_).hooks;
    for (auto& h : hooks)
      if (h.nr == HookEntry::after_accumulation) h.hook(leaf_);
  }
  Tensor leaf_;
};

Hook retaining_hook(const std::shared_ptr<Retained>& retained) {
  return [kept = std::weak_ptr<Retained>(retained)](const Tensor& g) {
    if (auto r = kept.lock()) accumulate(r->grad, g);
    return Tensor();
  };
}
void erase_hook(std::vector<HookEntry>& hooks, int64_t id) {
  std::erase_if(hooks, [&](auto& h) { return h.id == id; });
}

void take_grads(TensorImpl& t, std::vector<Tensor>& list) {
  GradMeta* m = t.meta.get();
  if (m && m->grad) list.push_back(std::move(m->grad));
  if (m && m->retained && m->retained.use_count() == 1 && m->retained->grad)
    list.push_back(std::move(m->retained->grad));
}

}  // namespace

GradMeta& meta_of(const Tensor& t) {
  auto& m = t.impl()->meta;
  if (!m) m = std::make_unique<GradMeta>();
  return *m;
}
GradSpec grad_spec_of(const Tensor& t) { return {t.shape(), t.dtype(), &t.device()}; }

// ---- History --------------------------------------------------------------------------------------------------------

void set_history(const Tensor& t, Ref<Node> node, int nr) {
  GradMeta& m = meta_of(t);
  if (m.retained) {
    if (m.node && m.node->hooks) erase_hook(m.node->hooks->tensor, m.retained->id);
    node->own_hooks().tensor.push_back({m.retained->id, nr, retaining_hook(m.retained)});
  }
  m.node = std::move(node);
  m.nr = nr;
  m.requires_grad = true;
  if (auto& view = t.impl()->view) view->version = t.version();
}

Edge gradient_edge(const Tensor& t) {
  refresh(t);
  if (!t.impl()->meta || !t.impl()->meta->requires_grad) return {};
  GradMeta& m = *t.impl()->meta;
  if (m.node) return {m.node, m.nr};
  if (m.accumulator && static_cast<Accumulate*>(m.accumulator)->fits()) return {Ref<Node>(m.accumulator), 0};
  m.accumulator = new Accumulate(t);
  return {Ref<Node>(m.accumulator), 0};
}

TensorImpl::TensorImpl() = default;

// A chain of grads of grads ends without a deep stack: whoever is to end has given its own away before.
TensorImpl::~TensorImpl() {
  if (!meta || !(meta->grad || meta->retained)) return;
  std::vector<Tensor> dead;
  take_grads(*this, dead);
  while (!dead.empty()) {
    Tensor t = std::move(dead.back());
    dead.pop_back();
    if (t.impl()->use_count() != 1) continue;
    take_grads(*t.impl(), dead);
    if (auto& view = t.impl()->view) dead.push_back(std::move(view->base));
  }
}
template <>
void Ref<TensorImpl>::destroy(TensorImpl* p) {
  delete p;
}

bool Tensor::requires_grad_slow() const {
  refresh(*this);
  return p_->meta && p_->meta->requires_grad;
}
bool Tensor::is_leaf() const { return !grad_fn(); }
Ref<Node> Tensor::grad_fn() const {
  refresh(*this);
  return p_->meta ? p_->meta->node : Ref<Node>();
}
std::string Tensor::grad_fn_name() const {
  Ref<Node> node = grad_fn();
  return node ? node->name() : "";
}

const Tensor& Tensor::set_requires_grad(bool on) const {
  if (on && !is_floating(dtype()))
    throw Error("only floating point tensors can require gradients, this one is {}", name(dtype()));
  if (on && is_inference(*p_->storage) && !inference_mode())
    throw Error("an inference tensor cannot require gradients outside of torch.inference_mode(); clone() it");
  if (!on && grad_fn()) throw Error("only a leaf can stop requiring gradients; use detach() for a result");
  if (on || p_->meta) meta_of(*this).requires_grad = on;
  return *this;
}

// ---- Grads and hooks ------------------------------------------------------------------------------------------------

Tensor Tensor::grad() const {
  if (!p_->meta) return {};
  return p_->meta->retained ? p_->meta->retained->grad : p_->meta->grad;
}

void Tensor::set_grad(const Tensor& g) const {
  if (g && !(g.shape() == shape()))
    throw Error("grad of shape {} does not fit a tensor of shape {}", to_string(g.shape()), to_string(shape()));
  if (g && g.dtype() != dtype()) throw Error("grad is {}, the tensor is {}", name(g.dtype()), name(dtype()));
  if (g && &g.device() != &device()) throw Error("grad is on {}, the tensor on {}", g.device().name(), device().name());
  if (!g && !p_->meta) return;
  GradMeta& m = meta_of(*this);
  (m.retained ? m.retained->grad : m.grad) = g;
}

Tensor after_hook(const Hook& hook, const Tensor& grad) {
  Tensor out = hook(grad);
  if (!out) return grad;
  if (!(out.shape() == grad.shape()) || out.dtype() != grad.dtype() || &out.device() != &grad.device())
    throw Error("a hook has changed the gradient from {} to {}; it may change the values only", describe(grad),
                describe(out));
  return out;
}

int64_t register_hook(const Tensor& t, Hook hook) {
  if (!t.requires_grad()) throw Error("a hook needs a tensor that requires grad");
  int64_t id = next_hook++;
  GradMeta& m = meta_of(t);
  (m.node ? m.node->own_hooks().tensor : m.hooks).push_back({id, m.nr, std::move(hook)});
  return id;
}

int64_t register_accumulated_hook(const Tensor& leaf, Hook hook) {
  if (!leaf.requires_grad() || !leaf.is_leaf())
    throw Error("register_post_accumulate_grad_hook needs a leaf that requires grad");
  accumulated_hooks = true;
  int64_t id = next_hook++;
  meta_of(leaf).hooks.push_back({id, HookEntry::after_accumulation, std::move(hook)});
  return id;
}
bool accumulated_hooks_exist() { return accumulated_hooks.load(std::memory_order_relaxed); }

void remove_hook(const Tensor& t, int64_t id) {
  GradMeta& m = meta_of(t);
  erase_hook(m.hooks, id);
  if (m.node) remove_hook(*m.node, id);
}

int64_t register_node_hook(Node& node, NodeHook hook, bool before) {
  int64_t id = next_hook++;
  (before ? node.own_hooks().before : node.own_hooks().after).emplace_back(id, std::move(hook));
  return id;
}

void remove_hook(Node& node, int64_t id) {
  if (!node.hooks) return;
  erase_hook(node.hooks->tensor, id);
  for (auto* list : {&node.hooks->before, &node.hooks->after})
    std::erase_if(*list, [&](auto& h) { return h.first == id; });
}

void retain_grad(const Tensor& t) {
  if (!t.requires_grad()) throw Error("retain_grad needs a tensor that requires grad");
  GradMeta& m = meta_of(t);
  if (!m.node || m.retained) return;
  m.retained = std::make_shared<Retained>(Retained{m.grad, -next_hook++});
  m.node->own_hooks().tensor.push_back({m.retained->id, m.nr, retaining_hook(m.retained)});
}

void clear_grad(const Tensor& t, bool set_to_none) {
  Tensor g = t.grad();
  if (!g) return;
  if (set_to_none) return t.set_grad({});
  if (g.requires_grad()) t.set_grad(g = g.detach());  // made with create_graph: its history ends here
  basic::fill_into(g, 0);
}

}  // namespace luth
