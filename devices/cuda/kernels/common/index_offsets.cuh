// Offsets of the elements that index tensors pick, reading and checking of positions, and moves of memory by the width
// of its elements.
#pragma once
#include "devices/cuda/kernels/common/copy.h"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/kernels.h"

namespace luth::cuda {

/// i / n for numbers that are not negative; most fit 32 bits, where it takes a tenth of the time.
__device__ inline int64_t divide(int64_t i, int64_t n) {
  return ((i | n) >> 31) == 0 ? int64_t(uint32_t(i) / uint32_t(n)) : i / n;
}

/// Bytes from the starts of `count` operands to element i of some dims that they share, counted row-major.
template <int count>
struct Offsets {
  int dims = 0;
  int64_t extent[max_dims] = {}, stride[max_dims][count] = {};

  /// Adds an inner dim; it is merged with the dim before where every operand walks both in one stride. Strides in
  /// bytes.
  template <class... S>
  void add(int64_t n, S... bytes) {
    static_assert(sizeof...(S) == count);
    if (n == 1) return;
    const int64_t st[count] = {int64_t(bytes)...};
    bool merge = dims > 0;
    for (int k = 0; k < count; ++k) merge = merge && stride[dims - 1][k] == st[k] * n;
    if (merge)
      extent[dims - 1] *= n;
    else
      extent[dims++] = n;
    for (int k = 0; k < count; ++k) stride[dims - 1][k] = st[k];
  }
  /// True where all operands have their elements, of `size` bytes, side by side.
  bool dense(int64_t size) const {
    bool all = dims <= 1;
    for (int k = 0; k < count && dims == 1; ++k) all = all && stride[0][k] == size;
    return all;
  }
  /// Groups `factor` neighbouring elements into one.
  void widen(int64_t factor) {
    if (dims == 1) extent[0] /= factor;
    for (int k = 0; k < count && dims == 1; ++k) stride[0][k] *= factor;
  }
  /// All strides together, for unit_of().
  int64_t bits() const {
    int64_t all = 0;
    for (int d = 0; d < dims; ++d)
      for (int k = 0; k < count; ++k) all |= stride[d][k];
    return all;
  }
  __device__ void find(int64_t i, int64_t (&at)[count]) const {
    for (int k = 0; k < count; ++k) at[k] = 0;
#pragma unroll 1
    for (int d = dims - 1; d >= 0; --d) {
      const int64_t rest = d ? divide(i, extent[d]) : 0, j = i - rest * extent[d];
      for (int k = 0; k < count; ++k) at[k] += j * stride[d][k];
      i = rest;
    }
  }
  __device__ int64_t find(int64_t i) const {
    static_assert(count == 1);
    int64_t at[count];
    find(i, at);
    return at[0];
  }
};

inline int64_t stride_bytes(const Tensor& t, int dim) { return t.strides()[dim] * int64_t(size_of(t.dtype())); }
/// Of one tensor's elements.
inline Offsets<1> offsets_of(const Tensor& t) {
  Offsets<1> o;
  for (int d = 0; d < t.dim(); ++d) o.add(t.shape()[d], stride_bytes(t, d));
  return o;
}
/// A tensor without dims as one with one dim.
inline Tensor with_dims(const Tensor& t) {
  return t.dim() ? t : Tensor::alias(t.storage(), {1}, {1}, t.offset(), t.dtype());
}

// ---- moves --------------------------------------------------------------------------------------------------------

struct alignas(16) Sixteen {
  uint64_t v[2];
};

/// The largest number of bytes, up to 16, that divides all that are or-ed together in `bytes`.
inline int64_t unit_of(int64_t bytes) { return (bytes | 16) & -(bytes | 16); }
inline int64_t address(const void* p) { return int64_t(reinterpret_cast<uintptr_t>(p)); }

/// by_width(), and 16 bytes too.
template <class F>
void by_unit(int64_t bytes, F&& f) {
  if (bytes == 16) return f(Type<Sixteen>());
  by_width(bytes, std::forward<F>(f));
}

/// Blocks of threads over rows of columns: threadIdx.x goes along the columns, as many as one row needs.
struct RowGrid {
  dim3 grid, block;
  RowGrid(int64_t rows, int64_t columns) {
    unsigned x = 1;
    while (x < 256 && x < columns) x *= 2;
    block = dim3(x, 256 / x);
    const int64_t across = (columns + x - 1) / x, down = (rows + block.y - 1) / block.y;
    const int64_t most = multiprocessors() * 32;
    grid.x = unsigned(std::clamp<int64_t>(down, rows > 0, most));
    grid.y = unsigned(std::clamp<int64_t>(across, columns > 0, std::max<int64_t>(1, most / std::max(1u, grid.x))));
  }
};
__device__ inline int64_t first_row() { return int64_t(blockIdx.x) * blockDim.y + threadIdx.y; }
__device__ inline int64_t row_step() { return int64_t(gridDim.x) * blockDim.y; }
__device__ inline int64_t first_column() { return int64_t(blockIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline int64_t column_step() { return int64_t(gridDim.y) * blockDim.x; }

// ---- positions ----------------------------------------------------------------------------------------------------

/// A row-major index tensor of any integer dtype.
class IndexReader {
 public:
  IndexReader() = default;
  explicit IndexReader(const Tensor& t) : data_(t.raw()), dtype_(t.dtype()) {}
  __device__ int64_t operator[](int64_t i) const {
    switch (dtype_) {
      case Dtype::i64: return static_cast<const int64_t*>(data_)[i];
      case Dtype::i32: return static_cast<const int32_t*>(data_)[i];
      case Dtype::i16: return static_cast<const int16_t*>(data_)[i];
      case Dtype::i8: return static_cast<const int8_t*>(data_)[i];
      default: return static_cast<const uint8_t*>(data_)[i];
    }
  }

 private:
  const void* data_ = nullptr;
  Dtype dtype_ = Dtype::i64;
};

/// Index tensors of one shape, each of which picks from one dim; a kernel's parameter.
struct Picks {
  int count = 0;
  int64_t numel = 1;  // of each index tensor
  struct {
    IndexReader index;
    IndexCheck check;
    int64_t bound, stride;
  } pick[max_dims];

  /// The offset that element j of the index tensors names.
  __device__ int64_t offset(int64_t j) const {
    int64_t at = 0;
#pragma unroll 1
    for (int p = 0; p < count; ++p) at += pick[p].check(pick[p].index[j], pick[p].bound, j) * pick[p].stride;
    return at;
  }
};

/// Picks, with the tensors that they read: they must live until the kernel is started.
class PickList {
 public:
  PickList() = default;
  PickList(const Tensor& index, int64_t bound, int64_t stride, int base, bool wrap = false,
           std::string_view what = "index") {
    add(index, bound, stride, base, wrap, what);
  }
  /// `stride`: how much one position counts.
  void add(const Tensor& index, int64_t bound, int64_t stride, int base, bool wrap = false,
           std::string_view what = "index") {
    kept_.push_back(row_major(index));
    picks_.numel = index.numel();
    picks_.pick[picks_.count++] = {IndexReader(kept_.back()), check_indices(index, base, wrap, what), bound, stride};
    nothing_ = nothing_ || (bound == 0 && index.numel() > 0);
  }
  const Picks& picks() const { return picks_; }
  int64_t numel() const { return picks_.numel; }
  int64_t bits() const {
    int64_t all = 0;
    for (int p = 0; p < picks_.count; ++p) all |= picks_.pick[p].stride;
    return all;
  }
  /// True where a dim has no elements but is indexed: every index is reported as an error, and nothing else is to do.
  bool report_all(const Tensor& y) const;

 private:
  Picks picks_;
  Tensors kept_;
  bool nothing_ = false;
};

/// keys[j] = from.find(j) + picks.offset(j); `none` where picks.offset(j) is `skip`.
Tensor pick_keys(const PickList& picks, const Tensor& y, const Offsets<1>& from = {}, int64_t skip = -1,
                 int64_t none = -1);

/// Offsets, in bytes, into the tensor that is picked from. The result is row-major over {before, index, after}. The
/// strides of the picks are in bytes too.
struct PickedRows {
  Offsets<1> before, beside, after;  // `beside`: dims of the index tensors that pick nothing
  int64_t before_numel = 1, after_numel = 1;

  void add_before(const Tensor& x, int dim) { add(before, before_numel, x, dim); }
  void add_after(const Tensor& x, int dim) { add(after, after_numel, x, dim); }

 private:
  static void add(Offsets<1>& to, int64_t& numel, const Tensor& x, int dim) {
    to.add(x.shape()[dim], stride_bytes(x, dim));
    numel *= x.shape()[dim];
  }
};
/// y = the rows picked from x.
void pick_rows(Tensor& y, const Tensor& x, const PickList& picks, PickedRows at);

}  // namespace luth::cuda
