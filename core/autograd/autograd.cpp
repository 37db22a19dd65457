// Grad mode and nodes.
#include "core/autograd/autograd.h"

#include <atomic>
#include <new>

#include "core/base/per_thread.h"

namespace luth {
namespace {

thread_local bool enabled = true;
std::atomic<uint64_t> sequence_{1};

// What Node::bury() has still to free.
struct Graveyard {
  std::vector<Edge> edges;
  std::vector<Tensor> tensors;
  bool digging = false;
};
constinit thread_local PerThread<Graveyard> graveyard;

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

void Node::bury(Edges& edges, Tensors& tensors) {
  auto& [dead_edges, dead_tensors, digging] = *graveyard;
  // What others hold too is not the end of a chain; a list may hold the same thing several times.
  try {
    for (auto& e : edges)
      if (e.node && e.node->use_count() <= edges.size()) dead_edges.push_back(std::move(e));
    for (auto& t : tensors)
      if (t && t.impl()->use_count() <= tensors.size()) dead_tensors.push_back(std::move(t));
  } catch (const std::bad_alloc&) {}  // then the rest dies within this call
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
