// Masks on CUDA: elements picked, replaced and filled where a mask is true, and the positions of elements that are not
// 0. Stream compaction in order of memory: counts per block, an exclusive scan of the counts, then each block writes.
#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/select.h"
#include "core/ops/index/mask.h"
#include "core/ops/reduce/scan.h"
#include "devices/cuda/kernels/common/block.cuh"
#include "devices/cuda/kernels/common/element.cuh"
#include "devices/cuda/kernels/common/elementwise.cuh"
#include "devices/cuda/kernels/common/index_offsets.cuh"
#include "devices/cuda/runtime/index_check.h"

namespace luth::cuda {
namespace {

/// n elements of `width` bytes; they count as true where a bit of `bits` is set, so -0 is false.
struct Flags {
  const char* data;
  Offsets<1> at;
  int64_t n;
  uint64_t bits;
  int width;

  explicit Flags(const Tensor& t)
      : data(t.data<const char>()),
        at(offsets_of(t)),
        n(t.numel()),
        bits(is_floating(t.dtype()) ? ~uint64_t(0) >> (65 - 8 * size_of(t.dtype())) : ~uint64_t(0)),
        width(int(size_of(t.dtype()))) {}
  __device__ bool operator()(int64_t i) const {
    const char* p = data + at.find(i);
    switch (width) {
      case 1: return (*reinterpret_cast<const uint8_t*>(p) & bits) != 0;
      case 2: return (*reinterpret_cast<const uint16_t*>(p) & bits) != 0;
      case 4: return (*reinterpret_cast<const uint32_t*>(p) & bits) != 0;
      default: return (*reinterpret_cast<const uint64_t*>(p) & bits) != 0;
    }
  }
};

// A warp takes 16 times 32 neighbours.
constexpr int rounds = 16, warps = threads / 32, per_warp = 32 * rounds, per_block = warps * per_warp;

/// Bit k: whether flag k * 32 + lane of the warp's flags is true.
__device__ unsigned flags_of_thread(const Flags& flags, int64_t first) {
  unsigned mine = 0;
#pragma unroll 4
  for (int k = 0; k < rounds; ++k) {
    const int64_t i = first + k * 32;
    if (i < flags.n && flags(i)) mine |= 1u << k;
  }
  return mine;
}
/// counts[b]: how many flags of block b are true.
__global__ void __launch_bounds__(threads) count_kernel(const __grid_constant__ Flags flags, int64_t* counts) {
  const int64_t first = int64_t(blockIdx.x) * per_block + threadIdx.x / 32 * per_warp + threadIdx.x % 32;
  const int own = __popc(flags_of_thread(flags, first));
  const int total = block_reduce(own, Plus(), 0, dynamic_shared<int>());
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

/// put(i, r) for every i whose flag is true; r: the true flags before it; ends[b]: how many are true in blocks 0 to b.
template <class Put>
__global__ void __launch_bounds__(threads)
    rank_kernel(const __grid_constant__ Flags flags, const int64_t* ends, const __grid_constant__ Put put) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t first = int64_t(blockIdx.x) * per_block + warp * per_warp + lane;
  const unsigned mine = flags_of_thread(flags, first);
  int* totals = dynamic_shared<int>();
  const int total = warp_reduce(__popc(mine), Plus());
  if (lane == 0) totals[warp] = total;
  __syncthreads();
  int64_t rank = blockIdx.x ? ends[blockIdx.x - 1] : 0;
  for (int w = 0; w < warp; ++w) rank += totals[w];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    const unsigned all = __ballot_sync(all_lanes, mine >> k & 1);
    if (mine >> k & 1) put(first + k * 32, rank + __popc(all & ((1u << lane) - 1)));
    rank += __popc(all);
  }
}
template <class Put>
void each_true(const Tensor& y, const Tensor& mask, const Put& put) {
  const Flags flags(mask);
  if (flags.n == 0) return;
  NoGrad no_grad;
  const int64_t blocks = (flags.n + per_block - 1) / per_block;
  const Tensor counts = Tensor::empty({blocks}, Dtype::i64, y.device());
  start(y, count_kernel, unsigned(blocks), threads, (warps + 1) * sizeof(int), flags, counts.data<int64_t>());
  const Tensor ends = blocks == 1 ? counts : cumsum(counts, {.dim = 0});
  start(y, rank_kernel<Put>, unsigned(blocks), threads, warps * sizeof(int), flags, ends.data<const int64_t>(), put);
}

struct Pick {
  const char* from;
  Offsets<1> at;
  void* to;
  int width;
  __device__ void operator()(int64_t i, int64_t rank) const { copy_element(to, rank, from + at.find(i), 0, width); }
};
void masked_select(const ops::MaskedSelect&, Tensor& y, const Strided& x, const Strided& mask) {
  each_true(y, mask, Pick{x.data<const char>(), offsets_of(x), y.raw(), int(size_of(x.dtype()))});
}

struct Replace {
  const char* from;
  Offsets<1> at_from;
  int64_t available;
  char* to;
  Offsets<1> at_to;
  int width;
  IndexCheck check;
  __device__ void operator()(int64_t i, int64_t rank) const {
    if (rank == available) check(rank + 1, available, i);
    if (rank < available) copy_element(to + at_to.find(i), 0, from + at_from.find(rank), 0, width);
  }
};
void masked_replace(const ops::MaskedReplace&, Tensor& y, const Strided& x, const Strided& mask,
                    const Strided& source) {
  NoGrad no_grad;
  const IndexCheck check = check_indices(mask, 1, false, "the place in source of a true element of mask");
  if (y.raw() != x.raw() || !(y.strides() == x.strides())) copy.into(y.detach(), x);
  each_true(y, mask,
            Replace{source.data<const char>(), offsets_of(source), source.numel(), y.data<char>(), offsets_of(y),
                    int(size_of(y.dtype())), check});
  wait_if_exact(y.device());
}

struct Position {
  int64_t* to;
  int dims, base;
  int64_t extent[max_dims];
  __device__ void operator()(int64_t i, int64_t rank) const {
#pragma unroll 1
    for (int d = dims - 1; d >= 0; --d) {
      const int64_t rest = i / extent[d];
      to[rank * dims + d] = i - rest * extent[d] + base;
      i = rest;
    }
  }
};
void nonzero(const ops::Nonzero& op, Tensor& y, const Strided& x) {
  Position put{y.data<int64_t>(), x.dim(), op.base, {}};
  std::copy(x.shape().begin(), x.shape().end(), put.extent);
  each_true(y, x, put);
}

/// The value as elements of y's dtype: the bits of a number as an integer, a tensor as it is.
Value filling(const Value& value, const Tensor& y) {
  if (value.is_scalar()) {
    int64_t bits = 0;
    dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
      const T v = value.scalar().to<T>();
      std::memcpy(&bits, &v, sizeof v);
    });
    const int unused = 64 - 8 * int(size_of(y.dtype()));
    return Value(Scalar(int64_t(uint64_t(bits) << unused) >> unused));
  }
  NoGrad no_grad;
  const Tensor& t = value.tensor();
  const Tensor one = cast_to(Tensor::alias(t.storage(), {}, {}, t.offset(), t.dtype()), y.dtype());
  return Value(Tensor::alias(one.storage(), y.shape(), Strides(size_t(y.dim()), 0), one.offset(), one.dtype()));
}
void masked_fill(const ops::MaskedFill&, Tensor& y, const Value& x, const Value& mask, const Value& value) {
  if (y.numel() == 0) return;
  const Value v = filling(value, y);
  by_width(y.dtype(), [&]<class W>(Type<W>) {
    using I = std::make_signed_t<W>;
    elementwise<I, bool, I, I>(y, dtype_of<I>, ops::WhereFunctor(), mask, v, x);
  });
}

const Kernel<masked_fill> masked_fill_;
const Kernel<masked_select> masked_select_;
const Kernel<masked_replace> masked_replace_;
const Kernel<nonzero> nonzero_;

}  // namespace
}  // namespace luth::cuda
