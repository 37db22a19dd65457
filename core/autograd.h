// Autograd: nodes, edges, the history of tensors and views, grad mode, backward. Includes op.
#pragma once
#include <functional>
#include <vector>

#include "core/op.h"

namespace luth {

// ---- Grad mode, per thread ---------------------------------------------------------------------------------------

bool grad_enabled();
/// Returns the mode before.
bool set_grad_enabled(bool on);
class GradMode {
 public:
  explicit GradMode(bool on) : before_(set_grad_enabled(on)) {}
  ~GradMode() { set_grad_enabled(before_); }
  GradMode(const GradMode&) = delete;

 private:
  bool before_;
};
struct NoGrad : GradMode {
  NoGrad() : GradMode(false) {}
};

// ---- The graph -----------------------------------------------------------------------------------------------------

/// Where a gradient goes: result `nr` of `node`; no node: nowhere.
struct Edge {
  Ref<Node> node;
  int nr = 0;
};
using Hook = std::function<Tensor(const Tensor& grad)>;  // null result: the gradient stays
struct HookEntry {
  int64_t id;
  int nr;
  Hook hook;
};

/// A step of backward. Nodes only point to older ones: `sequence` of each edge's node is smaller than its own, which
/// makes descending sequence a topological order.
class Node : public Counted {
 public:
  Node();
  virtual ~Node();
  /// Gradients for `next`, from those of the results (null: none arrived).
  virtual Tensors backward(const Tensors& dys) = 0;
  /// "PowBackward0"
  virtual std::string name() const = 0;
  /// Forgets what was saved; a second backward through this node throws.
  virtual void release() {}

  const uint64_t sequence;
  Small<Edge, 2> next;
  Small<Spec, 1> results;        // shape and dtype of each result, for checks and zeros
  std::vector<HookEntry> hooks;  // run on the whole gradient of a result before backward

 protected:
  /// Destroys edges and tensors one after the other, so that long chains need no deep stack.
  static void bury(Small<Edge, 2>& edges, Tensors& tensors);
};

/// Autograd's part of a tensor.
struct GradMeta {
  Tensor grad;
  std::shared_ptr<Tensor> retained;  // where a hook on `node` leaves the gradient (retain_grad)
  Ref<Node> node;                    // null for a leaf
  int nr = 0;                        // which result of the node this is
  bool requires_grad = false;
  uint32_t view_version = 0;  // of the storage when `node` was made; a view whose base was written since makes it anew
  Node* accumulator = nullptr;  // the leaf's node, while one exists (not owned)
  std::vector<HookEntry> hooks;
};

/// How a view came from its base: the chain of view operators, newest first.
struct ViewStep final : Counted {
  ViewStep(Ref<ViewStep> p, OpValue o, const OpInfo* i) : before(std::move(p)), op(std::move(o)), info(i) {}
  ~ViewStep();
  Ref<ViewStep> before;
  OpValue op;
  const OpInfo* info;
};
struct ViewOf {
  Tensor base;  // never a view itself
  Ref<ViewStep> steps;
  bool without_grad;  // made under no_grad: writing through it later cannot be recorded
};

/// Where the gradient of `t` goes: its node, or the accumulator of a leaf; no node when t requires none.
Edge gradient_edge(const Tensor& t);
/// Links the results of a call to a new node, where gradients are wanted.
class Recording {
 public:
  /// Before the kernel runs: looks at the inputs and saves those that vjp reads; of the one that is about to be
  /// overwritten (call.inplace), a copy.
  explicit Recording(const Call& call);
  /// After it: links call.out. In place: rewrites the history of the tensor that was written, and of its base.
  void finish(Call& call, const Tensor* inplace = nullptr);

 private:
  Ref<Node> node_;  // a CallNode
};
/// Throws when `t` may not be written under the present grad mode (a leaf that requires grad, or a view of one).
void check_inplace(const Tensor& t);
/// Makes `out` a view of `in`, and records it.
void record_view(const OpInfo& info, const void* op, const Tensor& in, const Tensor& out);
/// Gives `t` the history `edge` (for nodes made outside apply()).
void set_history(const Tensor& t, Ref<Node> node, int nr);

/// Registers a function that sees, and may replace, the gradient of `t`; returns an id for remove_hook.
int64_t register_hook(const Tensor& t, Hook hook);
void remove_hook(const Tensor& t, int64_t id);
/// Keeps the gradient of a tensor that is no leaf in its `grad`.
void retain_grad(const Tensor& t);

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
  bool allow_unused = false;
};
/// Accumulates into the grads of all leaves, or of `inputs` alone if there are any.
void backward(const Tensors& roots, const Tensors& gradients, const BackwardOptions& options,
              const Tensors& inputs = {});
/// The gradients of `roots` with respect to `inputs`; leaves no grad behind. Null entries only with allow_unused.
Tensors grad(const Tensors& roots, const Tensors& inputs, const Tensors& gradients, const BackwardOptions& options);

}  // namespace luth
