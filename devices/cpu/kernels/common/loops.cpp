// The walk of elementwise kernels over operands of any layout, and the packing of strided operands.
#include "devices/cpu/kernels/common/loops.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/tensor/nest.h"
#include "devices/cpu/kernels/common/convert.h"
#include "devices/cpu/kernels/common/copy_short.h"
#include "devices/cpu/kernels/common/transpose.h"

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
  return o.count == 3 && scalars != 3;
}

/// A LoopFn with its context. 16-bit floats come and go by blocks, which stay in the nearest cache.
class Loop {
 public:
  Loop(LoopFn fn, const void* f, const Operands& o) : fn_(fn), f_(f), o_(o) {}
  void operator()(unsigned scalars, char* const* p, int64_t n) const {
    if (o_.dtype)
      run_widened(scalars, p, n);
    else
      fn_(f_, scalars, p, n);
  }

 private:
  void run_widened(unsigned scalars, char* const* p, int64_t n) const {
    alignas(64) float buffers[max_operands][block];
    char* q[max_operands];
    for (int64_t begin = 0; begin < n; begin += block) {
      const int64_t m = std::min(block, n - begin);
      for (int k = 0; k < o_.count; ++k) {
        const bool scalar = k > 0 && scalars >> (k - 1) & 1;
        q[k] = p[k] + (scalar ? 0 : begin * int64_t(o_.size[k]));
        if (!is_half_float(o_.dtype[k]) || (scalar && !o_.tensor[k])) continue;
        if (k > 0)
          dispatch(NarrowFloats{}, o_.dtype[k], [&]<class T>(Type<T>) {
            convert_row(reinterpret_cast<const T*>(q[k]), buffers[k], scalar ? 1 : m);
          });
        q[k] = reinterpret_cast<char*>(buffers[k]);
      }
      fn_(f_, scalars, q, m);
      if (is_half_float(o_.dtype[0]))
        dispatch(NarrowFloats{}, o_.dtype[0],
                 [&]<class T>(Type<T>) { convert_row(buffers[0], reinterpret_cast<T*>(p[0]) + begin, m); });
    }
  }

  using NarrowFloats = Types<half, bfloat16>;
  static constexpr int64_t block = 512;
  LoopFn fn_;
  const void* f_;
  const Operands& o_;
};

/// Where row r of the innermost dim begins: the pointers of the first `count` operands, and its place along each dim
/// before.
void seek_row(const Nest<max_operands>& nest, int count, char* const* data, int64_t r, char** p, int64_t* at) {
  std::copy(data, data + count, p);
  for (int d = nest.dims - 2; d >= 0; --d) {
    at[d] = r % nest.extent[d];
    r /= nest.extent[d];
    for (int k = 0; k < count; ++k) p[k] += at[d] * nest.stride[d][k];
  }
}

/// Calls f(pointers, rows) for rows [begin, end) of the innermost dim, `rows` of them along the dim before it. K is the
/// count of operands; as a constant it makes the walk quick.
template <int K, class F>
void each_rows(const Nest<max_operands>& nest, char* const* data, int64_t begin, int64_t end, F&& f) {
  const int before = nest.dims - 2;
  int64_t at[max_dims];
  char* p[K];
  seek_row(nest, K, data, begin, p, at);
  for (int64_t r = begin, m; r < end; r += m) {
    m = std::min(end - r, nest.extent[before] - at[before]);
    f(p, m);
    for (int k = 0; k < K; ++k) p[k] += m * nest.stride[before][k];
    at[before] += m;
    for (int d = before; d > 0 && at[d] == nest.extent[d]; --d) {
      for (int k = 0; k < K; ++k) p[k] += nest.stride[d - 1][k] - nest.extent[d] * nest.stride[d][k];
      at[d] = 0, ++at[d - 1];
    }
  }
}

/// out[i] = in[-i]. Vectors are short, as rows may be, and few of their reads cross lines of the cache; the last one
/// may overlap the one before.
template <class T>
void copy_reversed(T* __restrict out, const T* in, int64_t n) {
#if __has_builtin(__builtin_shufflevector)
  typedef T Part __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
  constexpr int width = 16 / sizeof(T);
  auto reverse = [&]<int... l>(int64_t i, std::integer_sequence<int, l...>) {
    const Part part = *reinterpret_cast<const Part*>(in - i - (width - 1));
    *reinterpret_cast<Part*>(out + i) = __builtin_shufflevector(part, part, (width - 1 - l)...);
  };
  constexpr auto all = std::make_integer_sequence<int, width>();
  for (int64_t i = 0; i < n - width; i += width) reverse(i, all);
  if (n >= width) return reverse(n - width, all);
#endif
  for (int64_t i = 0; i < n; ++i) out[i] = in[-i];
}
template <class T>
void copy_elements(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  constexpr int64_t size = sizeof(T);
  T* __restrict out = reinterpret_cast<T*>(to);
  const T* in = reinterpret_cast<const T*>(from);
  // neighbours, in order or in reverse, every second one, and one for all, move by vectors
  if (to_stride == size && from_stride == size)
    for (int64_t i = 0; i < n; ++i) out[i] = in[i];
  else if (to_stride == size && from_stride == -size)
    copy_reversed(out, in, n);
  else if (to_stride == size && from_stride == 2 * size)
    for (int64_t i = 0; i < n; ++i) out[i] = in[2 * i];
  else if (to_stride == size && from_stride == 0)
    std::fill_n(out, n, *in);
  else
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
}

/// Copies m rows of `bytes` neighbours, w or half of it and so on at once.
template <int64_t w = 64>
void copy_neighbours(int64_t bytes, char* to, int64_t to_down, const char* from, int64_t down, int64_t m) {
  if constexpr (w > 1)
    if (bytes < w) return copy_neighbours<w / 2>(bytes, to, to_down, from, down, m);
  if (bytes == w)
    for (int64_t i = 0; i < m; ++i) std::memcpy(to + i * to_down, from + i * down, w);
  else
    for (int64_t i = 0; i < m; ++i) copy_short<w>(to + i * to_down, from + i * down, bytes);
}

/// Calls f(Type<W>()) with an unsigned integer of `size` bytes.
template <class F>
void with_size(size_t size, const F& f) {
  switch (size) {
    case 1: return f(Type<uint8_t>());
    case 2: return f(Type<uint16_t>());
    case 4: return f(Type<uint32_t>());
    default: return f(Type<uint64_t>());
  }
}

/// Copies n elements of `size` bytes from one stride to another.
void copy_strided(size_t size, char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  with_size(size, [&]<class W>(Type<W>) { copy_elements<W>(to, to_stride, from, from_stride, n); });
}
/// Copies m rows, `down` apart, of n elements `across` apart.
void copy_rows(size_t size, int64_t n, char* to, int64_t to_across, int64_t to_down, const char* from, int64_t across,
               int64_t down, int64_t m) {
  const int64_t width = int64_t(size);
  if (to_across == width && across == width) return copy_neighbours(n * width, to, to_down, from, down, m);
  const bool by_rows = n >= std::min<int64_t>(8, m) || (to_across == width && across == -width && n * width >= 16);
  constexpr int64_t block = 64;  // rows that stay in the cache while they are copied by columns
  with_size(size, [&]<class W>(Type<W>) {
    for (int64_t i = 0; by_rows && i < m; ++i)
      copy_elements<W>(to + i * to_down, to_across, from + i * down, across, n);
    for (int64_t i = 0; !by_rows && i < m; i += block)
      for (int64_t j = 0; j < n; ++j)
        copy_elements<W>(to + i * to_down + j * to_across, to_down, from + i * down + j * across, down,
                         std::min(block, m - i));
  });
}

/// A row of elements at any strides. Operands that are not contiguous are packed into small buffers, a block at a time.
class Row {
 public:
  Row(const Operands& o, const int64_t* stride, const Loop& loop) : o_(o), stride_(stride), loop_(loop) {
    for (int k = 1; k < 3 && o.count == 3; ++k)
      if (!o.tensor[k])
        scalars_ = 1u << (k - 1);
      else if (stride[k] == 0 && !scalars_)
        scalars_ = 1u << (k - 1);
    for (int k = 0; k < o.count; ++k) {
      if (k > 0 && scalars_ >> (k - 1) & 1) continue;
      if (stride[k] != int64_t(o.size[k])) packed_ |= 1u << k;
    }
  }
  /// Whether a row of few elements costs much: what is packed or widened, or checks of many operands.
  bool costs() const { return packed_ || o_.dtype || o_.count > 3; }
  void operator()(char* const* p, int64_t n) const {
    if (!packed_ || n == 1)
      loop_(scalars_, p, n);
    else if (o_.copies)
      copy_strided(o_.size[0], p[0], stride_[0], p[1], stride_[1], n);
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
      loop_(scalars_, q, m);
      if (packed_ & 1) copy_strided(o_.size[0], p[0] + begin * stride_[0], stride_[0], q[0], int64_t(o_.size[0]), m);
    }
  }

  static constexpr int64_t block = 512;
  const Operands& o_;
  const int64_t* stride_;
  const Loop& loop_;
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

/// Short rows, many at once: a row costs more than its elements. Operands whose rows are not neighbours are packed.
class ShortRows {
 public:
  static bool fit(const Nest<max_operands>& nest) {
    return nest.dims > 1 && nest.inner() < block / 16 && nest.inner() * nest.extent[nest.dims - 2] >= block / 8;
  }
  ShortRows(const Operands& o, const Nest<max_operands>& nest, const Loop& loop)
      : o_(o), n_(nest.inner()), across_(nest.inner_stride()), down_(nest.stride[nest.dims - 2]), loop_(loop) {
    for (int k = 1; k < 3 && o.count == 3; ++k)
      if (!o.tensor[k] || (!scalars_ && across_[k] == 0 && down_[k] == 0)) scalars_ = 1u << (k - 1);
  }
  void operator()(char* const* p, int64_t rows) const {
    alignas(64) char buffers[max_operands][block * sizeof(int64_t)];
    char* q[max_operands];
    for (int64_t begin = 0, m; begin < rows; begin += m) {
      m = std::min(block / n_, rows - begin);
      for (int k = 0; k < o_.count; ++k) {
        q[k] = p[k] + begin * down_[k];
        if (!packed(k)) continue;
        if (k > 0 && (down_[k] || begin == 0))
          copy_rows(o_.size[k], n_, buffers[k], width(k), n_ * width(k), q[k], across_[k], down_[k], m);
        q[k] = buffers[k];
      }
      loop_(scalars_, q, m * n_);
      if (packed(0))
        copy_rows(o_.size[0], n_, p[0] + begin * down_[0], across_[0], down_[0], q[0], width(0), n_ * width(0), m);
    }
  }

 private:
  int64_t width(int k) const { return int64_t(o_.size[k]); }
  bool packed(int k) const {
    if (k > 0 && scalars_ >> (k - 1) & 1) return false;
    return across_[k] != width(k) || down_[k] != n_ * width(k);
  }

  static constexpr int64_t block = 512;
  const Operands& o_;
  const int64_t n_, *const across_, *const down_;  // the strides within a row, and from row to row
  const Loop& loop_;
  unsigned scalars_ = 0;
};

/// Operands some of which are contiguous along another dim than the innermost: transposed matrices, channels first
/// beside channels last. They are read in tiles of two dims, so that each cache line that comes is used whole, and
/// turned into a buffer.
class Tiles {
 public:
  /// Where they are usable, orders the dims so that the one along which the turned operands are contiguous comes second
  /// to last.
  Tiles(Nest<max_operands>& nest, const Operands& o, const Loop& loop) : nest_(nest), o_(o), loop_(loop) {
    const int last = nest.dims - 1;
    int across = -1;
    for (int k = 1; k < o.count; ++k)
      for (int d = 0; d < last && across < 0; ++d)
        if (turned(k, last) && nest.stride[d][k] == int64_t(o.size[k])) across = d;
    if (across < 0 || nest.extent[last] < 8 || nest.extent[across] < 8) return;
    usable_ = true;
    for (int k = 0; k < o.count; ++k)
      if (k > 0 && !o.tensor[k])
        scalars_ |= 1u << (k - 1);
      else if (nest.stride[last][k] == 0 && o.count == 3 && !scalars_)
        scalars_ |= 1u << (k - 1);
      else if (turned(k, last) && k > 0 && nest.stride[across][k] == int64_t(o.size[k]))
        turned_ |= 1u << k;
      else
        usable_ = usable_ && nest.stride[last][k] == int64_t(o.size[k]);
    usable_ = usable_ && (!scalars_ || (o.count == 3 && scalars_ != 3)) && std::popcount(turned_) <= buffers_;
    if (!usable_) return;
    int64_t bytes = int64_t(o.size[0]);
    for (int d = 0; d < nest.dims; ++d) bytes *= nest.extent[d];
    far_ = bytes > 4 << 20;
    std::swap(nest.extent[across], nest.extent[last - 1]);
    std::swap(nest.stride[across], nest.stride[last - 1]);
  }
  bool usable() const { return usable_; }
  void run() const {
    const int64_t rows = nest_.extent[nest_.dims - 2], n = nest_.inner(), height = far_ ? tile_rows : tile_rows / 2,
                  blocks = (n + tile_columns - 1) / tile_columns;
    int64_t outer = 1;
    for (int d = 0; d < nest_.dims - 2; ++d) outer *= nest_.extent[d];
    parallel_for(outer * blocks, std::max<int64_t>(1, grain_elements / (rows * std::min(n, tile_columns))),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t b = begin; b < end; ++b) {
                     char* p[max_operands];
                     std::copy(o_.data, o_.data + o_.count, p);
                     const int64_t column = b % blocks * tile_columns;
                     int64_t rest = b / blocks;
                     for (int d = nest_.dims - 3; d >= 0; --d) {
                       move(p, d, rest % nest_.extent[d]);
                       rest /= nest_.extent[d];
                     }
                     move(p, nest_.dims - 1, column);
                     for (int64_t i = 0; i < rows; i += height) {
                       run_tile(p, std::min(height, rows - i), std::min(tile_columns, n - column));
                       move(p, nest_.dims - 2, height);
                     }
                   }
                 });
  }

 private:
  static constexpr int buffers_ = 2;
  static constexpr int64_t tile_rows = 64, tile_columns = 128, line = 64;  // bytes of a cache line

  bool turned(int k, int last) const { return o_.tensor[k] && std::abs(nest_.stride[last][k]) > int64_t(o_.size[k]); }
  void move(char** p, int dim, int64_t by) const {
    for (int k = 0; k < o_.count; ++k) p[k] += by * nest_.stride[dim][k];
  }
  void run_tile(char* const* p, int64_t rows, int64_t columns) const {
    alignas(64) char buffers[buffers_][tile_rows * tile_columns * sizeof(int64_t)];
    const int64_t *across = nest_.stride[nest_.dims - 1], *down = nest_.stride[nest_.dims - 2];
    const char* from[max_operands];
    int64_t step[max_operands];
    for (int k = 0; k < o_.count; ++k) {
      from[k] = p[k], step[k] = down[k];
      if (far_ && !(turned_ >> k & 1) && across[k]) prefetch(p[k], step[k], rows, columns * across[k], k == 0);
    }
    for (int k = 0, buffer = 0; k < o_.count; ++k) {
      if (!(turned_ >> k & 1)) continue;
      turn(o_.size[k], buffers[buffer], p[k], across[k], rows, columns);
      from[k] = buffers[buffer++];
      step[k] = tile_columns * int64_t(o_.size[k]);
    }
    for (int64_t i = 0; i < rows; ++i) {
      char* q[max_operands];
      for (int k = 0; k < o_.count; ++k) q[k] = const_cast<char*>(from[k]) + i * step[k];
      loop_(scalars_, q, columns);
    }
  }
  /// Rows of a tile lie apart, which no processor foresees. Inlined: g++ drops calls of what only fetches ahead.
  [[gnu::always_inline]] static void prefetch(const char* p, int64_t step, int64_t rows, int64_t bytes, bool to_write) {
    for (int64_t i = 0; i < rows; ++i, p += step)
      for (int64_t b = 0; b < bytes; b += line)
        if (to_write)
          __builtin_prefetch(p + b, 1);
        else
          __builtin_prefetch(p + b);
  }
  /// to[i][j] = from[j][i], and a look at what the tile below will read.
  template <class T>
  static void turn_elements(char* to, const char* from, int64_t stride, int64_t rows, int64_t columns, bool far) {
    T* out = reinterpret_cast<T*>(to);
    auto look_below = [&](const T* in) __attribute__((always_inline)) {
      for (int64_t i = 0; far && i < tile_rows; i += line / int64_t(sizeof(T))) __builtin_prefetch(in + tile_rows + i);
    };
    auto column = [&](int64_t j) { return reinterpret_cast<const T*>(from + j * stride); };
    int64_t j = 0;
    if constexpr (sizeof(T) == sizeof(float))
      for (; j + 8 <= columns; j += 8) {
        for (int64_t k = 0; k < 8; ++k) look_below(column(j + k));
        int64_t i = 0;
        for (; i + 8 <= rows; i += 8)
          transpose8(column(j) + i, stride, out + i * tile_columns + j, tile_columns * int64_t(sizeof(T)));
        for (; i < rows; ++i)
          for (int64_t k = j; k < j + 8; ++k) out[i * tile_columns + k] = column(k)[i];
      }
    for (; j < columns; ++j) {
      const T* in = column(j);
      look_below(in);
      if (rows == tile_rows)
        for (int64_t i = 0; i < tile_rows; ++i) out[i * tile_columns + j] = in[i];
      else
        for (int64_t i = 0; i < rows; ++i) out[i * tile_columns + j] = in[i];
    }
  }
  void turn(size_t size, char* to, const char* from, int64_t stride, int64_t rows, int64_t columns) const {
    with_size(size, [&]<class W>(Type<W>) { turn_elements<W>(to, from, stride, rows, columns, far_); });
  }

  const Nest<max_operands>& nest_;
  const Operands& o_;
  const Loop& loop_;
  unsigned scalars_ = 0, turned_ = 0;
  bool usable_ = false, far_ = false;  // far: too large for a cache
};

}  // namespace

void run_elementwise(const Shape& shape, const Operands& o, LoopFn fn, const void* f) {
  const int64_t numel = shape.numel();
  if (numel == 0) return;
  const Loop loop(fn, f, o);
  if (unsigned scalars; numel <= grain_elements && contiguous(o, scalars)) return loop(scalars, o.data, numel);
  Nest<max_operands> nest(shape, o.count, o.tensor, o.size);
  if (const Tiles tiles(nest, o, loop); tiles.usable()) return tiles.run();
  if (nest.dims == 1) {
    const int64_t* st = nest.inner_stride();
    const Row row(o, st, loop);
    return parallel_for(nest.inner(), grain_elements, [&](int64_t begin, int64_t end) {
      char* p[max_operands];
      for (int k = 0; k < o.count; ++k) p[k] = o.data[k] + begin * st[k];
      row(p, end - begin);
    });
  }
  const bool many = ShortRows::fit(nest);
  if (!many && !o.copies) lengthen_rows(nest);
  const int64_t n = nest.inner();
  const int64_t *st = nest.inner_stride(), *down = nest.stride[nest.dims - 2];
  auto walk = [&](auto&& f) {
    parallel_for(numel / n, std::max<int64_t>(1, grain_elements / n), [&](int64_t begin, int64_t end) {
      switch (o.count) {
        case 2: return each_rows<2>(nest, o.data, begin, end, f);
        case 3: return each_rows<3>(nest, o.data, begin, end, f);
        case 4: return each_rows<4>(nest, o.data, begin, end, f);
        case 5: return each_rows<5>(nest, o.data, begin, end, f);
        default: return each_rows<6>(nest, o.data, begin, end, f);
      }
    });
  };
  if (o.copies)
    return walk([&](char* const* p, int64_t rows) {
      copy_rows(o.size[0], n, p[0], st[0], down[0], p[1], st[1], down[1], rows);
    });
  const Row row(o, st, loop);
  if (many && (n < 8 || row.costs())) return walk(ShortRows(o, nest, loop));
  walk([&]<int count>(char* const(&p)[count], int64_t rows) {
    char* q[count];
    std::copy(p, p + count, q);
    for (int64_t i = 0; i < rows; ++i) {
      row(q, n);
      for (int k = 0; k < count; ++k) q[k] += down[k];
    }
  });
}

}  // namespace luth::cpu
