// Backward: walks the graph from the newest node to the oldest. Iterative; runs on the caller.
#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/autograd/accumulated_hooks.h"
#include "core/autograd/autograd.h"
#include "core/autograd/saved.h"
#include "core/base/per_thread.h"
#include "core/device/device_support.h"
#include "core/op/basics.h"
#include "core/tensor/batched_device.h"
#include "core/tensor/profiler.h"
#include "core/tensor/source_mark.h"

namespace luth {
namespace {

std::atomic<AnomalyMode> anomaly{AnomalyMode()};

// `g` as the gradient of result `nr`: PyTorch casts, and nothing else.
Tensor fitted(const Tensor& g, const Edge& e) {
  const GradSpec& want = e.node->results[size_t(e.nr)];
  if (!(g.shape() == want.shape))
    throw Error("{}: a gradient of shape {} arrived for a result of shape {}", e.node->name(), to_string(g.shape()),
                to_string(want.shape));
  const BatchedDevice* samples = &g.device() == want.device ? nullptr : as_batched(g.device());
  if (&g.device() != want.device && !(samples && samples->encloses(*want.device)))  // vmap: a gradient for each sample
    throw Error("{}: a gradient on {} arrived for a result on {}", e.node->name(), g.device().name(),
                want.device->name());
  return g.dtype() == want.dtype ? g : cast_to(g, want.dtype);
}

/// The streams of one backward. Each node runs where its forward ran; what one stream made is not used in another
/// before it is there; and the caller's streams wait for all others at the end. Costs nothing on devices that run at
/// once.
class StreamOrder {
 public:
  /// Makes `s` the current stream of its device, and that the current one of its kind, for the life of the object; null
  /// changes nothing.
  class In {
   public:
    In(StreamOrder& order, Stream* s) : stream_(s) {
      if (!s) return;
      Device& d = s->device();
      order.home(d);
      order.note(s);
      before_ = d.current_stream();
      d.set_current_stream(s);
      index_ = set_current_device(d.slot(), d.index());
    }
    ~In() {
      if (!stream_) return;
      stream_->device().set_current_stream(before_);
      set_current_device(stream_->device().slot(), index_);
    }
    In(const In&) = delete;

   private:
    Stream *stream_, *before_ = nullptr;
    int index_ = 0;
  };

  /// The stream in which `node` takes `g`, which was made in the current one; what it is given from now on may use g.
  Stream* hand_over(const Tensor& g, const Node& node) {
    if (!g.storage()->stream()) return nullptr;
    Device& d = g.device();
    Stream *to = node.stream && &node.stream->device() == &d ? node.stream : home(d), *from = d.current_stream();
    if (to == from) return to;
    wait(*to, *from);
    d.record_stream(g.storage()->data(), to);
    return to;
  }
  /// The caller's streams go on when all is done.
  void join() {
    for (Stream* s : used_)
      if (Stream* to = home(s->device()); to != s) wait(*to, *s);
  }

 private:
  Stream* home(Device& d) {
    for (auto& [device, stream] : home_)
      if (device == &d) return stream;
    home_.emplace_back(&d, d.current_stream());
    return home_.back().second;
  }
  void note(Stream* s) {
    if (std::find(used_.begin(), used_.end(), s) == used_.end()) used_.push_back(s);
  }
  static void wait(Stream& later, Stream& first) {
    auto event = first.device().new_event(false);
    event->record(first);
    later.wait(*event);
  }
  std::vector<std::pair<Device*, Stream*>> home_;
  std::vector<Stream*> used_;
};

// A hook may run a backward of its own, which may release the very node whose hooks are running: these end with the
// outermost backward of the thread.
thread_local int running = 0;
constinit thread_local PerThread<std::vector<std::unique_ptr<NodeHooks>>> retired;
struct Running {
  Running() { ++running; }
  ~Running() {
    if (!--running) std::exchange(*retired, {});
  }
};
void retire(std::unique_ptr<NodeHooks>& hooks) {
  if (hooks && running > 1) retired->push_back(std::move(hooks));
  hooks.reset();
}

class Engine {
 public:
  explicit Engine(const BackwardOptions& options) : options_(options) {
    options_.retain_graph |= options_.create_graph;
  }
  /// The innermost of this thread that runs; null: none.
  static thread_local Engine* current;
  void at_end(std::function<void()> f) { at_end_.push_back(std::move(f)); }

  /// From now on only what leads to a captured tensor, or one to accumulate into, runs.
  void capture(const Tensor& t, size_t i) {
    Edge e = target(t, i, "torch.autograd.grad");
    captured_.push_back({e.node.get(), e.nr, {}});
  }
  void accumulate_into(const Tensor& t, size_t i) {
    Edge e = target(t, i, "backward");
    if (t.is_leaf())
      needed_.insert(e.node.get());
    else
      retain_grad(t);
  }

  void run(const Tensors& roots, const Tensors& gradients) {
    std::optional<ProfileRange> range;
    if (profiling()) [[unlikely]]
      range.emplace(ProfileEvent::Kind::range, "backward", next_sequence(), nullptr, next_sequence);
    Running now;
    const Current current_is_this(this);
    GradMode mode(options_.create_graph);
    for (size_t i = 0; i < roots.size(); ++i)
      start(roots[i], i < gradients.size() ? gradients[i] : Tensor(), roots.size() > 1 ? int64_t(i) : -1);
    if (!targets_.empty()) find_needed();
    if (accumulated_hooks_exist()) count_users();
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), older);
      const Ref<Node> node = std::move(queue_.back());
      queue_.pop_back();
      run_arrived(*node);
      run_accumulators(*node);
    }
    for (auto& f : std::exchange(at_end_, {})) f();
    streams_.join();
  }

  struct Capture {
    Node* node;
    int nr;
    Tensor grad;
  };
  const std::vector<Capture>& captured() const { return captured_; }

 private:
  static bool older(const Ref<Node>& a, const Ref<Node>& b) { return a->sequence < b->sequence; }

  // Number i of the inputs.
  Edge target(const Tensor& t, size_t i, const char* who) {
    Edge e = gradient_edge(t);
    if (!e.node) throw Error("{}: input {} ({}) does not require grad", who, shown(int64_t(i)), describe(t));
    keep_.push_back(e.node);
    targets_.insert(e.node.get());
    return e;
  }

  void start(const Tensor& root, Tensor gradient, int64_t number) {
    Edge e = gradient_edge(root);
    if (!e.node)
      throw Error("backward: {} does not require grad and has no grad_fn",
                  number < 0 ? "this tensor" : fmt::format("tensor {} ({})", shown(number), describe(root)));
    if (!gradient) {
      if (root.numel() != 1)
        throw Error("backward needs a gradient for a tensor of shape {}; only one element has an implied gradient of 1",
                    to_string(root.shape()));
      gradient = full(root.shape(), 1, root.dtype(), root.device());
    }
    if (!(gradient.shape() == root.shape()))
      throw Error("gradient of shape {} for a tensor of shape {}", to_string(gradient.shape()),
                  to_string(root.shape()));
    arrive(e, gradient);
    roots_.push_back(e.node);
  }

  void arrive(const Edge& e, const Tensor& g) {
    auto [it, fresh] = arrived_.try_emplace(e.node.get());
    if (fresh) {
      it->second.resize(e.node->results.size());
      queue_.push_back(e.node);
      std::push_heap(queue_.begin(), queue_.end(), older);
    }
    Tensor& sum = it->second[size_t(e.nr)];
    StreamOrder::In stream(streams_, streams_.hand_over(g, *e.node));
    Tensor more = fitted(g, e);
    if (!sum)
      sum = std::move(more);
    else if (!options_.create_graph && sum.impl()->use_count() == 1 && sum.storage()->use_count() == 1)
      basic::add_into(sum, more);
    else
      sum = basic::add(sum, more);
  }

  void run_arrived(Node& node) {
    const auto it = arrived_.find(&node);
    if (it == arrived_.end()) return;  // an accumulator that has run
    Tensors dys = std::move(it->second);
    arrived_.erase(it);
    step(node, dys);
  }

  // The nodes below the roots, each once.
  std::vector<Node*> reachable() const {
    std::vector<Node*> all;
    std::unordered_set<Node*> seen;
    auto visit = [&](const Ref<Node>& n) {
      if (n && seen.insert(n.get()).second) all.push_back(n.get());
    };
    for (auto& r : roots_) visit(r);
    for (size_t i = 0; i < all.size(); ++i)
      for (auto& e : all[i]->next) visit(e.node);
    return all;
  }

  // An accumulator may be older than this graph, and would be the last to run, while an earlier graph lives. Whoever
  // has a hook on its leaf is to have the grad as soon as it is there: when the last of the accumulator's users has
  // run.
  void count_users() {
    for (Node* n : reachable())
      for (auto& e : n->next)
        if (e.node && e.node->leaf() && e.node->tensor_hooks()) ++users_[e.node.get()];
  }
  void run_accumulators(const Node& user) {
    for (size_t i = users_.empty() ? 0 : user.next.size(); i-- > 0;) {  // the newest first, as without hooks
      const Ref<Node>& n = user.next[i].node;
      if (auto it = users_.find(n.get()); it != users_.end() && !--it->second) run_arrived(*n);
    }
  }

  void step(Node& node, Tensors& dys) {
    StreamOrder::In stream(streams_, node.stream);
    const bool runs = targets_.empty() || needed_.count(&node);
    if (runs) hand_out(node, dys);  // as in PyTorch: before the hooks where the node runs too, and else after them
    if (auto* hooks = node.tensor_hooks()) run_hooks(*hooks, dys);
    if (!runs) return hand_out(node, dys);
    Tensors dx = node.hooks ? between_hooks(node, dys) : backward_of(node, dys);
    if (!options_.retain_graph && node.release()) retire(node.hooks);  // they cannot run again, and may hold the graph
    for (size_t i = 0; i < node.next.size() && i < dx.size(); ++i)
      if (dx[i] && node.next[i].node && relevant(node.next[i].node.get())) {
        Tensor g = std::move(dx[i]);
        arrive(node.next[i], g);
      }
  }

  Tensors backward_of(Node& node, const Tensors& dys) {
    if (profiling()) [[unlikely]] {
      const ProfileRange now(ProfileEvent::Kind::node, node.name(), node.sequence, device_of(dys), next_sequence);
      return anomaly_.on ? watched(node, dys) : node.backward(dys);
    }
    if (!anomaly_.on) return node.backward(dys);
    return watched(node, dys);
  }
  static Device* device_of(const Tensors& dys) {
    for (auto& t : dys)
      if (t) return &t.device();
    return nullptr;
  }

  void hand_out(const Node& node, const Tensors& dys) {
    if (targets_.empty()) return;
    for (auto& c : captured_)
      if (c.node == &node) c.grad = dys[size_t(c.nr)];
  }

  // Those of retain_grad last. A copy of the list: a hook may register another, or remove itself.
  static void run_hooks(const std::vector<HookEntry> hooks, Tensors& dys) {
    for (bool retaining : {false, true})
      for (auto& h : hooks) {
        if ((h.id < 0) != retaining || h.nr < 0) continue;
        Tensor& dy = dys[size_t(h.nr)];
        if (dy) dy = after_hook(h.hook, dy);
      }
  }

  Tensors between_hooks(Node& node, Tensors& dys) {
    auto who = [&] { return node.name() + ": a hook of the node"; };
    const auto before = node.hooks->before;  // copies: a hook may remove itself
    for (auto& [_, hook] : before) apply_hook_result(dys, hook({}, dys), who);
    Tensors dxs = backward_of(node, dys);
    if (!node.hooks) return dxs;
    dxs.resize(node.next.size());
    const auto after = node.hooks->after;
    for (auto& [_, hook] : after) apply_hook_result(dxs, hook(dxs, dys), who);
    return dxs;
  }

  // In anomaly mode.
  Tensors watched(Node& node, const Tensors& dys) const {
    Tensors dxs;
    try {
      dxs = node.backward(dys);
    } catch (const Error& e) {
      const std::string line = at_source_mark(node.mark), text = e.what();
      if (line.empty() || text.find(line) != text.npos) throw;
      throw Error(e.code(), "{} (the operator ran{})", text, line);
    }
    for (size_t i = 0; anomaly_.check_nan && i < dxs.size(); ++i)
      if (dxs[i] && is_floating(dxs[i].dtype()) && basic::any_nan(dxs[i].detach()))
        throw Error("{}: the gradient of its input {} is nan; the operator ran{}", node.name(), shown(int64_t(i)),
                    node.mark ? at_source_mark(node.mark) : " outside of any script");
    return dxs;
  }

  bool relevant(Node* n) const { return targets_.empty() || needed_.count(n) || targets_.count(n); }

  // The nodes from which a target is reachable, the targets themselves only if they lead to another one.
  void find_needed() {
    std::vector<Node*> all = reachable();
    std::sort(all.begin(), all.end(), [](Node* a, Node* b) { return a->sequence < b->sequence; });
    for (Node* n : all)  // the oldest first: what it points to is decided already
      for (auto& e : n->next)
        if (e.node && relevant(e.node.get())) {
          needed_.insert(n);
          break;
        }
  }

  struct Current {
    explicit Current(Engine* e) : before(std::exchange(current, e)) {}
    ~Current() { current = before; }
    Current(const Current&) = delete;
    Engine* before;
  };

  std::vector<std::function<void()>> at_end_;
  StreamOrder streams_;
  const AnomalyMode anomaly_ = anomaly_mode();
  BackwardOptions options_;
  std::vector<Capture> captured_;
  std::vector<Ref<Node>> keep_, roots_, queue_;  // queue_ is a heap, newest first
  std::unordered_map<Node*, Tensors> arrived_;
  std::unordered_map<const Node*, int> users_;  // of accumulators with hooks: how many have not run
  std::unordered_set<Node*> targets_, needed_;  // no targets: every node is needed
};

thread_local Engine* Engine::current = nullptr;

}  // namespace

void after_backward(std::function<void()> f) {
  if (!Engine::current) throw Error("after_backward: no backward runs on this thread");
  Engine::current->at_end(std::move(f));
}

AnomalyMode anomaly_mode() { return anomaly.load(std::memory_order_relaxed); }
AnomalyMode set_anomaly_mode(AnomalyMode mode) { return anomaly.exchange(mode); }

void backward(const Tensors& roots, const Tensors& gradients, const BackwardOptions& options, const Tensors& inputs) {
  Engine engine(options);
  for (size_t i = 0; i < inputs.size(); ++i) engine.accumulate_into(inputs[i], i);
  engine.run(roots, gradients);
}

Tensors grad(const Tensors& roots, const Tensors& inputs, const Tensors& gradients, const BackwardOptions& options) {
  Engine engine(options);
  for (size_t i = 0; i < inputs.size(); ++i) engine.capture(inputs[i], i);
  engine.run(roots, gradients);
  Tensors out;
  for (auto& c : engine.captured()) {
    if (!c.grad && options.materialize) {
      const Tensor& x = inputs[out.size()];
      out.push_back(full(x.shape(), 0, x.dtype(), x.device()));
      continue;
    }
    if (!c.grad && !options.allow_unused)
      throw Error(
          "torch.autograd.grad: input {} ({}) was not used in the graph; pass {{allow_unused = true}} to get nil for "
          "it",
          shown(int64_t(out.size())), describe(inputs[out.size()]));
    out.push_back(c.grad);
  }
  return out;
}

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  luth::backward({*this}, {gradient}, {.retain_graph = retain_graph, .create_graph = create_graph});
}

}  // namespace luth
