#include "devices/cuda/libraries/blas.h"

#include <cublasLt.h>

#include <array>
#include <bit>
#include <mutex>
#include <unordered_map>

#include "core/base/per_thread.h"
#include "core/tensor/tensor.h"
#include "devices/cuda/runtime/library.h"
#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {
namespace {

constexpr size_t most_workspace = 32 << 20;
constexpr size_t most_plans = 4096;  // of a thread; then it starts afresh

/// The functions of the library that are called.
struct Blas {
  Library library{"libcublasLt.so.13", "libcublasLt.so.12"};
  LibraryFunction<decltype(cublasLtGetVersion)> version{library, "cublasLtGetVersion"};
  LibraryFunction<decltype(cublasLtCreate)> create{library, "cublasLtCreate"};
  LibraryFunction<decltype(cublasLtGetStatusString)> text{library, "cublasLtGetStatusString"};
  LibraryFunction<decltype(cublasLtMatmul)> matmul{library, "cublasLtMatmul"};
  LibraryFunction<decltype(cublasLtMatmulAlgoGetHeuristic)> heuristic{library, "cublasLtMatmulAlgoGetHeuristic"};
  LibraryFunction<decltype(cublasLtMatmulDescCreate)> desc_create{library, "cublasLtMatmulDescCreate"};
  LibraryFunction<decltype(cublasLtMatmulDescDestroy)> desc_destroy{library, "cublasLtMatmulDescDestroy"};
  LibraryFunction<decltype(cublasLtMatmulDescSetAttribute)> desc_set{library, "cublasLtMatmulDescSetAttribute"};
  LibraryFunction<decltype(cublasLtMatrixLayoutCreate)> layout_create{library, "cublasLtMatrixLayoutCreate"};
  LibraryFunction<decltype(cublasLtMatrixLayoutDestroy)> layout_destroy{library, "cublasLtMatrixLayoutDestroy"};
  LibraryFunction<decltype(cublasLtMatrixLayoutSetAttribute)> layout_set{library, "cublasLtMatrixLayoutSetAttribute"};
  LibraryFunction<decltype(cublasLtMatmulPreferenceCreate)> preference_create{library,
                                                                              "cublasLtMatmulPreferenceCreate"};
  LibraryFunction<decltype(cublasLtMatmulPreferenceDestroy)> preference_destroy{library,
                                                                                "cublasLtMatmulPreferenceDestroy"};
  LibraryFunction<decltype(cublasLtMatmulPreferenceSetAttribute)> preference_set{
      library, "cublasLtMatmulPreferenceSetAttribute"};

  void check(cublasStatus_t status, const char* call) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const bool lacks = status == CUBLAS_STATUS_ALLOC_FAILED || is_memory_short();
    throw Error(lacks ? ErrorCode::memory : ErrorCode::runtime, "{}: {}", call, text(status));
  }
  template <class F, class... A>
  void call(const LibraryFunction<F>& function, A&&... arguments) const {
    check(function(std::forward<A>(arguments)...), function.name());
  }
  /// One for each device, which all threads share.
  cublasLtHandle_t handle(int device);

 private:
  std::mutex lock_;
  std::array<cublasLtHandle_t, 64> handles_{};
};

Blas& blas() {
  static Blas& b = *new Blas;  // to the end of the process: threads hold plans
  return b;
}

cublasLtHandle_t Blas::handle(int device) {
  std::lock_guard hold(lock_);
  cublasLtHandle_t& h = handles_.at(size_t(device));
  if (!h) call(create, &h);
  return h;
}

// ---- plans ----

cudaDataType_t type_of(Dtype d) {
  switch (d) {
    case Dtype::f16: return CUDA_R_16F;
    case Dtype::bf16: return CUDA_R_16BF;
    case Dtype::f32: return CUDA_R_32F;
    case Dtype::f64: return CUDA_R_64F;
    default: throw_unsupported(d);
  }
}

// The library has no algorithm, or none for this GPU: bfloat16 before compute capability 8.0.
bool is_lack(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH;
}

// In bytes, as far as algorithms make use of it.
uint32_t alignment(const void* p) {
  return p ? 1u << std::min(std::countr_zero(reinterpret_cast<uintptr_t>(p)), 8) : 256;
}

/// The key of the cache of plans: all that the choice of an algorithm depends on.
struct Key {
  std::array<int64_t, 13> values;
  bool operator==(const Key&) const = default;

  Key(int device, const Gemm& g) {
    const int64_t flags = int64_t(g.dtype) | int64_t(g.a.transposed) << 8 | int64_t(g.b.transposed) << 9 |
                          int64_t(g.bias != nullptr) << 10 | int64_t(g.tf32) << 11 | int64_t(g.epilogue) << 12 |
                          int64_t(device) << 16;
    const int64_t aligned =
        alignment(g.a.data) | alignment(g.b.data) << 9 | alignment(g.y) << 18 | int64_t(alignment(g.bias)) << 27;
    values = {flags, aligned, g.batch, g.m, g.n, g.k, g.a.ld, g.b.ld, g.y_ld, g.a.step, g.b.step, g.y_step, 0};
  }
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t h = 0;
    for (int64_t v : key.values) h = (std::rotl(h, 23) ^ uint64_t(v)) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
  }
};

/// An object of the library's that is described by attributes. `destroy` and `set_attribute`: members of Blas.
template <class Handle, auto destroy, auto set_attribute>
class OwnedHandle {
 public:
  OwnedHandle() = default;
  OwnedHandle(const OwnedHandle&) = delete;
  ~OwnedHandle() {
    if (handle_) (blas().*destroy)(handle_);
  }
  operator Handle() const { return handle_; }

 protected:
  template <class Attribute, class T>
  void set(Attribute what, const T& value) {
    blas().call(blas().*set_attribute, handle_, what, &value, sizeof value);
  }
  Handle handle_ = nullptr;
};

class Layout : public OwnedHandle<cublasLtMatrixLayout_t, &Blas::layout_destroy, &Blas::layout_set> {
 public:
  /// Of a row-major [rows, cols]: the library counts by columns, so that it sees the transpose.
  Layout(const Gemm& g, int64_t rows, int64_t cols, int64_t ld, int64_t step) {
    blas().call(blas().layout_create, &handle_, type_of(g.dtype), uint64_t(cols), uint64_t(rows), ld);
    if (g.batch == 1) return;
    const int32_t count = int32_t(g.batch);
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count);
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, step);
  }
  /// An operand of [rows, cols] after its transposition.
  Layout(const Gemm& g, int64_t rows, int64_t cols, const GemmOperand& o)
      : Layout(g, o.transposed ? cols : rows, o.transposed ? rows : cols, o.ld, o.step) {}
};

class Description : public OwnedHandle<cublasLtMatmulDesc_t, &Blas::desc_destroy, &Blas::desc_set> {
 public:
  explicit Description(const Gemm& g) {
    const bool wide = g.dtype == Dtype::f64;
    const cublasComputeType_t compute = wide     ? CUBLAS_COMPUTE_64F
                                        : g.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                 : CUBLAS_COMPUTE_32F;
    blas().call(blas().desc_create, &handle_, compute, wide ? CUDA_R_64F : CUDA_R_32F);
    // The library's first operand is our second.
    set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t(g.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N));
    set(CUBLASLT_MATMUL_DESC_TRANSB, int32_t(g.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N));
    int32_t epilogue = g.epilogue == Epilogue::relu   ? CUBLASLT_EPILOGUE_RELU
                       : g.epilogue == Epilogue::gelu ? CUBLASLT_EPILOGUE_GELU
                                                      : 0;
    if (g.bias) epilogue |= CUBLASLT_EPILOGUE_BIAS;
    if (!epilogue) return;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set_bias(g.bias);
  }
  void set_bias(const void* bias) {
    if (bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }
};

class Preference : public OwnedHandle<cublasLtMatmulPreference_t, &Blas::preference_destroy, &Blas::preference_set> {
 public:
  explicit Preference(const Gemm& g) {
    blas().call(blas().preference_create, &handle_);
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(most_workspace));
    // Parts of a sum are added in the type that computes, and rounded once.
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(g.b.data));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(g.a.data));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(g.y));
    // There is none for the bias, which is read together with D.
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, std::min(alignment(g.y), alignment(g.bias)));
  }
};

/// How one kind of product is computed.
struct Plan {
  Description description;
  Layout a, b, y;
  cublasLtMatmulHeuristicResult_t found{};
  bool usable = false;

  Plan(cublasLtHandle_t handle, const Gemm& g)
      : description(g), a(g, g.m, g.k, g.a), b(g, g.k, g.n, g.b), y(g, g.m, g.n, g.y_ld, g.y_step) {
    int count = 0;
    const cublasStatus_t status = blas().heuristic(handle, description, b, a, y, y, Preference(g), 1, &found, &count);
    if (!is_lack(status) && status != CUBLAS_STATUS_INVALID_VALUE)
      blas().check(status, "cublasLtMatmulAlgoGetHeuristic");
    usable = status == CUBLAS_STATUS_SUCCESS && count > 0 && found.state == CUBLAS_STATUS_SUCCESS;
  }
};

Plan& plan_for(int device, cublasLtHandle_t handle, const Gemm& g) {
  static constinit thread_local PerThread<std::unordered_map<Key, Plan, KeyHash>> of_thread;
  auto& plans = *of_thread;
  const Key key(device, g);
  if (auto it = plans.find(key); it != plans.end()) return it->second;
  if (plans.size() >= most_plans) plans.clear();
  return plans.try_emplace(key, handle, g).first->second;
}

}  // namespace

std::string blas_missing() { return blas().library.missing(); }
int64_t blas_version() { return blas().library.missing().empty() ? int64_t(blas().version()) : 0; }

bool blas_gemm(Device& device, const Gemm& g) {
  Blas& lib = blas();
  if (!lib.library.missing().empty()) throw Error("cuBLASLt is missing: {}", lib.library.missing());
  if (g.batch > INT32_MAX) return false;
  OnDevice on(device.index());
  const cublasLtHandle_t handle = lib.handle(device.index());
  Plan* known = &plan_for(device.index(), handle, g);
  if (!known->usable) return false;
  // Freed at return, for later work of this stream.
  Tensor workspace;
  if (known->found.workspaceSize) {
    // May run the language's collector, and with it other products: the plan is looked up again.
    workspace = Tensor::empty({int64_t(known->found.workspaceSize)}, Dtype::u8, device);
    known = &plan_for(device.index(), handle, g);
    if (!known->usable) return false;
  }
  Plan& plan = *known;
  plan.description.set_bias(g.bias);
  const float alpha = float(g.alpha), beta = float(g.beta);
  const bool wide = g.dtype == Dtype::f64;
  const cublasStatus_t status =
      lib.matmul(handle, plan.description, wide ? static_cast<const void*>(&g.alpha) : &alpha, g.b.data, plan.b,
                 g.a.data, plan.a, wide ? static_cast<const void*>(&g.beta) : &beta, g.y, plan.y, g.y, plan.y,
                 &plan.found.algo, workspace ? workspace.raw() : nullptr, plan.found.workspaceSize, stream_of(device));
  if (is_lack(status)) return plan.usable = false;
  lib.check(status, "cublasLtMatmul");
  return true;
}

}  // namespace luth::cuda
