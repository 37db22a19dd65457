#include "core/dist/reducer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "core/op/basics.h"
#include "core/ops/elementwise/arith.h"

namespace luth::dist {
namespace {

// Tensors that may share a bucket.
std::pair<Dtype, Device*> kind_of(const Tensor& t) { return {t.dtype(), &t.device()}; }

Tensor flat_for(const TensorList& list) {
  int64_t n = 0;
  for (auto& t : list) n += t.numel();
  return Tensor::empty({n}, list[0].dtype(), list[0].device());
}

// Calls f with the values of a tensor of the CPU where the group takes them, and brings them back.
template <class F>
void by_group(const ProcessGroup& g, const Tensor& values, F&& f) {
  const NoGrad no_grad;
  const Tensor there = basic::to_device(values, g.backend().device());
  f(there)->wait();
  if (there.raw() != values.raw()) basic::copy_into(values, there);
}

// The accumulators of leaves that backward from `outputs` reaches.
std::unordered_set<const Node*> reached(const Tensors& outputs) {
  std::unordered_set<const Node*> seen;
  std::vector<Ref<Node>> stack;
  const auto visit = [&](const Ref<Node>& n) {
    if (n && seen.insert(n.get()).second) stack.push_back(n);
  };
  for (auto& t : outputs)
    if (t && t.requires_grad()) visit(gradient_edge(t).node);
  while (!stack.empty()) {
    const Ref<Node> n = std::move(stack.back());
    stack.pop_back();
    for (auto& e : n->next) visit(e.node);
  }
  return seen;
}

}  // namespace

TensorList views_of(const Tensor& flat, const TensorList& list) {
  TensorList views;
  int64_t at = 0;
  for (auto& t : list) {
    views.push_back(Tensor::alias(flat.storage(), t.shape(), contiguous_strides(t.shape()), at, flat.dtype()));
    at += t.numel();
  }
  return views;
}

Reducer::Reducer(GroupRef group, TensorList parameters, std::vector<std::string> names, ReducerOptions options)
    : group_(std::move(group)),
      parameters_(std::move(parameters)),
      names_(std::move(names)),
      options_(options),
      ranks_{group_->ranks()[0], group_->size()},
      used_here_(parameters_.size()),
      used_(parameters_.size(), 1),
      self_(std::make_shared<Reducer*>(this)) {
  if (parameters_.empty()) throw Error("DistributedDataParallel: the module has no parameter that requires a gradient");
  std::vector<int> order(parameters_.size());
  std::iota(order.rbegin(), order.rend(), 0);  // backward reaches the last layers first
  plan(order);
  for (size_t i = 0; i < parameters_.size(); ++i)
    hooks_.push_back(register_accumulated_hook(parameters_[i], [self = self_, i](const Tensor&) {
      if (*self) (*self)->ready(int(i));
      return Tensor();
    }));
}

Reducer::~Reducer() {
  *self_ = nullptr;
  for (size_t i = 0; i < parameters_.size(); ++i) remove_hook(parameters_[i], hooks_[i]);
}

// Parameters of one kind follow each other in a bucket until it is full. The buckets that are full first are sent
// first.
void Reducer::plan(const std::vector<int>& order) {
  std::vector<std::vector<int>> plan;
  std::map<std::pair<Dtype, Device*>, std::pair<size_t, int64_t>> open;  // by kind: bucket, its bytes
  for (int i : order) {
    const Tensor& p = parameters_[size_t(i)];
    const int64_t limit = plan.size() <= 1 ? options_.first_bucket_bytes : options_.bucket_bytes;
    auto it = open.find(kind_of(p));
    if (it == open.end() || it->second.second >= limit) {
      plan.emplace_back();
      it = open.insert_or_assign(kind_of(p), std::pair(plan.size() - 1, int64_t(0))).first;
    }
    plan[it->second.first].push_back(i);
    it->second.second += int64_t(p.bytes());
  }
  make_buckets(plan);
}

void Reducer::make_buckets(const std::vector<std::vector<int>>& plan) {
  buckets_.clear();
  bucket_of_.assign(parameters_.size(), 0);
  for (auto& indices : plan) {
    Bucket b;
    b.parameters = indices;
    TensorList list;
    for (int i : indices) list.push_back(parameters_[size_t(i)]);
    b.flat = flat_for(list);
    b.views = views_of(b.flat, list);
    for (int i : indices) bucket_of_[size_t(i)] = int(buckets_.size());
    buckets_.push_back(std::move(b));
  }
}

// After the first backward: its order on the first rank is everybody's from now on. Parameters without a gradient come
// last.
void Reducer::adopt_order() {
  rebuilt_ = true;
  std::vector<bool> here(parameters_.size());
  for (int i : arrived_) here[size_t(i)] = true;
  for (size_t i = 0; i < here.size(); ++i)
    if (!here[i]) arrived_.push_back(int(i));
  const Tensor order = Tensor::from({int64_t(arrived_.size())}, arrived_.data());
  by_group(*group_, order, [&](const Tensor& t) { return broadcast(*group_, t, ranks_.first); });
  plan({order.data<int32_t>(), order.data<int32_t>() + order.numel()});
}

void Reducer::begin(std::optional<Active> active) {
  ranks_ = active.value_or(Active{group_->ranks()[0], group_->size()});
  if (averaged_ && !rebuilt_ && !finds_unused()) adopt_order();
  next_ = 0;
  is_ready_.assign(parameters_.size(), false);
  arrived_.clear();
  for (Bucket& b : buckets_) {
    if (b.work && !b.work->is_completed()) b.work->wait();  // of a backward that has failed
    b.pending = b.parameters.size(), b.work = nullptr;
  }
}

void Reducer::expect() {
  // The next graph makes new accumulators. The present ones, which earlier graphs may keep alive, are older than all
  // its nodes, so they would run at the end of backward.
  if (!std::exchange(touched_, false)) return;
  for (auto& p : parameters_) meta_of(p).accumulator = nullptr;
}

void Reducer::prepare(const Tensors& outputs, std::optional<Active> active) {
  begin(active);
  active_ = true, began_ = false;
  if (finds_unused()) mark_unused(used_by(outputs));
  if (options_.static_graph && averaged_) mark_unused(used_here_);
}

// A rank without inputs sends zeros, and gets nothing.
void Reducer::shadow(Active active) {
  begin(active);
  active_ = false;
  const NoGrad no_grad;
  for (Bucket& b : buckets_) {
    basic::fill_into(b.flat, Scalar(0));
    send(b);
  }
  if (finds_unused() || learns()) share_used();
  for (Bucket& b : buckets_) wait_for(b);
  end();
}

std::vector<bool> Reducer::used_by(const Tensors& outputs) const {
  const auto seen = reached(outputs);
  std::vector<bool> used;
  for (auto& p : parameters_) {
    const Node* accumulator = meta_of(p).accumulator;
    used.push_back(accumulator && seen.contains(accumulator));
  }
  return used;
}

void Reducer::mark_unused(const std::vector<bool>& used) {
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    is_ready_[i] = true;
    --buckets_[size_t(bucket_of_[i])].pending;
  }
}

void Reducer::ready(int i) {
  touched_ = true;
  if (!options_.static_graph || learns()) used_here_[size_t(i)] = true;
  if (!active_) return;
  if (!std::exchange(began_, true))
    after_backward([self = self_] {
      if (*self) (*self)->finish();
    });
  if (is_ready_[size_t(i)])
    throw Error(
        "DistributedDataParallel: the gradient of '{}' came twice in one backward: the parameter is used by several "
        "graphs, or was taken for unused{}",
        names_[size_t(i)], options_.static_graph ? ", since the first backward with static_graph had none" : "");
  is_ready_[size_t(i)] = true;
  arrived_.push_back(i);
  --buckets_[size_t(bucket_of_[size_t(i)])].pending;
  if (!learns()) send_ready();
}

// Strictly in order, so that all ranks send the same.
void Reducer::send_ready() {
  for (; next_ < buckets_.size() && buckets_[next_].pending == 0; ++next_) {
    fill(buckets_[next_]);
    send(buckets_[next_]);
  }
}

// A grad that this backward did not touch goes along: backwards before it, which were not averaged, may have added to
// it.
void Reducer::fill(Bucket& b) {
  if (alone() && !options_.gradient_as_bucket_view) return;
  const NoGrad no_grad;
  for (size_t k = 0; k < b.views.size(); ++k) {
    const Tensor grad = parameters_[size_t(b.parameters[k])].grad();
    if (!grad)
      basic::fill_into(b.views[k], Scalar(0));
    else if (grad.raw() != b.views[k].raw())
      basic::copy_into(b.views[k], grad.detach());
  }
}

void Reducer::send(Bucket& b) {
  if (alone()) return;
  const NoGrad no_grad;
  if (hook_.send)
    hook_.send(size_t(&b - buckets_.data()));
  else
    b.work = all_reduce(*group_, b.flat, ranks_.count == group_->size() ? ReduceOp::avg : ReduceOp::sum);
}

void Reducer::finish() {
  active_ = false;
  if (learns()) {
    for (Bucket& b : buckets_) b.pending = 0;
    send_ready();
  }
  if (next_ < buckets_.size()) refuse_unready();
  if (finds_unused() || learns()) share_used();
  for (Bucket& b : buckets_) {
    wait_for(b);
    deliver(b);
  }
  end();
}

void Reducer::wait_for(Bucket& b) {
  if (alone()) return;
  const NoGrad no_grad;
  if (hook_.result) {
    const Tensor result = hook_.result(size_t(&b - buckets_.data()));
    if (result.raw() != b.flat.raw()) basic::copy_into(b.flat, result.detach());
    return;
  }
  b.work->wait();
  if (ranks_.count != group_->size()) div.into(b.flat, Scalar(int64_t(ranks_.count)));
}

void Reducer::end() {
  averaged_ = true;
  if (!options_.static_graph) used_here_.assign(parameters_.size(), false);
}

// A parameter that no rank has used keeps the grad that it had.
void Reducer::share_used() {
  std::copy(used_here_.begin(), used_here_.end(), used_.begin());
  const Tensor used = Tensor::from({int64_t(used_.size())}, used_.data());
  by_group(*group_, used, [&](const Tensor& t) { return all_reduce(*group_, t, ReduceOp::max); });
  std::copy(used.data<uint8_t>(), used.data<uint8_t>() + used.numel(), used_.begin());
}

void Reducer::deliver(Bucket& b) {
  if (alone() && !options_.gradient_as_bucket_view) return;
  const NoGrad no_grad;
  for (size_t k = 0; k < b.views.size(); ++k) {
    const size_t i = size_t(b.parameters[k]);
    if (!used_[i]) continue;
    const Tensor grad = parameters_[i].grad();
    if (options_.gradient_as_bucket_view)
      parameters_[i].set_grad(b.views[k]);
    else if (grad)
      basic::copy_into(grad.detach(), b.views[k]);
    else
      parameters_[i].set_grad(basic::clone(b.views[k]));
  }
}

void Reducer::refuse_unready() const {
  std::vector<std::string> missing;
  for (size_t i = 0; i < names_.size(); ++i)
    if (!is_ready_[i]) missing.push_back(names_[i]);
  const size_t more = missing.size() > 8 ? missing.size() - 8 : 0;
  missing.resize(missing.size() - more);
  throw Error("DistributedDataParallel: backward gave no gradient to {}{}; {}", fmt::join(missing, ", "),
              more ? fmt::format(" and {} more", more) : "",
              options_.static_graph ? "with static_graph every backward uses what the first one has used"
                                    : "parameters that a forward does not use need {find_unused_parameters = true}");
}

void broadcast_all(ProcessGroup& g, const TensorList& tensors, int src) {
  if (g.size() == 1) return;
  std::vector<TensorList> kinds;  // in the order of the tensors, which is the same on all ranks
  for (auto& t : tensors) {
    auto it = std::find_if(kinds.begin(), kinds.end(), [&](auto& list) { return kind_of(list[0]) == kind_of(t); });
    if (it == kinds.end()) it = kinds.emplace(it);
    it->push_back(t);
  }
  const NoGrad no_grad;
  for (const TensorList& list : kinds) {
    const Tensor flat = flat_for(list);
    const TensorList views = views_of(flat, list);
    for (size_t i = 0; i < list.size(); ++i) basic::copy_into(views[i], list[i].detach());
    broadcast(g, flat, src)->wait();
    for (size_t i = 0; i < list.size(); ++i) basic::copy_into(list[i].detach(), views[i]);
  }
}

}  // namespace luth::dist
