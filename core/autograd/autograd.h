// Autograd: nodes, edges, the history of tensors and views, grad mode, backward.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "core/op/op.h"

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
using Edges = Small<Edge, 3>;                            // a layer has an input, a weight and a bias
using Hook = std::function<Tensor(const Tensor& grad)>;  // null result: the gradient stays
/// The gradient after the hook; throws where the hook has changed its shape, dtype or device.
Tensor after_hook(const Hook& hook, const Tensor& grad);
struct HookEntry {
  static constexpr int after_accumulation = -1;  // in place of `nr`: runs on the leaf when its grad is there
  int64_t id;                                    // negative: retain_grad's, which runs after all others
  int nr;                                        // of which result
  Hook hook;
};

/// Hooks of a whole node. An empty result leaves things as they are, else it replaces the gradients of the results
/// (before backward: `dxs` is empty) or those of the inputs (after it).
using NodeHook = std::function<Tensors(const Tensors& dxs, const Tensors& dys)>;
/// Puts what a hook has returned in the place of the gradients, if it is not empty. who() names the hook in errors.
template <class Who>
void apply_hook_result(Tensors& gradients, Tensors result, Who&& who) {
  if (result.empty()) return;
  if (result.size() != gradients.size())
    throw Error("{} returned {} gradients, expected {}", who(), result.size(), gradients.size());
  gradients = std::move(result);
}
struct NodeHooks {
  std::vector<HookEntry> tensor;  // those of results; a leaf keeps its own
  std::vector<std::pair<int64_t, NodeHook>> before, after;
};

/// What the gradient of a node's result must be.
struct GradSpec {
  Shape shape;
  Dtype dtype;
  Device* device;
};
GradSpec grad_spec_of(const Tensor& t);

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
  /// Forgets what was saved. True: a second backward throws; a node that saved no values can run again.
  virtual bool release() { return false; }
  /// What runs on the whole gradient of a result before backward; null: nothing.
  virtual std::vector<HookEntry>* tensor_hooks() { return hooks ? &hooks->tensor : nullptr; }
  /// The tensor that an accumulator of gradients writes to; null for any other node.
  virtual Tensor leaf() const { return {}; }
  NodeHooks& own_hooks() {
    if (!hooks) hooks = std::make_unique<NodeHooks>();
    return *hooks;
  }

  const uint64_t sequence;
  uint32_t mark = 0;  // source mark: the line of the script that made it
  Edges next;
  Small<GradSpec, 1> results;
  std::unique_ptr<NodeHooks> hooks;  // null: none
  Stream* stream =
      nullptr;  // where forward ran and backward runs; null: where the device has one order, or the caller's

 protected:
  /// Destroys edges and tensors one after the other, so that long chains need no deep stack.
  static void bury(Edges& edges, Tensors& tensors);
};

/// The grad of a tensor that is no leaf, filled by a hook with this id on its node.
struct Retained {
  Tensor grad;
  int64_t id;
};

/// Autograd's part of a tensor.
struct GradMeta final : FreeListed<GradMeta, 3> {
  Tensor grad;
  std::shared_ptr<Retained> retained;  // in place of `grad`, after retain_grad
  Ref<Node> node;                      // null for a leaf
  int nr = 0;                          // which result of the node this is
  bool requires_grad = false;
  Node* accumulator = nullptr;   // the leaf's node, while one exists (not owned)
  std::vector<HookEntry> hooks;  // of a leaf
};
/// Makes it where there is none yet.
GradMeta& meta_of(const Tensor& t);

/// A view shares its base's memory; its shape, strides and offset there are the view's own.
struct ViewOf final : FreeListed<ViewOf, 4> {
  ViewOf(Tensor b, bool without, uint32_t v) : base(std::move(b)), without_grad(without), version(v) {}
  Tensor base;        // never a view itself
  bool without_grad;  // made under no_grad: writing through it later cannot be recorded
  uint32_t version;   // of the storage when the view's history was made; written since, it is made anew from the base's
};

/// Where the gradient of `t` goes: its node, or the accumulator of a leaf; no node when t requires none.
Edge gradient_edge(const Tensor& t);
/// Links the results of a call to a new node, where gradients are wanted.
class Recording {
 public:
  /// Before the kernel runs: looks at the inputs and saves those that vjp reads; of the one that is about to be
  /// overwritten (call.inplace), a copy.
  explicit Recording(const Call& call) {
    if (any_known(call.in)) begin(call);
  }
  /// After it: links call.out. In place: rewrites the history of the tensor that was written, and of its base.
  void finish(Call& call, const Tensor* inplace = nullptr) {
    if (node_) link(call, inplace);
  }

 private:
  // Whether autograd may have to do with an input; most often it has not.
  static bool any_known(const Inputs& in) {
    for (auto& v : in)
      if (v.is_tensor() && (v.tensor().impl()->meta || v.tensor().impl()->view)) return true;
    return false;
  }
  void begin(const Call& call);
  void link(Call& call, const Tensor* inplace);
  Ref<Node> node_;  // a CallNode
};
/// Throws when `t` may not be written under the present grad mode (a leaf that requires grad, or a view of one).
void check_inplace(const Tensor& t);
/// Makes `out` a view of `in`, and records it.
void record_view(const OpInfo& info, const void* op, const Tensor& in, const Tensor& out);
/// Makes `t` result `nr` of `node`; a grad that is retained moves along.
void set_history(const Tensor& t, Ref<Node> node, int nr);

/// Registers a function that sees, and may replace, the gradient of `t`; returns an id for remove_hook.
int64_t register_hook(const Tensor& t, Hook hook);
/// The same for a leaf, to run with it, not its gradient, when a backward has added to its grad.
int64_t register_accumulated_hook(const Tensor& leaf, Hook hook);
void remove_hook(const Tensor& t, int64_t id);
/// Hooks of a node, before its backward and after it.
int64_t register_node_hook(Node& node, NodeHook hook, bool before);
void remove_hook(Node& node, int64_t id);
/// Accumulates the gradient of a tensor that is no leaf in its `grad`.
void retain_grad(const Tensor& t);
/// Drops the gradient of `t`; or, without `set_to_none`, fills it with zeros, so that whoever holds it sees that.
void clear_grad(const Tensor& t, bool set_to_none = true);

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
  bool allow_unused = false;
  bool materialize = false;  // zeros for what is unused
};
/// Accumulates into the grads of all leaves, or of `inputs` alone if there are any; one that is no leaf retains its
/// grad.
void backward(const Tensors& roots, const Tensors& gradients, const BackwardOptions& options,
              const Tensors& inputs = {});
/// Runs f once, when the backward that runs on this thread has run all its nodes; what f throws, backward throws.
/// Throws where none runs.
void after_backward(std::function<void()> f);
/// The gradients of `roots` with respect to `inputs`; leaves no grad behind. Null entries only with allow_unused.
Tensors grad(const Tensors& roots, const Tensors& inputs, const Tensors& gradients, const BackwardOptions& options);

/// While it is on, an error of backward names the line of the script whose operator it is about, and, with `check_nan`,
/// a gradient that is nan is such an error. For all threads; waits for the device after every node.
struct AnomalyMode {
  bool on = false, check_nan = true;
};
AnomalyMode anomaly_mode();
/// Returns the mode before.
AnomalyMode set_anomaly_mode(AnomalyMode mode);

}  // namespace luth
