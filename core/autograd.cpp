// Recording: nodes for operators, leaves and views, and the history of tensors.
#include "core/autograd.h"

#include <algorithm>
#include <atomic>
#include <cctype>

namespace luth {
namespace {

thread_local bool enabled = true;
std::atomic<uint64_t> next_sequence{1};
std::atomic<int64_t> next_hook{1};

GradMeta& meta_of(const Tensor& t) {
  auto& m = t.impl()->meta;
  if (!m) m = std::make_unique<GradMeta>();
  return *m;
}

// A tensor with shape and dtype and no data, for rules that only read those.
Tensor ghost(const Tensor& t) {
  return Tensor::alias(make<Storage>(t.device(), 0), t.shape(), t.strides(), 0, t.dtype());
}

// Adds a gradient to a leaf.
class Accumulate final : public Node {
 public:
  explicit Accumulate(const Tensor& leaf) : leaf_(leaf) { results.push_back({leaf.shape(), leaf.dtype()}); }
  ~Accumulate() override {
    if (auto& m = leaf_.impl()->meta) m->accumulator = nullptr;
  }
  std::string name() const override { return "AccumulateGrad"; }
  const Tensor& leaf() const { return leaf_; }

  Tensors backward(const Tensors& dys) override {
    GradMeta& m = meta_of(leaf_);
    Tensor dy = dys[0];
    for (size_t i = 0; i < m.hooks.size(); ++i)  // by index: a hook may register another
      if (Tensor replaced = m.hooks[i].hook(dy)) dy = replaced;
    if (!m.grad)
      m.grad = owned(dys, dy) ? dy : clone(dy);
    else if (grad_enabled())
      m.grad = add(m.grad, dy);
    else
      static_cast<void>(apply_inplace(find_op("add"), nullptr, {m.grad, dy}));
    return {};
  }

 private:
  // The only reference to a whole, plain gradient may become the leaf's without a copy.
  static bool owned(const Tensors& dys, const Tensor& dy) {
    if (grad_enabled() || dy.requires_grad()) return false;
    uint32_t here = dys[0].same(dy) ? 2 : 1;
    return dy.impl()->use_count() == here && dy.storage()->use_count() == 1 && !dy.impl()->view &&
           is_dense(dy.shape(), dy.strides());
  }
  static Tensor clone(const Tensor& t) {
    static const OpInfo& i = find_op("clone");
    return apply(i, nullptr, {t})[0];
  }
  static Tensor add(const Tensor& a, const Tensor& b) {
    static const OpInfo& i = find_op("add");
    return apply(i, nullptr, {a, b})[0];
  }
  Tensor leaf_;
};

// A value kept for backward, with the version that it had.
struct Saved {
  Tensor tensor;
  uint32_t version = 0;
  bool is_result = false;
  int nr = 0;
};

std::string node_name(const OpInfo& info) {
  std::string s;
  bool upper = true;
  for (char c : info.face) {
    if (c == '_') {
      upper = true;
      continue;
    }
    s += upper ? char(std::toupper(c)) : c;
    upper = false;
  }
  return s + "Backward0";
}

}  // namespace

bool grad_enabled() { return enabled; }
bool set_grad_enabled(bool on) { return std::exchange(enabled, on); }

Node::Node() : sequence(next_sequence.fetch_add(1, std::memory_order_relaxed)) {}
Node::~Node() {
  Tensors none;
  bury(next, none);
}

void Node::bury(Small<Edge, 2>& edges, Tensors& tensors) {
  thread_local std::vector<Edge> dead_edges;
  thread_local std::vector<Tensor> dead_tensors;
  thread_local bool digging = false;
  for (auto& e : edges)
    if (e.node) dead_edges.push_back(std::move(e));
  for (auto& t : tensors)
    if (t) dead_tensors.push_back(std::move(t));
  edges.clear();
  tensors.clear();
  if (digging) return;
  digging = true;
  while (!dead_edges.empty() || !dead_tensors.empty()) {
    Edge e;
    Tensor t;
    if (!dead_edges.empty()) e = std::move(dead_edges.back()), dead_edges.pop_back();
    if (!dead_tensors.empty()) t = std::move(dead_tensors.back()), dead_tensors.pop_back();
  }
  digging = false;
}

ViewStep::~ViewStep() {
  while (before && before->use_count() == 1) {  // long chains end without deep recursion
    Ref<ViewStep> next = std::move(before->before);
    before = std::move(next);
  }
}

namespace {

class WriteIntoView;
// The saved result of a write into a view, as that view of the base after the write.
Tensor written_part(WriteIntoView& node, const Tensor& saved);

// The node of an operator's call.
class CallNode final : public Node, public Recycled<CallNode, 2> {
 public:
  // `edges` are made before the node, because the accumulator of a leaf may be new and must be older than its users.
  CallNode(const Call& call, uint32_t wanted, Small<Edge, 2> edges)
      : info_(*call.info), op_(call.info, call.op), wanted_(wanted) {
    next = std::move(edges);
    save_inputs(call);
  }
  static Small<Edge, 2> edges_of(const Call& call, uint32_t wanted) {
    Small<Edge, 2> edges;
    for (size_t i = 0; i < call.in.size(); ++i)
      edges.push_back(wanted >> i & 1 ? gradient_edge(call.in[i].tensor()) : Edge{});
    return edges;
  }
  ~CallNode() override { release(); }
  std::string name() const override { return node_name(info_); }

  void save_results(const Call& call, const Tensor* inplace) {
    for (size_t k = 0; k < call.out.size(); ++k) {
      const Tensor& out = inplace ? *inplace : call.out[k];
      results.push_back({out.shape(), out.dtype()});
      bool keep = needs_.out >> std::min<size_t>(k, 31) & 1;
      out_.push_back(keep ? Saved{out.detach(), out.version(), true, int(k)} : Saved{});
    }
  }

  Tensors backward(const Tensors& dys) override {
    if (released_)
      throw Error("{}: the graph was freed by an earlier backward; pass {{retain_graph = true}} to that one", name());
    Call call{&info_, op_.get(), in_numbers_, {}, wanted_};
    for (size_t i = 0; i < in_.size(); ++i)
      if (in_[i].tensor) call.in[i] = unpack(in_[i]);
    for (auto& s : out_) call.out.push_back(s.tensor ? unpack(s) : Tensor());
    Tensors dx = info_.vjp ? info_.vjp(call, dys) : through_lower(call, dys);
    if (dx.size() < next.size()) dx.resize(next.size());
    return dx;
  }

  void release() override {
    Tensors tensors;
    for (auto* list : {&in_, &out_})
      for (auto& s : *list) tensors.push_back(std::move(s.tensor));
    in_.clear();
    out_.clear();
    in_numbers_.clear();
    released_ = true;
    Small<Edge, 2> none;
    bury(none, tensors);
  }

 private:
  static Saved saved(const Tensor& t) { return {t, t.version()}; }
  // With its history: what is written in place gets another one.
  static Tensor copied(const Tensor& t) {
    static const OpInfo& clone = find_op("clone");
    return apply(clone, nullptr, {t})[0];
  }
  void save_inputs(const Call& call) {
    for (size_t i = 0; i < call.in.size(); ++i)
      if (wanted_ >> i & 1) {
        auto& n = info_.saves[std::min(i, info_.saves.size() - 1)];
        needs_.in |= n.in, needs_.meta |= n.meta, needs_.out |= n.out;
      }
    if (!info_.vjp) needs_.in = ~0u;        // the gradient goes through `lower`, which reads all
    size_t list = info_.inputs.size() - 1;  // all elements of a list share its place
    for (size_t i = 0; i < call.in.size(); ++i) {
      const Value& v = call.in[i];
      size_t bit = std::min(i, list);
      in_numbers_.push_back(v.is_scalar() ? v : Value());
      if (v.is_tensor() && needs_.in >> bit & 1)
        in_.push_back(saved(call.inplace && v.tensor().same(call.in[0]) ? copied(v) : v.tensor()));
      else if (v.is_tensor() && needs_.meta >> bit & 1)
        in_.push_back({ghost(v.tensor()), 0});
      else
        in_.push_back({});
    }
  }

  // The gradient of an operator that has a kernel and no vjp: that of its meaning in other operators.
  Tensors through_lower(Call& call, const Tensors& dys) {
    bool create_graph = grad_enabled();
    Tensors inputs, out, gradients;
    for (size_t i = 0; i < call.in.size(); ++i) {
      if (!(wanted_ >> i & 1)) continue;
      if (!create_graph) call.in[i] = call.in[i].tensor().detach().set_requires_grad();
      inputs.push_back(call.in[i].tensor());
    }
    GradMode on(true);
    Tensors results = info_.lower(call.op, call.in);
    for (size_t k = 0; k < results.size(); ++k)
      if (dys[k] && results[k].requires_grad()) out.push_back(results[k]), gradients.push_back(dys[k]);
    Tensors found = grad(out, inputs, gradients, {.create_graph = create_graph, .allow_unused = true}),
            dx(call.in.size());
    for (size_t i = 0, k = 0; i < call.in.size(); ++i)
      if (wanted_ >> i & 1) dx[i] = found[k++];
    return dx;
  }

  Tensor unpack(const Saved& s) {
    if (s.tensor.version() != s.version) {
      const OpInfo* writer = s.tensor.storage()->writer();
      throw Error("{}: a value that backward needs ({}) was overwritten in place{}; clone() it before it is written",
                  name(), describe(s.tensor), writer ? " by " + writer->face + "_" : "");
    }
    if (!s.is_result || !grad_enabled() || !is_floating(s.tensor.dtype())) return s.tensor;
    if (whole_) return written_part(*whole_, s.tensor);
    Tensor t = s.tensor.detach();  // with create_graph the saved result is a result of this node again
    set_history(t, Ref<Node>(this), s.nr);
    return t;
  }

  const OpInfo& info_;
  OpValue op_;
  uint32_t wanted_;
  Needs needs_;
  Inputs in_numbers_;
  Small<Saved, 2> in_, out_;
  bool released_ = false;

 public:
  WriteIntoView* whole_ = nullptr;  // where this wrote into a view: the node of the base, which outlives this one
};

Tensor replay(const ViewStep* step, const Tensor& base) {
  Tensor t = step->before ? replay(step->before.get(), base) : base;
  return apply(*step->info, step->op.get(), {t})[0];
}

// Backward of writing into a view: the base's gradient goes on with the written part replaced by what the operator's
// node makes of it. Edges: the base's old history, then the operator's other inputs.
class WriteIntoView final : public Node {
 public:
  WriteIntoView(Edge base, Ref<Node> write, Ref<ViewStep> steps, const Tensor& base_tensor)
      : write_(std::move(write)),
        steps_(std::move(steps)),
        strides_(base_tensor.strides()),
        offset_(base_tensor.offset()) {
    static_cast<CallNode&>(*write_).whole_ = this;
    next.push_back(std::move(base));
    for (size_t i = 1; i < write_->next.size(); ++i) next.push_back(write_->next[i]);
    write_->next[0] = {};
    results.push_back({base_tensor.shape(), base_tensor.dtype()});
  }
  std::string name() const override { return "CopySlices"; }
  void release() override { write_->release(); }
  Tensor part_of(const Tensor& saved) {
    Tensor base = Tensor::alias(saved.storage(), results[0].shape, strides_, offset_, saved.dtype());
    set_history(base, Ref<Node>(this), 0);
    return replay(steps_.get(), base);
  }

  Tensors backward(const Tensors& dys) override {
    static const OpInfo& clone = find_op("clone");
    static const OpInfo& fill = find_op("fill");
    static const OpInfo& copy = find_op("copy");
    Tensors dx{apply(clone, nullptr, {dys[0]})[0]};
    Tensor part = replay(steps_.get(), dx[0]);
    Tensors inner = write_->backward({apply(clone, nullptr, {part})[0]});
    if (inner[0])
      apply_inplace(copy, nullptr, {part, inner[0]});
    else
      apply_inplace(fill, nullptr, {part, 0});
    for (size_t i = 1; i < inner.size(); ++i) dx.push_back(inner[i]);
    return dx;
  }

 private:
  Ref<Node> write_;
  Ref<ViewStep> steps_;
  Strides strides_;  // of the base
  int64_t offset_;
};
Tensor written_part(WriteIntoView& node, const Tensor& saved) { return node.part_of(saved); }

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

// A view whose base was written since takes its history from the base again.
void refresh(const Tensor& t) {
  auto& view = t.impl()->view;
  if (!view || view->without_grad || !view->base.requires_grad()) return;
  GradMeta& m = meta_of(t);
  if (m.node && m.view_version == t.version()) return;
  if (!m.node && m.requires_grad) return;  // a leaf of its own
  GradMode on(true);
  Tensor again = replay(view->steps.get(), view->base);
  if (!again.impl()->meta) return;  // through a view without gradient (as_strided)
  m.node = again.impl()->meta->node;
  m.nr = again.impl()->meta->nr;
  m.requires_grad = true;
  m.view_version = t.version();
}

}  // namespace

Recording::Recording(const Call& call) {
  if (!enabled) return;
  uint32_t wanted = wanted_inputs(call.in);
  if (wanted && (call.info->vjp || call.info->lower))
    node_ = make<CallNode>(call, wanted, CallNode::edges_of(call, wanted));
}

void Recording::finish(Call& call, const Tensor* inplace) {
  if (!node_) return;
  if (!inplace && !floating_result(call.out)) return;
  static_cast<CallNode&>(*node_).save_results(call, inplace);
  if (!inplace) {
    for (size_t k = 0; k < call.out.size(); ++k)
      if (call.out[k] && is_floating(call.out[k].dtype())) set_history(call.out[k], node_, int(k));
    return;
  }
  const Tensor& t = *inplace;
  if (auto& view = t.impl()->view) {
    const Tensor& base = view->base;
    Edge before = base.requires_grad() ? gradient_edge(base) : Edge{};
    set_history(base, make<WriteIntoView>(std::move(before), node_, view->steps, base), 0);
    meta_of(t).node = nullptr;
    meta_of(t).requires_grad = false;
    refresh(t);
  } else {
    set_history(t, node_, 0);
  }
}

void set_history(const Tensor& t, Ref<Node> node, int nr) {
  GradMeta& m = meta_of(t);
  m.node = std::move(node);
  m.nr = nr;
  m.requires_grad = true;
  m.view_version = t.version();
}

Edge gradient_edge(const Tensor& t) {
  refresh(t);
  if (!t.impl()->meta || !t.impl()->meta->requires_grad) return {};
  GradMeta& m = *t.impl()->meta;
  if (m.node) return {m.node, m.nr};
  Ref<Node> node = m.accumulator ? Ref<Node>(m.accumulator) : Ref<Node>(make<Accumulate>(t));
  m.accumulator = node.get();
  return {node, 0};
}

void check_inplace(const Tensor& t) {
  if (!enabled) return;
  auto& view = t.impl()->view;
  if (t.is_leaf() && t.requires_grad())
    throw Error("a leaf that requires grad cannot be written in place; use torch.no_grad() or write into a clone()");
  if (!view) return;
  if (view->base.is_leaf() && view->base.requires_grad())
    throw Error("a view of a leaf that requires grad cannot be written in place; use torch.no_grad()");
  if (view->without_grad && view->base.requires_grad())
    throw Error("a view made under torch.no_grad() cannot be written in place while gradients are recorded");
}

void record_view(const OpInfo& info, const void* op, const Tensor& in, const Tensor& out) {
  auto& from = in.impl()->view;
  Ref<ViewStep> step = make<ViewStep>(from ? from->steps : Ref<ViewStep>(), OpValue(&info, op), &info);
  out.impl()->view = std::make_unique<ViewOf>(
      ViewOf{from ? from->base : in, std::move(step), !enabled || (from && from->without_grad)});
  if (!enabled || !info.vjp || !in.requires_grad() || !is_floating(out.dtype())) return;
  Call call{&info, op, {in}, {out}};
  auto node = make<CallNode>(call, 1u, CallNode::edges_of(call, 1u));
  node->save_results(call, nullptr);
  set_history(out, node, 0);
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
Tensor Tensor::grad() const {
  if (!p_->meta) return {};
  return p_->meta->retained ? *p_->meta->retained : p_->meta->grad;
}

const Tensor& Tensor::set_requires_grad(bool on) const {
  if (on && !is_floating(dtype()))
    throw Error("only floating point tensors can require gradients, this one is {}", name(dtype()));
  if (!on && grad_fn()) throw Error("only a leaf can stop requiring gradients; use detach() for a result");
  if (on || p_->meta) meta_of(*this).requires_grad = on;
  return *this;
}

void Tensor::set_grad(const Tensor& g) const {
  if (g && !(g.shape() == shape()))
    throw Error("grad of shape {} does not fit a tensor of shape {}", to_string(g.shape()), to_string(shape()));
  if (g && g.dtype() != dtype()) throw Error("grad is {}, the tensor is {}", name(g.dtype()), name(dtype()));
  if (g || p_->meta) meta_of(*this).grad = g;
}

int64_t register_hook(const Tensor& t, Hook hook) {
  if (!t.requires_grad()) throw Error("a hook needs a tensor that requires grad");
  int64_t id = next_hook++;
  GradMeta& m = meta_of(t);
  auto checked = [hook = std::move(hook)](const Tensor& grad) {
    Tensor out = hook(grad);
    if (out && (!(out.shape() == grad.shape()) || out.dtype() != grad.dtype() || &out.device() != &grad.device()))
      throw Error("a hook has changed the gradient from {} to {}; it may change the values only", describe(grad),
                  describe(out));
    return out;
  };
  (m.node ? m.node->hooks : m.hooks).push_back({id, m.nr, std::move(checked)});
  return id;
}

void remove_hook(const Tensor& t, int64_t id) {
  GradMeta& m = meta_of(t);
  for (auto* list : {&m.hooks, m.node ? &m.node->hooks : nullptr})
    if (list) std::erase_if(*list, [&](auto& h) { return h.id == id; });
}

void retain_grad(const Tensor& t) {
  if (!t.requires_grad()) throw Error("retain_grad needs a tensor that requires grad");
  GradMeta& m = meta_of(t);
  if (!m.node || m.retained) return;
  m.retained = std::make_shared<Tensor>();
  m.node->hooks.push_back({-1, m.nr, [slot = m.retained](const Tensor& g) {
                             *slot = g;
                             return Tensor();
                           }});
}

}  // namespace luth
