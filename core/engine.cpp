// Backward: walks the graph from the newest node to the oldest. Iterative; runs on the caller.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd.h"

namespace luth {
namespace {

Tensor ones_like(const Tensor& t) {
  static const OpInfo& fill = find_op("fill");
  Tensor one = Tensor::empty(t.shape(), t.dtype(), t.device());
  NoGrad no_grad;
  return apply_inplace(fill, nullptr, {one, 1});
}

class Engine {
 public:
  Engine(const BackwardOptions& options, const Tensors& inputs) : options_(options) {
    for (auto& t : inputs) {
      Edge e = gradient_edge(t);
      if (!e.node) throw Error("one of the tensors to differentiate by does not require grad");
      keep_.push_back(e.node);
      captured_.push_back({e.node.get(), e.nr, {}});
    }
  }

  void start(const Tensor& root, Tensor gradient) {
    Edge e = gradient_edge(root);
    if (!e.node) throw Error("backward: this tensor does not require grad and has no grad_fn");
    if (!gradient) {
      if (root.numel() != 1)
        throw Error("backward needs a gradient for a tensor of shape {}; only one element has an implied gradient of 1",
                    to_string(root.shape()));
      gradient = ones_like(root);
    }
    if (!(gradient.shape() == root.shape()))
      throw Error("gradient of shape {} for a tensor of shape {}", to_string(gradient.shape()),
                  to_string(root.shape()));
    arrive(e, gradient);
    roots_.push_back(e.node);
  }

  void run() {
    GradMode mode(options_.create_graph);
    if (!captured_.empty()) find_needed();
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), older);
      Ref<Node> node = std::move(queue_.back());
      queue_.pop_back();
      Tensors dys = std::move(arrived_[node.get()]);
      arrived_.erase(node.get());
      step(*node, dys);
    }
  }

  struct Capture {
    Node* node;
    int nr;
    Tensor grad;
  };
  const std::vector<Capture>& captured() const { return captured_; }

 private:
  static bool older(const Ref<Node>& a, const Ref<Node>& b) { return a->sequence < b->sequence; }

  void arrive(const Edge& e, const Tensor& g) {
    auto [it, fresh] = arrived_.try_emplace(e.node.get());
    if (fresh) {
      it->second.resize(e.node->results.size());
      queue_.push_back(e.node);
      std::push_heap(queue_.begin(), queue_.end(), older);
    }
    Tensor& sum = it->second[e.nr];
    Tensor fitted = g.dtype() == e.node->results[e.nr].dtype ? g : cast_to(g, e.node->results[e.nr].dtype);
    static const OpInfo& add = find_op("add");
    if (!sum)
      sum = std::move(fitted);
    else if (!options_.create_graph && sum.impl()->use_count() == 1 && sum.storage()->use_count() == 1)
      apply_inplace(add, nullptr, {sum, fitted});
    else
      sum = apply(add, nullptr, {sum, fitted})[0];
  }

  void step(Node& node, Tensors& dys) {
    for (size_t i = 0; i < node.hooks.size(); ++i) {
      Hook hook = node.hooks[i].hook;
      Tensor& dy = dys[node.hooks[i].nr];
      if (!dy) continue;
      if (Tensor replaced = hook(dy)) dy = replaced;
    }
    bool only_captured = !captured_.empty() && !needed_.count(&node);
    for (auto& c : captured_)
      if (c.node == &node) c.grad = dys[c.nr];
    if (only_captured) return;
    Tensors dx = node.backward(dys);
    if (!options_.retain_graph) {
      node.release();
      node.hooks.clear();  // they cannot run again, and may hold what holds the graph
    }
    for (size_t i = 0; i < node.next.size() && i < dx.size(); ++i)
      if (dx[i] && node.next[i].node && relevant(node.next[i].node.get())) {
        Tensor g = std::move(dx[i]);
        arrive(node.next[i], g);
      }
  }

  bool relevant(Node* n) const { return captured_.empty() || needed_.count(n) || is_captured(n); }
  bool is_captured(Node* n) const {
    return std::any_of(captured_.begin(), captured_.end(), [&](auto& c) { return c.node == n; });
  }

  // The nodes from which a captured edge is reachable, the captured nodes themselves only if they lead to another one.
  void find_needed() {
    std::vector<Node*> all;
    std::unordered_set<Node*> seen;
    std::vector<Node*> stack;
    for (auto& r : roots_)
      if (seen.insert(r.get()).second) stack.push_back(r.get());
    while (!stack.empty()) {
      Node* n = stack.back();
      stack.pop_back();
      all.push_back(n);
      for (auto& e : n->next)
        if (e.node && seen.insert(e.node.get()).second) stack.push_back(e.node.get());
    }
    std::sort(all.begin(), all.end(), [](Node* a, Node* b) { return a->sequence < b->sequence; });
    for (Node* n : all)  // the oldest first: what it points to is decided already
      for (auto& e : n->next)
        if (e.node && (needed_.count(e.node.get()) || is_captured(e.node.get()))) {
          needed_.insert(n);
          break;
        }
  }

  BackwardOptions options_;
  std::vector<Capture> captured_;
  std::vector<Ref<Node>> keep_, roots_, queue_;  // queue_ is a heap, newest first
  std::unordered_map<Node*, Tensors> arrived_;
  std::unordered_set<Node*> needed_;
};

Engine run_engine(const Tensors& roots, const Tensors& gradients, BackwardOptions options, const Tensors& inputs) {
  options.retain_graph |= options.create_graph;
  Engine engine(options, inputs);
  for (size_t i = 0; i < roots.size(); ++i) engine.start(roots[i], i < gradients.size() ? gradients[i] : Tensor());
  engine.run();
  return engine;
}

}  // namespace

void backward(const Tensors& roots, const Tensors& gradients, const BackwardOptions& options, const Tensors& inputs) {
  Engine engine = run_engine(roots, gradients, options, inputs);
  GradMode mode(options.create_graph);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& g = engine.captured()[i].grad;
    if (!g) continue;
    const Tensor before = inputs[i].grad();
    static const OpInfo& add = find_op("add");
    inputs[i].set_grad(before ? apply(add, nullptr, {before, g})[0] : g);
  }
}

Tensors grad(const Tensors& roots, const Tensors& inputs, const Tensors& gradients, const BackwardOptions& options) {
  Engine engine = run_engine(roots, gradients, options, inputs);
  Tensors out;
  for (auto& c : engine.captured()) {
    if (!c.grad && !options.allow_unused)
      throw Error("a tensor was not used in the graph; pass {{allow_unused = true}} to get nil for it");
    out.push_back(c.grad);
  }
  return out;
}

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  luth::backward({*this}, {gradient}, {.retain_graph = retain_graph, .create_graph = create_graph});
}

}  // namespace luth
