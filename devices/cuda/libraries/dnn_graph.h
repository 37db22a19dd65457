// cuDNN 9's graph API: the functions of the library, descriptors, and the way from a convolution to an execution plan.
// Included by dnn.cpp alone (which tests replace by a stand-in), and only where the headers of cuDNN are.
#pragma once
#include <cudnn_backend.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "devices/cuda/libraries/dnn_conv.h"
#include "devices/cuda/runtime/library.h"

namespace luth::cuda::cudnn {

inline std::string dotted(size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// The functions of the library that are called.
struct Dnn {
  Library library{"libcudnn.so.9"};
  LibraryFunction<decltype(cudnnGetVersion)> version{library, "cudnnGetVersion"};
  LibraryFunction<decltype(cudnnGetErrorString)> text{library, "cudnnGetErrorString"};
  LibraryFunction<decltype(cudnnCreate)> create_handle{library, "cudnnCreate"};
  LibraryFunction<decltype(cudnnSetStream)> set_stream{library, "cudnnSetStream"};
  LibraryFunction<decltype(cudnnBackendCreateDescriptor)> create{library, "cudnnBackendCreateDescriptor"};
  LibraryFunction<decltype(cudnnBackendDestroyDescriptor)> destroy{library, "cudnnBackendDestroyDescriptor"};
  LibraryFunction<decltype(cudnnBackendFinalize)> finalize{library, "cudnnBackendFinalize"};
  LibraryFunction<decltype(cudnnBackendSetAttribute)> set{library, "cudnnBackendSetAttribute"};
  LibraryFunction<decltype(cudnnBackendGetAttribute)> get{library, "cudnnBackendGetAttribute"};
  LibraryFunction<decltype(cudnnBackendExecute)> execute{library, "cudnnBackendExecute"};
  std::string missing = library.missing();  // or that it is of another version

  Dnn() {
    if (!missing.empty()) return;
    if (const size_t v = version(); v / 10000 != CUDNN_MAJOR)
      missing = fmt::format("libcudnn.so.9 is cuDNN {}, and this luth knows cuDNN {}", dotted(v), CUDNN_MAJOR);
  }
};
inline const Dnn& dnn() {
  static const Dnn& d = *new Dnn;  // to the end of the process, as the plans
  return d;
}

/// The library's refusal of a request. It is caught: another engine, or our own kernel, then does the work.
struct Refusal {
  cudnnStatus_t status;
  const char* call;
  std::string text() const { return fmt::format("{}: {}", call, dnn().text(status)); }
  /// Not merely an engine's limit: the arguments are wrong, or the engine is broken.
  bool is_fault() const { return CUDNN_STATUS_CATEGORY(status) != CUDNN_STATUS_NOT_SUPPORTED; }
};
/// Lack of memory is no refusal: it passes, and the engine is as good as before.
inline void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const Refusal refusal{status, call};
  if (status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED || (refusal.is_fault() && is_memory_short()))
    throw Error(ErrorCode::memory, "{}", refusal.text());
  throw refusal;
}

// ---- descriptors -------------------------------------------------------------------------------------------------

/// The library's names for the C++ types of attributes.
// clang-format off
template <class T> inline constexpr cudnnBackendAttributeType_t type_of;
template <> inline constexpr cudnnBackendAttributeType_t type_of<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <> inline constexpr cudnnBackendAttributeType_t type_of<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <> inline constexpr cudnnBackendAttributeType_t type_of<int64_t> = CUDNN_TYPE_INT64;
template <> inline constexpr cudnnBackendAttributeType_t type_of<float> = CUDNN_TYPE_FLOAT;
template <> inline constexpr cudnnBackendAttributeType_t type_of<double> = CUDNN_TYPE_DOUBLE;
template <> inline constexpr cudnnBackendAttributeType_t type_of<void*> = CUDNN_TYPE_VOID_PTR;
template <> inline constexpr cudnnBackendAttributeType_t type_of<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <> inline constexpr cudnnBackendAttributeType_t type_of<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <> inline constexpr cudnnBackendAttributeType_t type_of<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;
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

inline cudnnDataType_t data_type(int64_t dtype) {
  switch (Dtype(dtype)) {
    case Dtype::f16: return CUDNN_DATA_HALF;
    case Dtype::bf16: return CUDNN_DATA_BFLOAT16;
    case Dtype::f32: return CUDNN_DATA_FLOAT;
    case Dtype::f64: return CUDNN_DATA_DOUBLE;
    default: throw_unsupported(Dtype(dtype));
  }
}

// Extents are N, C, (D,) H, W in either layout; strides say which it is.
inline Descriptor tensor(const DnnConv& c, int64_t id, int64_t n, int64_t channels, const int64_t (&spatial)[3]) {
  Shape extents{n, channels};
  for (int64_t d = 3 - c.dims; d < 3; ++d) extents.push_back(spatial[d]);
  const Strides strides = c.channels_last ? channels_last_strides(extents) : contiguous_strides(extents);
  return Descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, data_type(c.dtype))
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, extents.begin(), extents.size())
      .set(CUDNN_ATTR_TENSOR_STRIDES, strides.begin(), strides.size())
      .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, c.alignment)
      .finalized();
}

inline Descriptor window(const DnnConv& c) {
  const bool is_double = Dtype(c.dtype) == Dtype::f64;
  const int64_t skipped = 3 - c.dims;
  return Descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)
      .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, c.dims)
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, c.before + skipped, c.dims)
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, c.after + skipped, c.dims)
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, c.dilation + skipped, c.dims)
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, c.stride + skipped, c.dims)
      .finalized();
}

/// The names of the attributes of the three operations.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t window, x, w, y, alpha, beta;
};
inline constexpr Names names[] = {
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

// The graph of one operation.
inline Descriptor graph(const DnnConv& c, cudnnHandle_t handle) {
  const Names& n = names[size_t(c.kind)];
  const Descriptor x = tensor(c, id_x, c.n, c.ic, c.in), y = tensor(c, id_y, c.n, c.oc, c.out),
                   w = tensor(c, id_w, c.oc, c.ic / c.groups, c.kernel), step = window(c);
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
inline bool is_allowed(const DnnConv& c, const Descriptor& config) {
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

// Engine configurations, best first; fallbacks, which nearly always work, come last.
inline std::vector<Descriptor> engines(const DnnConv& c, const Descriptor& graph) {
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
  Descriptor plan, config;  // no document says that a plan outlives its engine's configuration
  int64_t workspace = 0;    // bytes

  /// Takes the configuration, unless it throws.
  Plan(Descriptor& engine, cudnnHandle_t handle)
      : plan(Descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
                 .set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
                 .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine)
                 .finalized()),
        config(std::move(engine)) {
    plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, &workspace, 1);
  }
};

}  // namespace luth::cuda::cudnn
