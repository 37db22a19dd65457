// The right operand of many products, packed once. Kernel libraries only.
#pragma once
#include "core/base/threads.h"
#include "devices/cpu/kernels/common/gemm.h"
#include "devices/cpu/kernels/common/packed_gemm.h"

namespace luth::cpu {

/// B [k, n] as panels, one behind the other; or, for a single product, as it lies.
template <class T>
class PackedOperand {
 public:
  PackedOperand(int64_t k, int64_t n, Matrix<T> b, bool packed = true)
      : k_(k), n_(n), b_(b), packed_(packed), panels_(packed ? (n + w - 1) / w * w * k : 0) {
    if (!packed) return;
    parallel_for((n + w - 1) / w, grain(1), [&](int64_t begin, int64_t end) {
      for (int64_t j = begin * w; j < std::min(n, end * w); j += w)
        pack_strip(k, std::min(w, n - j), b.at(0, j), panels_.get() + j * k);
    });
  }
  /// C[m, n] = alpha A[m, k] B + beta C, with C's rows ldc apart.
  void multiply(int64_t m, T alpha, Matrix<T> a, T beta, T* c, int64_t ldc) const {
    multiply(m, n_, k_, alpha, a, beta, c, ldc);
  }
  /// The same with the first n columns of the first k rows of B alone.
  void multiply(int64_t m, int64_t n, int64_t k, T alpha, Matrix<T> a, T beta, T* c, int64_t ldc) const {
    if (!packed_) return parallel_gemm(m, n, k, alpha, a, b_, beta, c, ldc);
    if (m == 0) return;
    const int64_t each = even_part(m, tile_rows);
    parallel_for((n + w - 1) / w, grain(m), [&](int64_t begin, int64_t end) {
      for (int64_t j = begin * w; j < std::min(n, end * w); j += w)
        for (int64_t p = 0; p == 0 || p < k; p += block_depth) {
          const Panel<T> right{panels_.get() + j * k_ + p * w, w, std::min(w, n - j)};
          const int64_t depth = std::min(block_depth, k - p);
          const Addend<T> before{p ? T(1) : beta, c + j, ldc};
          for (int64_t i = 0; i < m;)
            i += tile_of(std::min(each, m - i), depth, alpha, a.at(i, p), right, before.at(i, 0), c + i * ldc + j, ldc);
        }
    });
  }

 private:
  static constexpr int64_t w = panel_width<T>;
  /// Panels that one thread takes: about a million multiply-adds.
  int64_t grain(int64_t m) const { return std::max<int64_t>(1, (1 << 20) / std::max<int64_t>(1, m * k_ * w)); }

  int64_t k_, n_;
  Matrix<T> b_;
  bool packed_;
  Buffer<T> panels_;
};

}  // namespace luth::cpu
