// The loops of a matrix product: strips of B and blocks of A are packed, tiles of C stay in registers. For gemm.cpp.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/base/interrupt.h"
#include "devices/cpu/kernels/common/matrix.h"
#include "devices/cpu/kernels/common/transpose.h"
#include "devices/cpu/kernels/common/vector.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {

// tile_rows: rows of C that one pass computes; with two registers each they fill the register file.
inline constexpr int tile_rows = vector_bytes == 64 ? 14 : 6;

/// A register full of T.
template <class T, int bytes = vector_bytes>
struct Vector {
  typedef T type __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
  static constexpr int64_t width = bytes / int64_t(sizeof(T));
};
/// The narrowest register that a tile uses: half of a long one, where that holds all columns.
template <class T>
inline constexpr int narrow_bytes = vector_bytes == 64 && std::is_floating_point_v<T> ? 32 : vector_bytes;
/// Columns of C that one pass computes: two registers.
template <class T>
inline constexpr int64_t panel_width = 2 * Vector<T>::width;

/// The depth of what is packed at a time: a tile of A and its part of a panel of B stay in the first cache. The depth
/// decides the order of the sum, so it is the same for every instruction set.
inline constexpr int64_t block_depth = 256;
/// Rows of A that are packed at a time, at most: whole tiles.
inline constexpr int64_t block_rows = 112 / tile_rows * tile_rows;
/// Bytes of the second cache.
inline int64_t second_cache() {
  static const int64_t bytes = std::max<int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE), 1 << 19);
  return bytes;
}
/// Columns of B that are packed at a time, at most: whole panels that fill half of the second cache. They do not decide
/// the order of a sum.
template <class T>
int64_t strip_width() {
  constexpr int64_t column = block_depth * int64_t(sizeof(T)), w = panel_width<T>;
  return std::clamp<int64_t>(second_cache() / 2 / column, 256, 1024) / w * w;
}

/// `cols` columns of B; row p begins at p[p * step] and a whole panel can be read there.
template <class T>
struct Panel {
  const T* p;
  int64_t step, cols;
};

// A few elements, fewer than fill a panel: a call of memcpy would take longer than to copy them.
template <class T>
inline void copy_part(const T* from, int64_t n, T* to) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) std::memcpy(to + i, from + i, 4 * sizeof(T));
  if (n & 2) std::memcpy(to + i, from + i, 2 * sizeof(T)), i += 2;
  if (n & 1) to[i] = from[i];
}

// The first n elements of v, not all. Floats are taken from the register: out of memory, they would wait for the store.
template <class V, class T>
[[gnu::always_inline]] inline void store_part(const V& v, int64_t n, T* to) {
  constexpr int64_t half = sizeof(V) / sizeof(T) / 2;
  if constexpr (std::is_integral_v<T>) {
    std::memcpy(to, &v, size_t(n) * sizeof(T));
  } else if constexpr (sizeof(V) > 16) {
    typedef T Half __attribute__((vector_size(sizeof(V) / 2), aligned(alignof(T)), may_alias));
    Half part[2];
    std::memcpy(part, &v, sizeof v);
    if (n < half) return store_part(part[0], n, to);
    *reinterpret_cast<Half*>(to) = part[0];
    store_part(part[1], n - half, to + half);
  } else {
#pragma GCC unroll 4
    for (int i = 0; i < 2 * half - 1; ++i)
      if (i < n) to[i] = v[i];
  }
}

// C[R, cols] = alpha A[R, k] B[k, cols] + beta D, where `cols` fit into H registers of `bytes`; `next`: the rows of A
// that the next tile reads. A sanitizer would make it 100 times slower, and with it every test that trains.
template <class T, int R, int H, int bytes = vector_bytes>
__attribute__((no_sanitize("address,undefined"))) inline void tile(int64_t k, T alpha, const Matrix<T>& a,
                                                                   const T* next, const Panel<T>& b, const Addend<T>& d,
                                                                   T* c, int64_t ldc) {
  using V = typename Vector<T, bytes>::type;
  constexpr int64_t w = Vector<T, bytes>::width;
  V acc[R][H];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
    for (int h = 0; h < H; ++h) acc[r][h] = V{};
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)  // C comes while the loop below runs
    for (int h = 0; h < H; ++h) __builtin_prefetch(c + r * ldc + h * w, 1);
  // Where the distances of all rows would not fit the registers, a pointer to each third one: from there, an address
  // can hold the distance and its double.
  constexpr int step = R > 8 ? 3 : R;
  const T* rows[(R + step - 1) / step];
#pragma GCC unroll 16
  for (int r = 0; r < R; r += step) rows[r / step] = a.p + r * a.row;
  for (int64_t p = 0; p < k; ++p) {
    const T* row = b.p + p * b.step;
    if constexpr (R * H > 16)  // there is time to fetch the next rows of A, a line of each in turn
      __builtin_prefetch(next + (p & 15) * a.row + (p & ~15) * a.col);
    V b0 = *reinterpret_cast<const V*>(row), b1 = *reinterpret_cast<const V*>(row + (H - 1) * w);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      V x = rows[r / step][r % step * a.row + p * a.col] - V{};
      acc[r][0] += x * b0;
      if constexpr (H > 1) acc[r][1] += x * b1;
    }
  }
  const bool whole = b.cols == H * w;  // of the last register, the others are whole in any case
  // The compiler fuses one of the two products with the sum. A branch in the loop would let it choose differently in
  // each tile.
  const auto finish = [&](auto adds) __attribute__((always_inline)) {
    alignas(64) T part[adds ? size_t(H * w) : 1] = {};
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const T* added = d.p + r * d.row;
      // a row that all rows of C share is copied once: a load that follows upon the copy waits for it
      if (adds && !whole && (r == 0 || d.row)) copy_part(added, b.cols, part);
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) {
        T* const out = c + r * ldc + h * w;
        V y = alpha * acc[r][h];
        if constexpr (adds) y += d.beta * *reinterpret_cast<const V*>((whole ? added : part) + h * w);
        if (whole || h + 1 < H)
          *reinterpret_cast<V*>(out) = y;
        else
          store_part(y, b.cols - h * w, out);
      }
    }
  };
  if (d.beta != T(0))
    finish(std::true_type());
  else
    finish(std::false_type());
}

// At most R of `rows` rows of C; returns how many. R falls to fill the registers as well as the rows allow. `a` comes
// by reference: a copy would wait until the last tile's rows of C were in the cache.
template <class T, int R = tile_rows>
int64_t tile_of(int64_t rows, int64_t k, T alpha, const Matrix<T>& a, const Panel<T>& b, const Addend<T>& d, T* c,
                int64_t ldc) {
  constexpr int fewer = R > 8 ? 8 : (R > 4 ? 4 : R / 2);
  constexpr int lower = std::is_floating_point_v<T> ? R - 1 : fewer;  // floats have a tile of every height
  if constexpr (R > 1)
    if (rows < R) return tile_of<T, lower>(rows, k, alpha, a, b, d, c, ldc);
  const T* next = rows > R ? a.p + R * a.row : a.p;
  if (narrow_bytes<T> < vector_bytes && b.cols <= Vector<T, narrow_bytes<T>>::width)
    tile<T, R, 1, narrow_bytes<T>>(k, alpha, a, next, b, d, c, ldc);
  else if (b.cols <= Vector<T>::width)
    tile<T, R, 1>(k, alpha, a, next, b, d, c, ldc);
  else
    tile<T, R, 2>(k, alpha, a, next, b, d, c, ldc);
  return R;
}

/// The largest of the equal parts, each at most `most`, into which n divides: a small rest would leave registers idle.
/// There are as many for each of `sharers`.
inline int64_t even_part(int64_t n, int64_t most, int64_t sharers = 1) {
  const int64_t each = std::max<int64_t>(1, (n + most * sharers - 1) / (most * sharers)), parts = each * sharers;
  return (n + parts - 1) / parts;
}

/// Whether w elements can be read from any of the first rows of B, of which as many as `below` follow: other rows' are.
template <class T>
bool reaches(const Matrix<T>& b, int64_t below, int64_t w) {
  return b.col == 1 && below * b.row >= w;
}

// Columns of B as panels of w, one behind the other, the last filled up with what is at hand, or zeros.
template <class T, int64_t w = panel_width<T>>
void pack_strip(int64_t k, int64_t cols, Matrix<T> b, T* strip) {
  if (b.col == 1) {
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < cols; j += w) {
        const T* from = b.p + p * b.row + j;
        T* to = strip + j * k + p * w;
        if (cols - j >= w || reaches(b, k - 1 - p, w)) {
          std::memcpy(to, from, size_t(w) * sizeof(T));
        } else {
          std::memset(to, 0, size_t(w) * sizeof(T));
          copy_part(from, cols - j, to);
        }
      }
    return;
  }
  if (k > 0 && cols % w) std::memset(strip + cols / w * w * k, 0, size_t(w * k) * sizeof(T));
  for (int64_t j = 0; j < cols; ++j) {
    T* to = strip + j / w * w * k + j % w;
    int64_t p = 0;
    if constexpr (std::is_same_v<T, float>)
      if (b.row == 1 && j / 8 * 8 + 8 <= cols) {
        p = k / 8 * 8;
        for (int64_t q = 0; q < p && j % 8 == 0; q += 8) transpose8(b.p + q + j * b.col, 4 * b.col, to + q * w, 4 * w);
      }
    for (; p < k; ++p) to[p * w] = b.p[p * b.row + j * b.col];
  }
}

// A, dense along the dim along which it is, with a gap behind each row: rows whose distance is a power of two fall on
// the same few lines of the cache.
constexpr int64_t gap = 16;
template <class T>
Matrix<T> pack_block(int64_t rows, int64_t depth, Matrix<T> a, T* to) {
  if (a.row == 1 && a.col != 1) return pack_block(depth, rows, a.transposed(), to).transposed();
  const int64_t step = depth + gap;
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = a.p + i * a.row;
    if (a.col == 1)
      std::memcpy(to + i * step, row, size_t(depth) * sizeof(T));
    else
      for (int64_t p = 0; p < depth; ++p) to[i * step + p] = row[p * a.col];
  }
  return {to, step, 1};
}

/// Columns of B at one depth: panels that lie packed, or, the first `direct` columns, where they are.
template <class T>
struct Strip {
  static constexpr int64_t w = panel_width<T>;
  int64_t depth, cols, direct;
  Matrix<T> b;
  T* packed;
  int64_t panels() const { return (cols + w - 1) / w; }
  Panel<T> panel(int64_t j) const {  // j: a multiple of w
    if (j < direct) return {b.at(0, j).p, b.row, std::min(w, cols - j)};
    return {packed + (j - direct) * depth, w, std::min(w, cols - j)};
  }
  void pack(int64_t first, int64_t end) const {  // panels
    const int64_t from = std::max(direct, first * w), to = std::min(cols, end * w);
    if (from < to) pack_strip(depth, to - from, b.at(0, from), packed + (from - direct) * depth);
  }
};

/// C = alpha A B + beta D for `rows` rows of A and the panels [first, end) of a strip, at least one; A is packed into
/// `room`, if there is one.
template <class T>
void multiply_block(int64_t rows, T alpha, Matrix<T> a, const Strip<T>& s, int64_t first, int64_t end,
                    const Addend<T>& d, T* c, int64_t ldc, T* room) {
  if (room) a = pack_block(rows, s.depth, a, room);
  const int64_t each = even_part(rows, tile_rows);
  // Tiles of one row lie side by side in C: few pages are in use at a time.
  for (int64_t i = 0, done; i < rows; i += done) {
    done = 0;
    for (int64_t j = first * s.w; j < std::min(s.cols, end * s.w); j += s.w)
      done =
          tile_of(std::min(each, rows - i), s.depth, alpha, a.at(i, 0), s.panel(j), d.at(i, j), c + i * ldc + j, ldc);
  }
}

/// Elements of B that a small product packs into its frame.
template <class T>
inline constexpr int64_t small_strip = 4096 / int64_t(sizeof(T));

/// Whether C is one panel of one block, and B fits `small_strip`: then there is nothing to divide.
template <class T>
bool is_small(int64_t m, int64_t n, int64_t k) {
  return m <= block_rows && n <= panel_width<T> && k * panel_width<T> <= small_strip<T>;
}
template <class T>
[[gnu::noinline]] void small_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b,
                                  const Addend<T>& d, T* c, int64_t ldc) {
  // columns that these registers hold
  constexpr int64_t two = panel_width<T>, one = Vector<T>::width, half = Vector<T, narrow_bytes<T>>::width;
  const int64_t w = n <= half ? half : n <= one ? one : two, each = even_part(m, tile_rows);
  alignas(64) T strip[small_strip<T>];
  Panel<T> panel{strip, w, n};
  if (b.col == 1 && n == w)  // can be read where it lies
    panel = {b.p, b.row, n};
  else if (w == two)
    pack_strip<T, two>(k, n, b, strip);
  else if (w == one)
    pack_strip<T, one>(k, n, b, strip);
  else
    pack_strip<T, half>(k, n, b, strip);
  for (int64_t i = 0; i < m;)
    i += tile_of(std::min(each, m - i), k, alpha, a.at(i, 0), panel, d.at(i, 0), c + i * ldc, ldc);
}

/// C = alpha A B + beta D as gemm() computes it, for at least one row and column. `loop(n, grain, f)` calls f(begin,
/// end) for ranges of [0, n), at once if it likes; `workers` says for how many to divide the work. No division of rows
/// or columns changes a sum.
template <class T, class Loop>
void packed_gemm(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, Matrix<T> b, const Addend<T>& d, T* c,
                 int64_t ldc, int64_t workers, Loop&& loop) {
  constexpr int64_t w = panel_width<T>, enough = 1 << 19;  // multiply-adds that are worth a thread's while
  // So few columns stay in the second cache at all depths. Each tile of A meets them all before the next one does, so
  // that its rows are read from end to end: memory is fastest then.
  const bool stay = k > block_depth && n <= 64 && n * k * int64_t(sizeof(T)) <= second_cache() / 4 * 3;
  const bool high = m >= block_rows / 2 * workers;  // enough for a block of each worker
  const int64_t most_rows = even_part(m, stay ? tile_rows : block_rows, high ? workers : 1);
  const int64_t most_depth = std::min(k, block_depth);
  const int64_t blocks = (m + most_rows - 1) / most_rows, most_cols = std::min((n + w - 1) / w * w, strip_width<T>());
  // A block of A that is read often and fills the first cache is packed, unless its rows can be read where they lie:
  // rows whose distance is a multiple of this fall on the same few lines of the cache.
  constexpr int64_t clashing = 2048;
  const bool clash = a.col != 1 || a.row * int64_t(sizeof(T)) % clashing == 0;
  const bool pack_a = n > 2 * w && most_rows * most_depth > 4096 && clash;
  // Columns that few rows meet are read where they lie, the fewer, the farther B is, and where registers straddle lines
  // of the cache; as are those that fit the first cache as they lie.
  const int64_t row_bytes = b.row * int64_t(sizeof(T)), bytes = std::max<int64_t>(n * k * int64_t(sizeof(T)), 1);
  const bool straddle = (row_bytes | reinterpret_cast<intptr_t>(b.p)) % vector_bytes, spread = row_bytes % clashing;
  const int64_t near = straddle ? 2 * tile_rows : spread ? 2 * block_rows : block_rows;
  const int64_t few = std::min(near, block_rows * second_cache() / bytes);
  const bool fits = bytes <= 1 << 15 && spread;
  const bool direct = b.col == 1 && (m <= few || fits);
  const int64_t packed_cols = direct ? w : most_cols, at_once = stay ? k : block_depth;
  Buffer<T> packed(packed_cols * std::min(k, at_once));
  for (int64_t j0 = 0; j0 < n; j0 += most_cols)
    for (int64_t p0 = 0; p0 == 0 || p0 < k; p0 += at_once) {
      const int64_t depth = std::min(at_once, k - p0), cols = std::min(most_cols, n - j0);
      const auto strip = [&](int64_t p) {
        const int64_t deep = std::min(block_depth, k - p);
        const int64_t lie = !direct ? 0 : reaches(b, k - p - deep, w) ? cols : cols / w * w;
        return Strip<T>{deep, cols, lie, b.at(p, j0), packed.get() + (p - p0) * packed_cols};
      };
      const auto each_depth = [&](auto&& f) {
        for (int64_t p = p0; p == p0 || p < p0 + depth; p += block_depth) f(p, strip(p));
      };
      const int64_t panels = strip(p0).panels();
      loop(panels, std::max<int64_t>(1, 32768 / (w * std::max<int64_t>(depth, 1))),
           [&](int64_t first, int64_t end) { each_depth([&](int64_t, const Strip<T>& s) { s.pack(first, end); }); });
      const int64_t shares = std::clamp<int64_t>(m * cols * depth / enough, 1, workers > 1 ? 4 * workers : 1);
      // groups of panels where there are few blocks; each packs its block of A again
      const int64_t parts = std::clamp<int64_t>((shares + blocks - 1) / blocks, 1, std::max<int64_t>(1, panels / 8));
      const int64_t group = (panels + parts - 1) / parts;
      const int64_t groups = (panels + group - 1) / group;  // fewer than parts where even ones leave none for the last
      loop(blocks * groups, std::max<int64_t>(1, blocks * groups / shares), [&](int64_t begin, int64_t end) {
        Buffer<T> room(pack_a ? (most_rows + gap) * (most_depth + gap) : 0);
        for (int64_t x = begin; x < end; ++x) {
          poll_interrupt_in_work();  // a range of one thread is all of the strip
          const int64_t i = x / groups * most_rows, first = x % groups * group;
          T* const to = c + i * ldc + j0;
          each_depth([&](int64_t p, const Strip<T>& s) {
            multiply_block(std::min(most_rows, m - i), alpha, a.at(i, p), s, first, first + group,
                           p ? Addend<T>{T(1), to, ldc} : d.at(i, j0), to, ldc, room.get());
          });
        }
      });
    }
}

}  // namespace luth::cpu
