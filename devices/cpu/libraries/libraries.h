// OpenBLAS and oneDNN for the kernels: a table of functions in libluth_cpu_libs.so. It is opened on first use, because
// the two libraries take longer to load than luth takes to start.
#pragma once
#include <cstdint>
#include <memory>

#include "core/base/dtype.h"

namespace luth::cpu {

/// A convolution; also the key of the cache of oneDNN's primitives. Lists have depth, height and width; with
/// fewer spatial dims the first ones have extent 1 and a window of 1.
struct ConvShape {
  enum class Kind : int64_t { forward, grad_input, grad_weight };
  Kind kind;
  int64_t dims;  // spatial ones
  int64_t n, groups;
  int64_t ic, oc;         // channels of all groups
  int64_t in[3], out[3];  // extents of input and output
  int64_t kernel[3], stride[3], dilation[3];
  int64_t lo[3], hi[3];   // padding before and after
  int64_t channels_last;  // 1: input and output are N…C and filters O…I; 0: NC… and OI…
  int64_t bias;           // 1: with a bias (forward)
  int64_t bf16;           // 1: of bfloat16, though gradients of filters are float; 0: of float
  int64_t in_area() const { return in[0] * in[1] * in[2]; }
  int64_t out_area() const { return out[0] * out[1] * out[2]; }
  int64_t kernel_area() const { return kernel[0] * kernel[1] * kernel[2]; }
  bool operator==(const ConvShape&) const = default;
};

/// B of a bfloat16 product lies in panels of so many columns, one behind the other, the last filled up with zeros. A
/// panel [rows / 2][columns][2] has pairs of elements that lie below each other; with zeros, its rows are a multiple
/// of 32.
inline constexpr int64_t bf16_panel_cols = 64;
/// What is done with the sums: C = alpha sums + beta C, as float if `wide`, else rounded once.
struct Bf16Steps {
  float alpha, beta;
  bool wide;
};

struct Lapack;       // lapack.h
struct Primitive;    // onednn.cpp
struct ConvFilters;  // onednn.cpp

/// Each function works on the calling thread only; several threads may call at once.
struct Libs {
  /// Whether the processor has instructions for bfloat16 products.
  bool (*has_bf16)();
  /// Code for a product A[m,k] B[k,n] of bfloat16 with sums in float; null where oneDNN has none that is fast. A and C
  /// are dense, B lies in panels.
  std::shared_ptr<const Primitive> (*bf16_product)(int64_t m, int64_t n, int64_t k, const Bf16Steps& steps);
  /// Runs it. C is not read where beta is 0.
  void (*multiply_bf16)(const std::shared_ptr<const Primitive>& product, const bfloat16* a, const bfloat16* b, void* c);
  /// Filters in the layout of oneDNN's code for a forward or grad_input, for many calls of `conv`; null where it takes
  /// them as they are, or where there is none.
  std::shared_ptr<const ConvFilters> (*conv_filters)(const ConvShape& s, const void* w);
  /// forward: out = y of (x, w, bias?); grad_input: out = dx of (dy, w); grad_weight: out = dw of (dy, x). `filters`:
  /// those of b, or null. False where oneDNN has no safe code for the shape (onednn.cpp).
  bool (*conv)(const ConvShape& s, const void* a, const void* b, const void* bias, void* out,
               const ConvFilters* filters);
  const Lapack* lapack;
  /// Maps the address space that so many threads need to call OpenBLAS at once, which waits for ever where there is
  /// none left. To be called where there is room for it.
  void (*reserve)(int callers);
};

/// Opens the library on first use; throws with the reason when it cannot, with ErrorCode::memory where it needs more
/// address space than `ulimit -v` leaves.
const Libs& libs();
/// The same for callers that can do without: null from the first call on for which there is too little address space. A
/// warning says so.
const Libs* libs_where_they_fit();

}  // namespace luth::cpu
