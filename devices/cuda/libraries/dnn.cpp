// cuDNN 9 through its graph API: for each convolution a graph of one operation. The library's heuristics list the
// engines that can run it, best first. The plan of the engine that worked is kept per shape.
//
// Tests run the stand-in of tests/fakecuda/libraries instead. Descriptors, heuristics, notes, plans and variant packs
// of this file have been tried with cuDNN 9.19 and the described properties of an H200 in place of a handle, for all
// dtypes, layouts and kinds; cudnnCreate, the two HANDLE attributes and cudnnBackendExecute have not run anywhere yet.
#include "devices/cuda/libraries/dnn.h"

#if __has_include(<cudnn_version.h>)
#include <cudnn_version.h>
#endif
#if !defined(CUDNN_MAJOR) || CUDNN_MAJOR < 9

namespace luth::cuda {
bool dnn_convolve(const DnnConv&, Device&, const void*, const void*, void*) { return false; }
int64_t dnn_version() { return 0; }
std::string dnn_missing() { return "this luth was built without the headers of cuDNN 9"; }
}  // namespace luth::cuda

#else

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/base/warn.h"
#include "core/tensor/tensor.h"
#include "devices/cuda/libraries/dnn_graph.h"
#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {
namespace cudnn {
namespace {

constexpr size_t most_choices = 4096;  // of a device; then it starts afresh
constexpr size_t most_timed = 8;       // engines that `benchmark` compares

struct Operands {
  void *x, *w, *y;
};

/// The state of one convolution's search: the engines that are left to try, and the plan that is tried or has worked.
struct Choice {
  std::vector<Descriptor> graph;  // one; engines and plans refer to it
  std::vector<Descriptor> left;   // best last
  std::shared_ptr<const Plan> plan;
  bool worked = false;  // the plan has run
  bool timed = false;   // `benchmark` has compared
};

struct Hash {
  size_t operator()(const DnnConv& c) const {
    static_assert(sizeof(DnnConv) % sizeof(int64_t) == 0);
    const auto words = std::bit_cast<std::array<int64_t, sizeof(DnnConv) / sizeof(int64_t)> >(c);
    uint64_t h = 0;
    for (int64_t v : words) h = (std::rotl(h, 23) ^ uint64_t(v)) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
  }
};

/// The library on one device. A handle serves one call at a time, hence the lock. No tensor is made while it is held:
/// that may run the language's collector, and with it another convolution.
class Engine {
 public:
  explicit Engine(Device& device) : device_(device) {}
  bool convolve(const DnnConv& c, const Operands& o);

 private:
  bool open();
  std::shared_ptr<Choice> choice(const DnnConv& c);
  std::shared_ptr<const Plan> plan_of(Choice& choice);
  void run(const Plan& plan, const Operands& o);
  bool try_out(Choice& choice, const std::shared_ptr<const Plan>& plan, const Operands& o);
  bool drop(Choice& choice, const std::shared_ptr<const Plan>& plan);
  void keep_fastest(Choice& choice, const Operands& o);
  float time(const Plan& plan, const Operands& o);

  Device& device_;
  std::mutex lock_;  // of all below, and of the contents of the choices
  cudnnHandle_t handle_ = nullptr;
  bool broken_ = false;
  std::unordered_map<DnnConv, std::shared_ptr<Choice>, Hash> choices_;
};

void complain(const Refusal& r) {
  if (r.is_fault()) warn(fmt::format("cuDNN refuses a convolution, which luth's own kernels do: {}", r.text()));
}

bool Engine::open() {
  std::lock_guard hold(lock_);
  if (handle_ || broken_) return !broken_;
  try {
    check(dnn().create_handle(&handle_), "cudnnCreate");
  } catch (const Refusal& r) {
    broken_ = true;
    warn(fmt::format("cuDNN cannot be used, and luth's own kernels are instead: {}", r.text()));
  }
  return !broken_;
}

std::shared_ptr<Choice> Engine::choice(const DnnConv& c) {
  std::lock_guard hold(lock_);
  if (auto known = choices_.find(c); known != choices_.end()) return known->second;
  if (choices_.size() == most_choices) choices_.clear();
  auto fresh = std::make_shared<Choice>();
  try {
    fresh->graph.push_back(graph(c, handle_));
    fresh->left = engines(c, fresh->graph[0]);
    std::reverse(fresh->left.begin(), fresh->left.end());
  } catch (const Refusal& r) { complain(r); }
  return choices_[c] = fresh;
}

// The plan that has worked, or that of the next engine which has one; null where no engine is left.
std::shared_ptr<const Plan> Engine::plan_of(Choice& choice) {
  std::lock_guard hold(lock_);
  for (; !choice.plan && !choice.left.empty(); choice.left.pop_back()) try {
      choice.plan = std::make_shared<Plan>(choice.left.back(), handle_);
    } catch (const Refusal&) {}  // the next one, then
  return choice.plan;
}

// Throws a Refusal, or ErrorCode::memory where there is none for the plan's workspace. The workspace is freed after the
// call, for later work of this stream.
void Engine::run(const Plan& plan, const Operands& o) {
  const Tensor scratch = plan.workspace ? Tensor::empty({plan.workspace}, Dtype::u8, device_) : Tensor();
  void* pointers[3] = {o.x, o.w, o.y};
  const int64_t ids[3] = {id_x, id_w, id_y};
  std::lock_guard hold(lock_);
  check(dnn().set_stream(handle_, stream_of(device_)), "cudnnSetStream");
  const Descriptor pack = Descriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
                              .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, scratch ? scratch.raw() : nullptr)
                              .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, pointers, 3)
                              .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids, 3)
                              .finalized();
  with_memory(device_,
              [&] { check(dnn().execute(handle_, plan.plan.handle(), pack.handle()), "cudnnBackendExecute"); });
}

// Whether `plan` was that of the choice, and had worked before.
bool Engine::drop(Choice& choice, const std::shared_ptr<const Plan>& plan) {
  std::lock_guard hold(lock_);
  if (choice.plan != plan) return false;
  choice.plan = nullptr;
  return std::exchange(choice.worked, false);
}

// Milliseconds; waits for the device.
float Engine::time(const Plan& plan, const Operands& o) {
  Stream& stream = *device_.current_stream();
  auto begin = device_.new_event(true), end = device_.new_event(true);
  run(plan, o);
  begin->record(stream);
  for (int i = 0; i < 3; ++i) run(plan, o);
  end->record(stream);
  end->synchronize();
  return float(begin->elapsed(*end));
}

// Once for a choice; another thread that asks meanwhile is served by our own kernels.
void Engine::keep_fastest(Choice& choice, const Operands& o) {
  Choice all;  // the engines, which are tried in turn
  {
    std::lock_guard hold(lock_);
    if (choice.timed || choice.worked) return;
    choice.timed = true;
    std::swap(all.left, choice.left);
  }
  std::shared_ptr<const Plan> best;
  float shortest = 0;
  for (size_t timed = 0; timed < most_timed; all.plan = nullptr) try {
      const std::shared_ptr<const Plan> plan = with_memory(device_, [&] { return plan_of(all); });
      if (!plan) break;
      const float t = time(*plan, o);
      ++timed;
      if (!best || t < shortest) best = plan, shortest = t;
    } catch (const Refusal&) {
    } catch (const Error& e) {
      if (e.code() != ErrorCode::memory) throw;
      if (!all.plan) break;  // no memory for a plan: the remaining engines are tried another time
    }
  std::lock_guard hold(lock_);
  if (best)
    choice.plan = best, choice.worked = true;
  else
    std::swap(choice.left, all.left);
}

// Whether the plan has run. A plan that has not is dropped, unless it has worked before and only lacks memory now.
bool Engine::try_out(Choice& choice, const std::shared_ptr<const Plan>& plan, const Operands& o) try {
  run(*plan, o);
  std::lock_guard hold(lock_);
  if (choice.plan == plan) choice.worked = true, choice.left.clear();
  return true;
} catch (const Refusal& r) {
  if (drop(choice, plan))
    warn(fmt::format(
        "cuDNN fails in a convolution that it has done before, which luth's own kernels do from now on: {}", r.text()));
  return false;
} catch (const Error& e) {
  if (e.code() != ErrorCode::memory) throw;
  std::lock_guard hold(lock_);
  if (choice.plan == plan && !choice.worked) choice.plan = nullptr;
  return false;
}

bool Engine::convolve(const DnnConv& c, const Operands& o) {
  OnDevice on(device_.index());
  if (!open()) return false;
  const std::shared_ptr<Choice> choice = this->choice(c);
  if (c.benchmark) keep_fastest(*choice, o);
  std::shared_ptr<const Plan> last;
  while (auto plan = plan_of(*choice)) {
    if (plan == last) return false;  // it lacks memory; our own kernels need less
    if (try_out(*choice, plan, o)) return true;
    last = std::move(plan);
  }
  return false;
}

Engine& engine_of(Device& device) {
  static std::mutex lock;
  static auto& all = *new std::unordered_map<Device*, Engine*>;
  std::lock_guard hold(lock);
  Engine*& e = all[&device];
  if (!e) e = new Engine(device);
  return *e;
}

}  // namespace
}  // namespace cudnn

std::string dnn_missing() { return cudnn::dnn().missing; }
int64_t dnn_version() { return cudnn::dnn().missing.empty() ? int64_t(cudnn::dnn().version()) : 0; }

bool dnn_convolve(const DnnConv& c, Device& device, const void* a, const void* b, void* out) {
  if (!cudnn::dnn().missing.empty()) return false;
  using Kind = DnnConv::Kind;
  void *first = const_cast<void*>(a), *second = const_cast<void*>(b);
  const cudnn::Operands o = c.kind == Kind::forward      ? cudnn::Operands{first, second, out}
                            : c.kind == Kind::grad_input ? cudnn::Operands{out, second, first}
                                                         : cudnn::Operands{second, out, first};
  return cudnn::engine_of(device).convolve(c, o);
}

}  // namespace luth::cuda

#endif
