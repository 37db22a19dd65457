// cuDNN 9 through its graph API: for each convolution a graph of one operation, of which the library's heuristics name
// the engines that can run it, best first. The plan made of one is kept per shape.
//
// Tests run the stand-in of tests/fakecuda/libraries instead. Descriptors, heuristics, notes, plans and variant packs
// of this file have been tried with cuDNN 9.19 and the described properties of an H200 in place of a handle, for all
// dtypes, layouts and kinds; cudnnCreate, the two HANDLE attributes and cudnnBackendExecute have not run anywhere yet.
#include "devices/cuda/dnn.h"

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

#include <cudnn_backend.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/tensor.h"
#include "core/warn.h"
#include "devices/cuda/library.h"
#include "devices/cuda/streams.h"

namespace luth::cuda {
namespace {

constexpr size_t most_choices = 4096;  // of a device; then it starts afresh
constexpr size_t most_timed = 8;       // engines that `benchmark` compares

std::string dotted(size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// The functions of the library that are called.
struct Dnn {
  Library library{"libcudnn.so.9"};
  std::string missing = library.missing();  // or what it lacks
  decltype(cudnnGetVersion)* version = nullptr;
  decltype(cudnnGetErrorString)* text = nullptr;
  decltype(cudnnCreate)* create_handle = nullptr;
  decltype(cudnnSetStream)* set_stream = nullptr;
  decltype(cudnnBackendCreateDescriptor)* create = nullptr;
  decltype(cudnnBackendDestroyDescriptor)* destroy = nullptr;
  decltype(cudnnBackendFinalize)* finalize = nullptr;
  decltype(cudnnBackendSetAttribute)* set = nullptr;
  decltype(cudnnBackendGetAttribute)* get = nullptr;
  decltype(cudnnBackendExecute)* execute = nullptr;

  Dnn() {
    if (!missing.empty()) return;
    try {
      find_all();
      if (const size_t v = version(); v / 10000 != CUDNN_MAJOR)
        missing = fmt::format("libcudnn.so.9 is cuDNN {}, and this luth knows cuDNN {}", dotted(v), CUDNN_MAJOR);
    } catch (const Error& e) { missing = e.what(); }
  }
  void find_all() {
    library.find(version, "cudnnGetVersion");
    library.find(text, "cudnnGetErrorString");
    library.find(create_handle, "cudnnCreate");
    library.find(set_stream, "cudnnSetStream");
    library.find(create, "cudnnBackendCreateDescriptor");
    library.find(destroy, "cudnnBackendDestroyDescriptor");
    library.find(finalize, "cudnnBackendFinalize");
    library.find(set, "cudnnBackendSetAttribute");
    library.find(get, "cudnnBackendGetAttribute");
    library.find(execute, "cudnnBackendExecute");
  }
};
const Dnn& dnn() {
  static const Dnn& d = *new Dnn;  // to the end of the process, as the plans
  return d;
}

/// What the library says to a request; caught here, since it means that another engine, or our own kernel, has to do.
struct Refusal {
  cudnnStatus_t status;
  const char* call;
  std::string text() const { return fmt::format("{}: {}", call, dnn().text(status)); }
  /// Not merely an engine's limit: what it was given is wrong, or it is broken.
  bool is_fault() const { return CUDNN_STATUS_CATEGORY(status) != CUDNN_STATUS_NOT_SUPPORTED; }
};
void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) throw Refusal{status, call};
}

// ---- descriptors -------------------------------------------------------------------------------------------------

/// The C++ types of attributes, and how the library calls them.
// clang-format off
template <class T> constexpr cudnnBackendAttributeType_t type_of;
template <> constexpr cudnnBackendAttributeType_t type_of<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <> constexpr cudnnBackendAttributeType_t type_of<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <> constexpr cudnnBackendAttributeType_t type_of<int64_t> = CUDNN_TYPE_INT64;
template <> constexpr cudnnBackendAttributeType_t type_of<float> = CUDNN_TYPE_FLOAT;
template <> constexpr cudnnBackendAttributeType_t type_of<double> = CUDNN_TYPE_DOUBLE;
template <> constexpr cudnnBackendAttributeType_t type_of<void*> = CUDNN_TYPE_VOID_PTR;
template <> constexpr cudnnBackendAttributeType_t type_of<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <> constexpr cudnnBackendAttributeType_t type_of<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <> constexpr cudnnBackendAttributeType_t type_of<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;
// clang-format on

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    check(dnn().create(type, &p_), "cudnnBackendCreateDescriptor");
  }
  Descriptor(Descriptor&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Descriptor() {
    if (p_) dnn().destroy(p_);
  }

  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, const T* values, int64_t count) {
    check(dnn().set(p_, name, type_of<T>, count, values), "cudnnBackendSetAttribute");
    return *this;
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, T value) {
    return set(name, &value, 1);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    check(dnn().set(p_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.p_), "cudnnBackendSetAttribute");
    return *this;
  }
  Descriptor&& finalized() {
    check(dnn().finalize(p_), "cudnnBackendFinalize");
    return std::move(*this);
  }

  template <class T>
  int64_t get(cudnnBackendAttributeName_t name, T* to, int64_t room) const {
    int64_t count = 0;
    check(dnn().get(p_, name, type_of<T>, room, &count, to), "cudnnBackendGetAttribute");
    return std::min(count, room);
  }
  /// The library fills descriptors that are made beforehand; their number is asked for first.
  std::vector<Descriptor> get_list(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type) const {
    int64_t count = 0;
    check(dnn().get(p_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr), "cudnnBackendGetAttribute");
    std::vector<Descriptor> list;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (int64_t i = 0; i < count; ++i) raw.push_back(list.emplace_back(type).p_);
    if (count)
      check(dnn().get(p_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count, raw.data()), "cudnnBackendGetAttribute");
    list.erase(list.begin() + std::min<int64_t>(count, int64_t(list.size())), list.end());
    return list;
  }
  cudnnBackendDescriptor_t handle() const { return p_; }

 private:
  cudnnBackendDescriptor_t p_ = nullptr;
};

// ---- from a convolution to the engines that can run it -------------------------------------------------------------

using Kind = DnnConv::Kind;
enum : int64_t { id_x = 'x', id_w = 'w', id_y = 'y' };

cudnnDataType_t data_type(int64_t dtype) {
  switch (Dtype(dtype)) {
    case Dtype::f16: return CUDNN_DATA_HALF;
    case Dtype::bf16: return CUDNN_DATA_BFLOAT16;
    case Dtype::f32: return CUDNN_DATA_FLOAT;
    case Dtype::f64: return CUDNN_DATA_DOUBLE;
    default: throw_unsupported(Dtype(dtype));
  }
}

// Extents are N, C, H, W in either layout; strides say which it is.
Descriptor tensor(const DnnConv& c, int64_t id, int64_t n, int64_t channels, int64_t h, int64_t w) {
  const int64_t extents[4] = {n, channels, h, w}, rows[4] = {channels * h * w, h * w, w, 1},
                last[4] = {channels * h * w, 1, channels * w, channels};
  return Descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, data_type(c.dtype))
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, extents, 4)
      .set(CUDNN_ATTR_TENSOR_STRIDES, c.channels_last ? last : rows, 4)
      .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, c.alignment)
      .finalized();
}

Descriptor window(const DnnConv& c) {
  const bool is_double = Dtype(c.dtype) == Dtype::f64;
  return Descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)
      .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t(2))
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, c.before, 2)
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, c.after, 2)
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, c.dilation, 2)
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, c.stride, 2)
      .finalized();
}

/// What the attributes of the three operations are called.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t window, x, w, y, alpha, beta;
};
constexpr Names names[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};

// The graph: one operation, which keeps the descriptors that it is made of.
Descriptor graph(const DnnConv& c, cudnnHandle_t handle) {
  const Names& n = names[size_t(c.kind)];
  const Descriptor x = tensor(c, id_x, c.n, c.ic, c.ih, c.iw), y = tensor(c, id_y, c.n, c.oc, c.oh, c.ow),
                   w = tensor(c, id_w, c.oc, c.ic / c.groups, c.kh, c.kw), step = window(c);
  Descriptor operation(n.operation);
  operation.set(n.x, x).set(n.w, w).set(n.y, y).set(n.window, step);
  if (Dtype(c.dtype) == Dtype::f64)
    operation.set(n.alpha, 1.0).set(n.beta, 0.0);
  else
    operation.set(n.alpha, 1.0f).set(n.beta, 0.0f);
  const Descriptor whole = std::move(operation).finalized();
  return Descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, whole)
      .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
      .finalized();
}

// As PyTorch reads the notes: without TF32, float32 takes no engine that uses tensor cores or rounds its inputs.
bool is_allowed(const DnnConv& c, const Descriptor& config) {
  std::vector<Descriptor> engine = config.get_list(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  if (engine.empty()) return false;
  cudnnBackendNumericalNote_t notes[32];
  const int64_t count = engine[0].get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, notes, 32);
  for (auto* note = notes; note != notes + count; ++note) {
    if (c.deterministic && *note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) return false;
    if (Dtype(c.dtype) == Dtype::f32 && !c.tf32 &&
        (*note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE || *note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))
      return false;
  }
  return true;
}

// Engine configurations, best first, those that nearly always work behind them.
std::vector<Descriptor> engines(const DnnConv& c, const Descriptor& graph) {
  std::vector<Descriptor> all;
  for (auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) try {
      const Descriptor heuristic = Descriptor(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
                                       .set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
                                       .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode)
                                       .finalized();
      for (auto& config : heuristic.get_list(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR))
        if (is_allowed(c, config)) all.push_back(std::move(config));
    } catch (const Refusal& r) {
      if (r.is_fault()) throw;
    }
  return all;
}

// ---- plans -------------------------------------------------------------------------------------------------------

struct Plan {
  Descriptor plan;
  int64_t workspace = 0;  // bytes

  Plan(const Descriptor& config, cudnnHandle_t handle)
      : plan(Descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
                 .set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
                 .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config)
                 .finalized()) {
    plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, &workspace, 1);
  }
};

struct Operands {
  void *x, *w, *y;
};

/// What is known of one convolution: the engines that are left to try, and the plan that is tried or has worked.
struct Choice {
  std::vector<Descriptor> graph;  // one; kept for what is made of it
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
  std::mutex lock_;  // of all below, and of what is in the choices
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

// The one that has worked, or that of the next engine which has one; null where none is left.
std::shared_ptr<const Plan> Engine::plan_of(Choice& choice) {
  std::lock_guard hold(lock_);
  for (; !choice.plan && !choice.left.empty(); choice.left.pop_back()) try {
      choice.plan = std::make_shared<Plan>(choice.left.back(), handle_);
    } catch (const Refusal&) {}  // the next one, then
  return choice.plan;
}

// Throws a Refusal, or ErrorCode::memory where there is none for the plan's workspace. The workspace is freed after the
// call, for what comes later in this stream.
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
  check(dnn().execute(handle_, plan.plan.handle(), pack.handle()), "cudnnBackendExecute");
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
  Choice all;  // the engines, one of which is tried after the other
  {
    std::lock_guard hold(lock_);
    if (choice.timed || choice.worked) return;
    choice.timed = true;
    std::swap(all.left, choice.left);
  }
  std::shared_ptr<const Plan> best;
  float shortest = 0;
  for (size_t timed = 0; timed < most_timed; all.plan = nullptr) {
    const std::shared_ptr<const Plan> plan = plan_of(all);
    if (!plan) break;
    try {
      const float t = time(*plan, o);
      ++timed;
      if (!best || t < shortest) best = plan, shortest = t;
    } catch (const Refusal&) {
    } catch (const Error& e) {
      if (e.code() != ErrorCode::memory) throw;
    }
  }
  if (!best) return;
  std::lock_guard hold(lock_);
  choice.plan = best, choice.worked = true;
}

// Whether the plan has run. One that has not is dropped, unless it has worked before and only lacks memory now.
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

std::string dnn_missing() { return dnn().missing; }
int64_t dnn_version() { return dnn().missing.empty() ? int64_t(dnn().version()) : 0; }

bool dnn_convolve(const DnnConv& c, Device& device, const void* a, const void* b, void* out) {
  if (!dnn().missing.empty()) return false;
  void *first = const_cast<void*>(a), *second = const_cast<void*>(b);
  const Operands o = c.kind == Kind::forward      ? Operands{first, second, out}
                     : c.kind == Kind::grad_input ? Operands{out, second, first}
                                                  : Operands{second, out, first};
  return engine_of(device).convolve(c, o);
}

}  // namespace luth::cuda

#endif
