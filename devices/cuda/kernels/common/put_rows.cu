// Scatter of rows: see put_rows.h. A write must find the last row for each slot: where slots are not many more than
// rows, by a maximum per slot, else by sorting rows by slot. Sums and products are segmented reductions of the sorted
// rows, in chunks; partial sums of a slot from several chunks are joined by a second kernel.
#include "devices/cuda/kernels/common/put_rows.h"

#include "devices/cuda/kernels/common/order.h"

namespace luth::cuda {
namespace {

// ---- writes -------------------------------------------------------------------------------------------------------

// last[slot] = the largest row for it, from 1; 0: none. The maximum does not depend on the order of threads.
__global__ void last_kernel(const int64_t* keys, int64_t n, int64_t slots, unsigned long long* last) {
  for (const int64_t j : grid_stride(n))
    if (keys[j] < slots) atomicMax(&last[keys[j]], static_cast<unsigned long long>(j) + 1);
}

/// Whether row r is written: all rows, or the rows named by `last`, or the last row of each run of equal sorted keys.
/// Row r of sorted keys is positions[r] of the source.
struct Written {
  const int64_t* keys;
  const uint32_t* positions;
  const unsigned long long* last;
  __device__ bool operator()(int64_t r, int64_t rows) const {
    if (last) return last[keys[r]] == static_cast<unsigned long long>(r) + 1;
    return !positions || r + 1 == rows || keys[r + 1] != keys[r];
  }
};

template <class U>
__global__ void write_kernel(char* y, const char* source, RowSlots at, Written written) {
  for (int64_t r = first_row(); r < at.rows; r += row_step()) {
    if (written.keys[r] >= at.slots || !written(r, at.rows)) continue;
    char* to = y + at.target.find(written.keys[r]);
    const char* from = source + at.source.find(written.positions ? int64_t(written.positions[r]) : r);
    for (int64_t c = first_column(); c < at.columns_numel; c += column_step()) {
      int64_t k[2];
      at.columns.find(c, k);
      *reinterpret_cast<U*>(to + k[0]) = *reinterpret_cast<const U*>(from + k[1]);
    }
  }
}

void write_rows(Tensor& y, const Tensor& source, const Tensor& keys, RowSlots at) {
  Written written{keys.data<int64_t>(), nullptr, nullptr};
  Tensor last;
  Ordered ordered{};
  const bool same = at.rows == 1 || at.source.bits() == 0;  // it does not matter which row is the last
  if (!same && at.slots <= 8 * at.rows) {
    last = Tensor::empty({at.slots}, Dtype::i64, y.device());
    y.device().fill_zero(last.raw(), last.bytes());
    start(y, last_kernel, blocks_for(at.rows, 256), 256, 0, written.keys, at.rows, at.slots,
          last.data<unsigned long long>());
    written.last = last.data<unsigned long long>();
  } else if (!same) {
    ordered = order_by_key(keys, at.slots);
    written = {ordered.keys, ordered.positions, nullptr};
  }
  const int64_t size = int64_t(size_of(y.dtype()));
  int64_t unit = size;
  if (at.columns.dense(size)) {
    unit = unit_of(at.columns_numel * size | at.target.bits() | at.source.bits() | address(y.raw()) |
                   address(source.raw()));
    at.columns.widen(unit / size);
    at.columns_numel = at.columns_numel * size / unit;
  }
  by_unit(unit, [&]<class U>(Type<U>) {
    const RowGrid g(at.rows, at.columns_numel);
    start(y, write_kernel<U>, g.grid, g.block, 0, y.data<char>(), source.data<char>(), at, written);
  });
}

// ---- sums and products ----------------------------------------------------------------------------------------------

/// Rows sorted by slot, in chunks of `chunk` rows. A run is the rows of one slot.
struct Runs {
  const int64_t* keys;
  const uint32_t* positions;
  int64_t rows, slots;
  int chunk;

  __device__ int64_t begin(int64_t q) const { return q * chunk; }
  __device__ int64_t end(int64_t q) const { return q * chunk + chunk < rows ? q * chunk + chunk : rows; }
  __device__ bool starts(int64_t r) const { return r == 0 || keys[r - 1] != keys[r]; }
  __device__ bool ends(int64_t r) const { return r + 1 == rows || keys[r + 1] != keys[r]; }
};

template <class A>
struct Joining {
  ops::Join how;
  A alpha;
  __device__ A scaled(A v) const {
    if constexpr (std::is_integral_v<A>)
      return A(uint64_t(alpha) * uint64_t(v));
    else
      return alpha * v;
  }
  A first;  // the identity, with which a run begins
  __device__ A operator()(A a, A b) const {
    using W = std::conditional_t<std::is_integral_v<A>, uint64_t, A>;  // integers wrap
    switch (how) {
      case ops::Join::multiply: return A(W(a) * W(b));
      case ops::Join::larger: return b > a || b != b ? b : a;
      case ops::Join::smaller: return b < a || b != b ? b : a;
      default: return A(W(a) + W(b));
    }
  }
};

template <class T, class A>
__device__ void join_to(char* y, A v, const Joining<A>& join) {
  T* to = reinterpret_cast<T*>(y);
  *to = cast<T>(join(A(static_cast<compute_t<T>>(*to)), v));
}

// partial[0][chunk][column]: the chunk's part of a run that has begun before it; partial[1]: its part of a run that
// goes on after it. Runs within a chunk are joined to the target at once: no other thread touches their slot.
template <class T, class A>
__global__ void chunks_kernel(char* y, const char* source, RowSlots at, Runs runs, Joining<A> join, A* partial) {
  const int64_t chunks = (runs.rows + runs.chunk - 1) / runs.chunk;
  for (int64_t q = first_row(); q < chunks; q += row_step()) {
    for (int64_t c = first_column(); c < at.columns_numel; c += column_step()) {
      int64_t k[2];
      at.columns.find(c, k);
      A* head = partial + q * at.columns_numel + c;
      A sum = join.first;
      bool whole = runs.starts(runs.begin(q));
      for (int64_t r = runs.begin(q); r < runs.end(q); ++r) {
        const int64_t key = runs.keys[r];
        if (key >= runs.slots) break;  // such keys come last
        const T v = *reinterpret_cast<const T*>(source + at.source.find(runs.positions[r]) + k[1]);
        sum = join(sum, join.scaled(A(static_cast<compute_t<T>>(v))));
        if (runs.ends(r)) {
          if (whole)
            join_to<T>(y + at.target.find(key) + k[0], sum, join);
          else
            *head = sum;
          sum = join.first;
          whole = true;
        } else if (r + 1 == runs.end(q)) {
          head[whole ? chunks * at.columns_numel : 0] = sum;
        }
      }
    }
  }
}

// The chunk in which a run of several begins adds up the run's parts, in order.
template <class T, class A>
__global__ void join_kernel(char* y, RowSlots at, Runs runs, Joining<A> join, const A* partial) {
  const int64_t chunks = (runs.rows + runs.chunk - 1) / runs.chunk;
  for (int64_t q = first_row(); q < chunks; q += row_step()) {
    const int64_t last = runs.end(q) - 1, key = runs.keys[last];
    const bool began_before = runs.keys[runs.begin(q)] == key && !runs.starts(runs.begin(q));
    if (key >= runs.slots || runs.ends(last) || began_before) continue;
    for (int64_t c = first_column(); c < at.columns_numel; c += column_step()) {
      A sum = partial[(chunks + q) * at.columns_numel + c];
      for (int64_t p = q + 1; p < chunks && runs.keys[runs.begin(p)] == key; ++p)
        sum = join(sum, partial[p * at.columns_numel + c]);
      int64_t k[2];
      at.columns.find(c, k);
      join_to<T>(y + at.target.find(key) + k[0], sum, join);
    }
  }
}

template <class A>
A first_of(ops::Join how) {
  using L = std::numeric_limits<A>;
  switch (how) {
    case ops::Join::multiply: return A(1);
    case ops::Join::larger: return L::has_infinity ? -L::infinity() : L::min();
    case ops::Join::smaller: return L::has_infinity ? L::infinity() : L::max();
    default: return A(0);
  }
}

// Calls f with the types of elements and of sums. Sums and products of bool are `or` and `and` by way
// of counting.
template <class F>
void by_arithmetic(Dtype d, F&& f) {
  switch (d) {
    case Dtype::f16: return f(Type<half>(), Type<float>());
    case Dtype::bf16: return f(Type<bfloat16>(), Type<float>());
    case Dtype::f32: return f(Type<float>(), Type<float>());
    case Dtype::f64: return f(Type<double>(), Type<double>());
    case Dtype::boolean: return f(Type<bool>(), Type<int64_t>());
    case Dtype::u8: return f(Type<uint8_t>(), Type<int64_t>());
    case Dtype::i8: return f(Type<int8_t>(), Type<int64_t>());
    case Dtype::i16: return f(Type<int16_t>(), Type<int64_t>());
    case Dtype::i32: return f(Type<int32_t>(), Type<int64_t>());
    default: return f(Type<int64_t>(), Type<int64_t>());
  }
}

void join_rows(Tensor& y, const Tensor& source, const Tensor& keys, const RowSlots& at, ops::Join how,
               const Scalar& alpha) {
  const Ordered ordered = order_by_key(keys, at.slots);
  const int chunk = at.columns_numel >= 32 ? 32 : 8;  // few columns: more threads
  const Runs runs{ordered.keys, ordered.positions, at.rows, at.slots, chunk};
  const int64_t chunks = (at.rows + chunk - 1) / chunk;
  const RowGrid g(chunks, at.columns_numel);
  by_arithmetic(y.dtype(), [&]<class T, class A>(Type<T>, Type<A>) {
    const Joining<A> join{how, y.dtype() == Dtype::boolean ? A(alpha.to<bool>()) : alpha.to<A>(), first_of<A>(how)};
    const Tensor partial = Tensor::empty({2, chunks, at.columns_numel}, dtype_of<A>, y.device());
    start(y, chunks_kernel<T, A>, g.grid, g.block, 0, y.data<char>(), source.data<char>(), at, runs, join,
          partial.data<A>());
    if (chunks > 1) start(y, join_kernel<T, A>, g.grid, g.block, 0, y.data<char>(), at, runs, join, partial.data<A>());
  });
}

}  // namespace

void put_rows(Tensor& y, const Tensor& source, const Tensor& keys, RowSlots at, ops::Join join, const Scalar& alpha) {
  at.rows = keys.numel();
  if (at.rows == 0 || at.columns_numel == 0 || at.slots == 0) return;
  if (join == ops::Join::write)
    write_rows(y, source, keys, at);
  else
    join_rows(y, source, keys, at, join, alpha);
}

Tensor one_element(const Value& v, const Tensor& like) {
  if (v.is_tensor()) return cast_to(v.tensor().detach(), like.dtype());
  Tensor t = Tensor::empty({1}, like.dtype(), like.device());
  copy_elements(t, v);
  return t;
}

}  // namespace luth::cuda
