// Grad mode and nodes.
#include "core/autograd/autograd.h"

#include <atomic>

namespace luth {
namespace {

thread_local bool enabled = true;
std::atomic<uint64_t> sequence_{1};

}  // namespace

bool grad_enabled() { return enabled; }
bool set_grad_enabled(bool on) { return std::exchange(enabled, on); }

// Declared in saved.h.
uint64_t next_sequence() { return sequence_.load(std::memory_order_relaxed); }
Node::Node() : sequence(sequence_.fetch_add(1, std::memory_order_relaxed)) {}
Node::~Node() {
  Tensors none;
  bury(next, none);
}

void Node::bury(Small<Edge, 2>& edges, Tensors& tensors) {
  thread_local std::vector<Edge> dead_edges;
  thread_local std::vector<Tensor> dead_tensors;
  thread_local bool digging = false;
  // What others hold too is not the end of a chain; a list may hold the same thing several times.
  for (auto& e : edges)
    if (e.node && e.node->use_count() <= edges.size()) dead_edges.push_back(std::move(e));
  for (auto& t : tensors)
    if (t && t.impl()->use_count() <= tensors.size()) dead_tensors.push_back(std::move(t));
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

}  // namespace luth
