// The walk of elementwise kernels over operands of any layout, and the packing of strided operands.
#include "devices/cpu/kernels/common/loops.h"

#include <algorithm>
#include <cstring>

#include "core/tensor/nest.h"

namespace luth::cpu {
namespace {

/// Whether a LoopFn takes the operands without packing; sets its argument `scalars`.
bool contiguous(const Operands& o, unsigned& scalars) {
  scalars = 0;
  for (int k = 0; k < o.count; ++k) {
    if (!o.tensor[k])
      scalars |= 1u << (k - 1);
    else if (!o.tensor[k]->is_contiguous())
      return false;
  }
  if (scalars == 0) return true;
  const bool one_of_two = o.count == 3 && scalars != 3;
  scalars |= wide;
  return one_of_two;
}

/// Calls row(pointers) for rows [begin, end) of the innermost dim. K is the count of operands; as a constant it makes
/// the walk quick.
template <int K, class Row>
void run_rows(const Nest<max_operands>& nest, char* const* data, int64_t begin, int64_t end, Row&& row) {
  int64_t at[max_dims], rest = begin;
  char* p[K];
  std::copy(data, data + K, p);
  for (int d = nest.dims - 2; d >= 0; --d) {
    at[d] = rest % nest.extent[d];
    rest /= nest.extent[d];
    for (int k = 0; k < K; ++k) p[k] += at[d] * nest.stride[d][k];
  }
  for (int64_t r = begin; r < end; ++r) {
    row(p);
    for (int d = nest.dims - 2; d >= 0; --d) {
      for (int k = 0; k < K; ++k) p[k] += nest.stride[d][k];
      if (++at[d] < nest.extent[d]) break;
      for (int k = 0; k < K; ++k) p[k] -= nest.extent[d] * nest.stride[d][k];
      at[d] = 0;
    }
  }
}

template <class T>
void copy_elements(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
}

/// Copies n elements of `size` bytes from one stride to another.
void copy_strided(size_t size, char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  switch (size) {
    case 1: return copy_elements<uint8_t>(to, to_stride, from, from_stride, n);
    case 2: return copy_elements<uint16_t>(to, to_stride, from, from_stride, n);
    case 4: return copy_elements<uint32_t>(to, to_stride, from, from_stride, n);
    default: return copy_elements<uint64_t>(to, to_stride, from, from_stride, n);
  }
}

/// A row of elements at any strides. Operands that are not contiguous are packed into small buffers, a block at a time.
class Row {
 public:
  Row(const Operands& o, const int64_t* stride, LoopFn loop, const void* f)
      : o_(o), stride_(stride), loop_(loop), f_(f) {
    for (int k = 1; k < 3 && o.count == 3; ++k)
      if (!o.tensor[k])
        scalars_ = 1u << (k - 1) | wide;
      else if (stride[k] == 0 && !scalars_)
        scalars_ = 1u << (k - 1);
    for (int k = 0; k < o.count; ++k) {
      if (k > 0 && scalars_ >> (k - 1) & 1) continue;
      if (stride[k] != int64_t(o.size[k])) packed_ |= 1u << k;
    }
  }
  void operator()(char* const* p, int64_t n) const {
    if (!packed_ || n == 1)
      loop_(f_, scalars_, p, n);
    else
      run_packed(p, n);
  }

 private:
  void run_packed(char* const* p, int64_t n) const {
    alignas(64) char buffers[max_operands][block * sizeof(int64_t)];
    char* q[max_operands];
    for (int64_t begin = 0; begin < n; begin += block) {
      int64_t m = std::min(block, n - begin);
      for (int k = 0; k < o_.count; ++k) {
        q[k] = p[k] + begin * stride_[k];
        if (!(packed_ >> k & 1)) continue;
        bool filled = stride_[k] == 0 && begin > 0;
        if (k > 0 && !filled) copy_strided(o_.size[k], buffers[k], int64_t(o_.size[k]), q[k], stride_[k], m);
        q[k] = buffers[k];
      }
      loop_(f_, scalars_, q, m);
      if (packed_ & 1) copy_strided(o_.size[0], p[0] + begin * stride_[0], stride_[0], q[0], int64_t(o_.size[0]), m);
    }
  }

  static constexpr int64_t block = 512;
  const Operands& o_;
  const int64_t* stride_;
  LoopFn loop_;
  const void* f_;
  unsigned scalars_ = 0, packed_ = 0;
};

/// Swaps the last two dims if the last one has few elements (pixel_shuffle) and the other has more, and stays in the
/// cache. A short row costs more than its elements.
void lengthen_rows(Nest<max_operands>& nest) {
  if (nest.dims < 2) return;
  const int last = nest.dims - 1;
  const int64_t n = nest.extent[last], longer = nest.extent[last - 1];
  if (n > 8 || longer < 2 * n) return;
  for (int k = 0; k < nest.count; ++k)
    if (longer * std::abs(nest.stride[last - 1][k]) > (1 << 16)) return;
  std::swap(nest.extent[last], nest.extent[last - 1]);
  std::swap(nest.stride[last], nest.stride[last - 1]);
}

}  // namespace

void run_elementwise(const Shape& shape, const Operands& o, LoopFn loop, const void* f) {
  const int64_t numel = shape.numel();
  if (numel == 0) return;
  if (unsigned scalars; numel <= grain_elements && contiguous(o, scalars)) return loop(f, scalars, o.data, numel);
  Nest<max_operands> nest(shape, o.count, o.tensor, o.size);
  lengthen_rows(nest);
  const int64_t n = nest.inner();
  const int64_t* st = nest.inner_stride();
  const Row row(o, st, loop, f);
  if (nest.dims == 1) {
    parallel_for(n, grain_elements, [&](int64_t begin, int64_t end) {
      char* p[max_operands];
      for (int k = 0; k < o.count; ++k) p[k] = o.data[k] + begin * st[k];
      row(p, end - begin);
    });
    return;
  }
  parallel_for(numel / n, std::max<int64_t>(1, grain_elements / n), [&](int64_t begin, int64_t end) {
    auto run = [&](char* const* p) { row(p, n); };
    switch (o.count) {
      case 2: return run_rows<2>(nest, o.data, begin, end, run);
      case 3: return run_rows<3>(nest, o.data, begin, end, run);
      case 4: return run_rows<4>(nest, o.data, begin, end, run);
      case 5: return run_rows<5>(nest, o.data, begin, end, run);
      default: return run_rows<6>(nest, o.data, begin, end, run);
    }
  });
}

}  // namespace luth::cpu
