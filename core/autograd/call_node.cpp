#include "core/autograd/call_node.h"

#include <algorithm>
#include <cctype>

#include "core/memory/immortal.h"
#include "core/op/basics.h"
#include "core/tensor/source_mark.h"

namespace luth {
namespace {

// Hands gradients on to `to`.
class Identity final : public Node {
 public:
  Identity(const Tensor& t, Edge to) {
    next.push_back(std::move(to));
    results.push_back(grad_spec_of(t));
  }
  std::string name() const override { return "IdentityBackward0"; }
  Tensors backward(const Tensors& dys) override { return dys; }
};

// Shape and dtype, and no data.
Tensor tensor_like(const GradSpec& s) {
  return Tensor::alias(make<Storage>(*s.device, 0), s.shape, contiguous_strides(s.shape), 0, s.dtype);
}

// `t` as a tensor to differentiate by that nothing else depends on, whatever its history has in common with that of
// others; `linked`: its own gradients go on into that history.
Tensor apart(const Tensor& t, bool linked) {
  Edge to = linked ? gradient_edge(t) : Edge{};
  Tensor own = t.detach();
  set_history(own, make<Identity>(t, std::move(to)), 0);
  return own;
}

}  // namespace

CallNode::CallNode(const Call& call, uint32_t wanted, Edges&& edges)
    : info_(*call.info),
      own_op_(is_immortal(call.op) ? OpValue() : OpValue(call.info, call.op)),
      op_(own_op_.get() ? own_op_.get() : call.op),
      wanted_(wanted),
      inputs_(uint32_t(call.in.size())) {
  mark = source_mark();
  for (auto& e : edges) next.emplace_back(std::move(e));
  save_inputs(call);
}

Edges CallNode::edges_of(const Call& call, uint32_t wanted) {
  Edges edges;
  for (size_t i = 0; i < call.in.size(); ++i)
    edges.push_back(i < 32 && wanted >> i & 1 ? gradient_edge(call.in[i].tensor()) : Edge{});
  return edges;
}

std::string CallNode::name() const {
  std::string s;
  bool upper = true;
  for (char c : info_.lua_name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    s += upper ? char(std::toupper(c)) : c;
    upper = false;
  }
  return s + "Backward0";
}

// Whether the node that input i's gradient goes to has its shape, and so also the strides and the offset.
bool CallNode::edge_has_shape(const Call& call, size_t i) const {
  const Tensor& t = call.in[i].tensor();
  return i < next.size() && next[i].node && !(call.inplace && i == 0) && t.is_contiguous() && t.offset() == 0;
}

void CallNode::save_inputs(const Call& call) {
  Needs needs;
  for (size_t i = 0; i < call.in.size() && i < 32; ++i)
    if (wanted_ >> i & 1) {
      auto& n = info_.saves[std::min(i, info_.saves.size() - 1)];
      needs.in |= n.in, needs.meta |= n.meta, needs.out |= n.out;
    }
  if (!info_.vjp) needs.in = ~0u;         // the gradient goes through `decompose`, which reads all
  size_t list = info_.inputs.size() - 1;  // all elements of a list share its place
  for (size_t i = 0; i < call.in.size(); ++i) {
    const Value& v = call.in[i];
    const size_t bit = std::min(i, list);
    if (v.is_scalar()) numbers_.push_back({uint32_t(i), v.scalar()});
    if (!v.is_tensor()) continue;
    const Tensor& t = v.tensor();
    if (needs.in >> bit & 1)
      saved_.emplace_back(call.inplace && t.same(call.in[0]) ? basic::clone(t) : t, ~int(i));  // with its history
    else if (!(needs.meta >> bit & 1))
      continue;
    else if (edge_has_shape(call, i))
      shapes_ |= 1u << i;
    else
      saved_.push_back(Saved::shape_of(t, ~int(i)));
  }
  needed_results_ = needs.out;
}

void CallNode::save_results(const Call& call, const Tensor* written) {
  if (!call.out.empty() && call.out[0] && call.out[0].storage()->stream())
    stream = call.out[0].device().current_stream();
  for (size_t k = 0; k < call.out.size(); ++k) {
    const Tensor& out = written ? *written : call.out[k];
    results.push_back(grad_spec_of(out));
    if (needed_results_ >> std::min<size_t>(k, 31) & 1) saved_.emplace_back(out.detach(), int(k));
  }
}

void CallNode::check_released() const {
  if (released_)
    throw Error("{}{}: the graph was freed by an earlier backward; pass {{retain_graph = true}} to that one", name(),
                at_source_mark(mark));
}

Tensors CallNode::backward(const Tensors& dys) {
  check_released();
  Call call{&info_, op_, Inputs(inputs_), {}, wanted_};
  for (auto& n : numbers_) call.in[n.at] = n.value;
  for (size_t i = 0; i < 32 && shapes_ >> i; ++i)
    if (shapes_ >> i & 1) call.in[i] = tensor_like(next[i].node->results[size_t(next[i].nr)]);
  call.out.resize(results.size());
  for (size_t k = 0; k < saved_.size(); ++k) {
    const auto i = size_t(saved_[k].number());
    const bool result = saved_[k].is_result();
    Tensor value = unpack(saved_[k]);
    check_released();  // by a backward that unpacking ran
    result ? void(call.out[i] = std::move(value)) : void(call.in[i] = std::move(value));
  }
  Tensors dx;
  try {
    dx = info_.vjp ? info_.vjp(call, dys) : through_decomposition(call, dys);
  } catch (const MissingInput& e) {
    throw Error(
        "{}, in the vjp of '{}': what vjp reads is named in `saves`, and what serves a gradient that is not wanted is "
        "not kept: ask c.wants(i)",
        e.what(), info_.name);
  } catch (Error& e) {
    if (!e.has_context()) e.add_context(fmt::format("{}{}: ", name(), at_source_mark(mark)));
    throw;
  }
  if (dx.size() < next.size()) dx.resize(next.size());
  return dx;
}

// The gradient of an operator that has a kernel and no vjp: that of its meaning in other operators.
Tensors CallNode::through_decomposition(Call& call, const Tensors& dys) {
  bool create_graph = grad_enabled();
  Tensors inputs, out, gradients;
  for (size_t i = 0; i < call.in.size(); ++i) {
    if (!call.wants(int(i))) continue;
    call.in[i] = apart(call.in[i].tensor(), create_graph);
    inputs.push_back(call.in[i].tensor());
  }
  GradMode on(true);
  Tensors results = info_.decompose(call.op, call.in);
  for (size_t k = 0; k < results.size(); ++k)
    if (dys[k] && results[k].requires_grad()) out.push_back(results[k]), gradients.push_back(dys[k]);
  Tensors found = grad(out, inputs, gradients, {.create_graph = create_graph, .allow_unused = true}),
          dx(call.in.size());
  for (size_t i = 0, k = 0; i < call.in.size(); ++i)
    if (call.wants(int(i))) dx[i] = found[k++];
  return dx;
}

Tensor CallNode::unpack(const Saved& s) {
  const bool result = s.is_result();
  const int nr = s.number();
  Tensor value = s.unpack(*this);
  if (!result || !grad_enabled() || !is_floating(value.dtype())) return value;
  if (whole) return whole->part_of(value);
  Tensor t = value.detach();  // with create_graph the saved result is a result of this node again
  set_history(t, Ref<Node>(this), nr);
  return t;
}

// As in PyTorch, a node that saved no values can run again.
bool CallNode::release() {
  for (auto& s : saved_) released_ = released_ || s.holds_value();
  if (released_) forget();
  return released_;
}

void CallNode::forget() {
  Tensors tensors;
  for (auto& s : saved_) s.forget(tensors);
  saved_.clear();
  numbers_.clear();
  if (tensors.empty()) return;
  Edges none;
  bury(none, tensors);
}

}  // namespace luth
