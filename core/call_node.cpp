#include "core/call_node.h"

#include <algorithm>
#include <cctype>

#include "core/ops/copy.h"
#include "core/view_history.h"

namespace luth {
namespace {

// A tensor with shape, strides, offset and dtype and no data, for rules that only read those.
Tensor ghost(const Tensor& t) {
  Tensor g = Tensor::alias(make<Storage>(t.device(), 0), t.shape(), t.strides(), 0, t.dtype());
  g.impl()->offset = t.offset();  // alias() has none without memory
  return g;
}

Saved saved(const Tensor& t, int result = -1) { return {t, t.storage(), t.version(), result}; }

// Hands gradients on to `to`.
class Identity final : public Node {
 public:
  Identity(const Tensor& t, Edge to) {
    next.push_back(std::move(to));
    results.push_back(spec_of(t));
  }
  std::string name() const override { return "IdentityBackward0"; }
  Tensors backward(const Tensors& dys) override { return dys; }
};

// `t` as a tensor to differentiate by that nothing else depends on, whatever its history has in common with that of
// others; `linked`: its own gradients go on into that history.
Tensor apart(const Tensor& t, bool linked) {
  Edge to = linked ? gradient_edge(t) : Edge{};
  Tensor own = t.detach();
  set_history(own, make<Identity>(t, std::move(to)), 0);
  return own;
}

}  // namespace

CallNode::CallNode(const Call& call, uint32_t wanted, Small<Edge, 2> edges)
    : info_(*call.info), op_(call.info, call.op), wanted_(wanted) {
  next = std::move(edges);
  save_inputs(call);
}

Small<Edge, 2> CallNode::edges_of(const Call& call, uint32_t wanted) {
  Small<Edge, 2> edges;
  for (size_t i = 0; i < call.in.size(); ++i)
    edges.push_back(i < 32 && wanted >> i & 1 ? gradient_edge(call.in[i].tensor()) : Edge{});
  return edges;
}

std::string CallNode::name() const {
  std::string s;
  bool upper = true;
  for (char c : info_.face) {
    if (c == '_') {
      upper = true;
      continue;
    }
    s += upper ? char(std::toupper(c)) : c;
    upper = false;
  }
  return s + "Backward0";
}

void CallNode::save_inputs(const Call& call) {
  for (size_t i = 0; i < call.in.size() && i < 32; ++i)
    if (wanted_ >> i & 1) {
      auto& n = info_.saves[std::min(i, info_.saves.size() - 1)];
      needs_.in |= n.in, needs_.meta |= n.meta, needs_.out |= n.out;
    }
  if (!info_.vjp) needs_.in = ~0u;        // the gradient goes through `lower`, which reads all
  size_t list = info_.inputs.size() - 1;  // all elements of a list share its place
  for (size_t i = 0; i < call.in.size(); ++i) {
    const Value& v = call.in[i];
    size_t bit = std::min(i, list);
    v.is_scalar() ? in_numbers_.emplace_back(v) : in_numbers_.emplace_back();
    if (v.is_tensor() && needs_.in >> bit & 1)
      in_.push_back(saved(call.inplace && v.tensor().same(call.in[0]) ? clone(v) : v.tensor()));  // with its history
    else if (v.is_tensor() && needs_.meta >> bit & 1)
      in_.push_back({ghost(v.tensor()), {}});
    else
      in_.emplace_back();
  }
}

void CallNode::save_results(const Call& call, const Tensor* written) {
  if (!call.out.empty() && call.out[0] && call.out[0].storage()->stream())
    stream = call.out[0].device().current_stream();
  for (size_t k = 0; k < call.out.size(); ++k) {
    const Tensor& out = written ? *written : call.out[k];
    results.push_back(spec_of(out));
    bool keep = needs_.out >> std::min<size_t>(k, 31) & 1;
    keep ? out_.emplace_back(saved(out.detach(), int(k))) : out_.emplace_back();
  }
}

Tensors CallNode::backward(const Tensors& dys) {
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

// The gradient of an operator that has a kernel and no vjp: that of its meaning in other operators.
Tensors CallNode::through_lower(Call& call, const Tensors& dys) {
  bool create_graph = grad_enabled();
  Tensors inputs, out, gradients;
  for (size_t i = 0; i < call.in.size(); ++i) {
    if (!call.wants(int(i))) continue;
    call.in[i] = apart(call.in[i].tensor(), create_graph);
    inputs.push_back(call.in[i].tensor());
  }
  GradMode on(true);
  Tensors results = info_.lower(call.op, call.in);
  for (size_t k = 0; k < results.size(); ++k)
    if (dys[k] && results[k].requires_grad()) out.push_back(results[k]), gradients.push_back(dys[k]);
  Tensors found = grad(out, inputs, gradients, {.create_graph = create_graph, .allow_unused = true}),
          dx(call.in.size());
  for (size_t i = 0, k = 0; i < call.in.size(); ++i)
    if (call.wants(int(i))) dx[i] = found[k++];
  return dx;
}

Tensor CallNode::unpack(const Saved& s) {
  if (!s.storage) return s.tensor;
  if (!(s.tensor.storage() == s.storage))
    throw Error("{}: a value that backward needs was given other memory, that of {}; clone() it before", name(),
                describe(s.tensor));
  if (s.tensor.version() != s.version) {
    const OpInfo* writer = s.storage->writer();
    throw Error("{}: a value that backward needs ({}) was overwritten in place{}; clone() it before it is written",
                name(), describe(s.tensor), writer ? " by " + writer->face + "_" : "");
  }
  if (s.result < 0 || !grad_enabled() || !is_floating(s.tensor.dtype())) return s.tensor;
  if (whole) return written_part(*whole, s.tensor);
  Tensor t = s.tensor.detach();  // with create_graph the saved result is a result of this node again
  set_history(t, Ref<Node>(this), s.result);
  return t;
}

// As in PyTorch, a node that saved no values can run again.
bool CallNode::release() {
  for (auto* list : {&in_, &out_})
    for (auto& s : *list) released_ = released_ || s.storage;
  if (released_) forget();
  return released_;
}

void CallNode::forget() {
  Tensors tensors;
  for (auto* list : {&in_, &out_})
    for (auto& s : *list)
      if (s.tensor) tensors.push_back(std::move(s.tensor));
  in_.clear();
  out_.clear();
  in_numbers_.clear();
  if (tensors.empty()) return;
  Small<Edge, 2> none;
  bury(none, tensors);
}

}  // namespace luth
