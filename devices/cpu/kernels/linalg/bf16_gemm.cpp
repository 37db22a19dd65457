#include "devices/cpu/kernels/linalg/bf16_gemm.h"

#include <algorithm>
#include <cstring>

#include "core/base/threads.h"
#include "devices/cpu/kernels/common/transpose.h"
#include "devices/cpu/libraries/libraries.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

using Product = std::shared_ptr<const Primitive>;

constexpr int64_t worth_it = 1 << 15;    // multiply-adds of one product; luth's float loops do fewer sooner
constexpr int64_t cheap = 1 << 22;       // multiply-adds that one thread does sooner than it would share them
constexpr int64_t most_depth = 1024;     // of a call of oneDNN: with more, its operands do not stay in the second cache
constexpr int64_t strip_columns = 256;   // of a call where the depth is divided
constexpr int64_t worth_alignment = 96;  // columns that pay for a copy of A with rows that begin cache lines

int64_t parts(int64_t n, int64_t each) { return (n + each - 1) / each; }
int64_t rounded(int64_t n, int64_t unit) { return parts(n, unit) * unit; }

uint32_t pair(bfloat16 first, bfloat16 second) { return uint32_t(first.bits) | uint32_t(second.bits) << 16; }

// to[q][j] = elements 2 q and 2 q + 1 of column j of B [k, cols], as a panel of `depth` rows with zeros where B ends.
void pack_panel(int64_t k, int64_t cols, Matrix<bfloat16> b, int64_t depth, uint32_t* to) {
  constexpr int64_t w = bf16_panel_cols;
  const int64_t whole = k / 2;
  if (cols < w || depth > k) std::memset(to, 0, size_t(depth / 2 * w) * sizeof(uint32_t));
  if (b.col == 1) {
    for (int64_t q = 0; q < whole; ++q) {
      const bfloat16 *upper = b.p + 2 * q * b.row, *lower = upper + b.row;
      for (int64_t j = 0; j < cols; ++j) to[q * w + j] = pair(upper[j], lower[j]);
    }
  } else {
    const bool together = b.row == 1;        // the pairs lie so in B
    for (int64_t q = 0; q < whole; q += 16)  // the pairs of a cache line
      for (int64_t j = 0; j < cols; j += 8) {
        if (together && q + 16 <= whole && j + 8 <= cols) {
          for (int64_t y = q; y < q + 16; y += 8) transpose8(b.at(2 * y, j).p, 2 * b.col, to + y * w + j, 4 * w);
          continue;
        }
        for (int64_t x = j; x < std::min(cols, j + 8); ++x)
          for (int64_t y = q; y < std::min(whole, q + 16); ++y)
            to[y * w + x] = pair(*b.at(2 * y, x).p, *b.at(2 * y + 1, x).p);
      }
  }
  for (int64_t j = 0; k % 2 && j < cols; ++j) to[whole * w + j] = b.at(k - 1, j).p->bits;
}

// to[i][p] = A(i, p) for 8 rows and 16 columns, where the columns of A lie together; rows of `to` are `depth` apart, an
// even number.
void transpose_tile(Matrix<bfloat16> a, int64_t depth, bfloat16* to) {
  typedef uint16_t Halves __attribute__((vector_size(16), aligned(2), may_alias));
  Eight pairs[8];
  for (int q = 0; q < 8; ++q) {
    const bfloat16* first = a.at(0, 2 * q).p;
    const Eight upper = __builtin_convertvector(*reinterpret_cast<const Halves*>(first), Eight),
                lower = __builtin_convertvector(*reinterpret_cast<const Halves*>(first + a.col), Eight);
    pairs[q] = upper | lower << 16;
  }
  transpose8(pairs, to, 2 * depth);
}
void transpose_rows(int64_t rows, int64_t k, Matrix<bfloat16> a, int64_t depth, bfloat16* to) {
  constexpr int64_t line = 32;   // rows of A of which a cache line has an element each
  constexpr int64_t ahead = 32;  // columns of A that are fetched before they are needed
  for (int64_t i0 = 0; i0 < rows; i0 += line)
    for (int64_t p = 0; p < k; p += 16) {
      for (int64_t y = p + ahead; y < std::min(k, p + ahead + 16); ++y) __builtin_prefetch(a.at(i0, y).p);
      for (int64_t i = i0; i < std::min(rows, i0 + line); i += 8) {
        if (i + 8 <= rows && p + 16 <= k) {
          transpose_tile(a.at(i, p), depth, to + i * depth + p);
          continue;
        }
        for (int64_t x = i; x < std::min(rows, i + 8); ++x)
          for (int64_t y = p; y < std::min(k, p + 16); ++y) to[x * depth + y] = *a.at(x, y).p;
      }
    }
}

// The same of any A, with zeros behind its k columns.
void pack_rows(int64_t rows, int64_t k, Matrix<bfloat16> a, int64_t depth, bfloat16* to) {
  if (a.row == 1 && a.col != 1)
    transpose_rows(rows, k, a, depth, to);
  else
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t p = 0; p < k; ++p) to[i * depth + p] = *a.at(i, p).p;
  for (int64_t i = 0; i < rows && depth > k; ++i)
    std::memset(static_cast<void*>(to + i * depth + k), 0, size_t(depth - k) * sizeof(bfloat16));
}

// C [rows, cols] = alpha sums + beta C, rounded; rows of C are ldc apart.
void round_sums(int64_t rows, int64_t cols, float alpha, const float* sums, float beta, bfloat16* c, int64_t ldc) {
  for (int64_t i = 0; i < rows; ++i, sums += cols, c += ldc)
    if (beta == 0)
      for (int64_t j = 0; j < cols; ++j) c[j] = bfloat16(alpha * sums[j]);
    else
      for (int64_t j = 0; j < cols; ++j) c[j] = bfloat16(alpha * sums[j] + beta * float(c[j]));
}

/// How products of one shape are computed: blocks of rows of A, by one thread each. A deep product is divided: parts of
/// equal depth, and strips of columns, whose sums wait in float.
struct Plan {
  int64_t m, n, k;
  int64_t divisions = parts(k, most_depth), depth;  // of k, the last filled up with zeros
  int64_t block, blocks, last;                      // rows
  int64_t strip = divisions > 1 ? std::min(n, strip_columns) : n, strips = parts(n, strip);
  bool direct;               // A is read where it lies
  Product product[2][2][2];  // [last block][last strip][adds to the sums]
  static constexpr int64_t w = bf16_panel_cols;

  Plan(const Bf16Products& s) : m(s.m), n(s.n), k(s.k) {
    const bool dense = divisions == 1 && s.a.col == 1 && (s.a.row == k || m == 1);
    const bool aligned = k % 32 == 0 && s.a_step % 32 == 0 && reinterpret_cast<uintptr_t>(s.a.p) % 64 == 0;
    direct = dense && (aligned || n < worth_alignment);
    depth = direct ? k : rounded(parts(k, divisions), 32);
    // enough blocks for several threads where each has much to do
    const int64_t least = std::max<int64_t>(64, cheap / std::max<int64_t>(1, n * k));
    const int64_t count = std::max(parts(m, divisions > 1 ? 512 : 256), std::min<int64_t>(4, parts(m, least)));
    block = std::min(m, rounded(parts(m, count), 32));
    blocks = parts(m, block), last = m - (blocks - 1) * block;
  }
  bool find(const Libs& library, float alpha, float beta) {
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        for (int adds = 0; adds < 2; ++adds) {
          const int64_t rows = row ? last : block, cols = column ? n - (strips - 1) * strip : strip;
          const Bf16Steps steps = divisions > 1 ? Bf16Steps{1, float(adds), true} : Bf16Steps{alpha, beta, false};
          Product& p = product[row][column][adds];
          if (adds && divisions == 1)
            continue;
          else if (column && cols == strip)
            p = product[row][0][adds];
          else if (row && last == block)
            p = product[0][column][adds];
          else
            p = library.bf16_product(rows, cols, depth, steps);
          if (!p) return false;
        }
    return true;
  }
  int64_t packed_columns() const { return rounded(n, w); }
  int64_t packed_size() const { return divisions * panel_rows() * packed_columns(); }
  int64_t panel_rows() const { return rounded(depth, 32); }

  // B as panels, part by part of the depth.
  void pack(Matrix<bfloat16> b, bfloat16* to) const {
    const int64_t rows = panel_rows(), panels = packed_columns() / w;
    parallel_for(divisions * panels, std::max<int64_t>(1, (1 << 17) / (rows * w)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t p = i / panels * depth, j = i % panels * w;
        pack_panel(std::clamp<int64_t>(k - p, 0, depth), std::min(w, n - j), b.at(p, j), rows,
                   reinterpret_cast<uint32_t*>(to + i * rows * w));
      }
    });
  }
  // Block x of C.
  void multiply(const Libs& library, int64_t x, const Bf16Products& s, Matrix<bfloat16> a, const bfloat16* b,
                bfloat16* c, bfloat16* room, float* sums) const {
    const int64_t rows = x + 1 == blocks ? last : block;
    a = a.at(x * block, 0), c += x * block * n;
    for (int64_t d = 0; d < divisions; ++d) {
      if (!direct) pack_rows(rows, std::clamp<int64_t>(k - d * depth, 0, depth), a.at(0, d * depth), depth, room);
      const bfloat16* const panels = b + d * panel_rows() * packed_columns();
      for (int64_t j = 0; j < n; j += strip) {
        const Product& p = product[x + 1 == blocks][j + strip >= n][d > 0];
        void* const to = divisions > 1 ? static_cast<void*>(sums + rows * j) : c;
        library.multiply_bf16(p, direct ? a.p : room, panels + j * panel_rows(), to);
      }
    }
    for (int64_t j = 0; j < n && divisions > 1; j += strip)
      round_sums(rows, std::min(strip, n - j), s.alpha, sums + rows * j, s.beta, c + j, n);
  }
  void multiply_all(const Libs& library, const Bf16Products& s, int64_t i, bfloat16* packed) const {
    const Matrix<bfloat16> a{s.a.p + i * s.a_step, s.a.row, s.a.col}, b{s.b.p + i * s.b_step, s.b.row, s.b.col};
    pack(b, packed);
    parallel_for(blocks, std::max<int64_t>(1, cheap / std::max<int64_t>(1, block * n * k)),
                 [&](int64_t begin, int64_t end) {
                   Buffer<bfloat16> room(direct ? 0 : block * depth);
                   Buffer<float> sums(divisions > 1 ? block * n : 0);
                   for (int64_t x = begin; x < end; ++x)
                     multiply(library, x, s, a, packed, s.c + i * m * n, room.get(), sums.get());
                 });
  }
};

}  // namespace

bool bf16_gemm(const Bf16Products& s) {
  const int64_t work = s.m * s.n * s.k;
  if (work < worth_it) return false;
  const Libs* library = libs_where_they_fit();
  if (!library || !library->has_bf16()) return false;
  Plan plan(s);
  if (!plan.find(*library, s.alpha, s.beta)) return false;
  const bool share = s.batch == 1 || (work > cheap && s.batch < 4 * num_threads());
  parallel_for(s.batch, share ? s.batch : std::max<int64_t>(1, cheap / 4 / work), [&](int64_t begin, int64_t end) {
    Buffer<bfloat16> packed(plan.packed_size());
    for (int64_t i = begin; i < end; ++i) plan.multiply_all(*library, s, i, packed.get());
  });
  return true;
}

}  // namespace luth::cpu
