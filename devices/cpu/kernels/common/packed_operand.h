// The right operand of many products, packed once. Kernel libraries only.
#pragma once
#include "core/base/threads.h"
#include "devices/cpu/kernels/common/gemm.h"
#include "devices/cpu/kernels/common/packed_gemm.h"

namespace luth::cpu {

/// B [k, n] as panels, one behind the other.
template <class T>
class PackedOperand {
 public:
  PackedOperand(int64_t k, int64_t n, Matrix<T> b) : k_(k), n_(n), panels_((n + w - 1) / w * w * k) {
    parallel_for((n + w - 1) / w, grain(1), [&](int64_t begin, int64_t end) {
      for (int64_t j = begin * w; j < std::min(n, end * w); j += w)
        pack_strip(k, std::min(w, n - j), b.at(0, j), panels_.get() + j * k);
    });
  }
  /// C[m, n] = A B + beta C; rows of A and C are lda and ldc apart, their columns adjacent.
  void multiply(int64_t m, const T* a, int64_t lda, T beta, T* c, int64_t ldc) const {
    if (m == 0) return;
    const int64_t each = even_part(m, tile_rows);
    parallel_for((n_ + w - 1) / w, grain(m), [&](int64_t begin, int64_t end) {
      for (int64_t j = begin * w; j < std::min(n_, end * w); j += w)
        for (int64_t p = 0; p == 0 || p < k_; p += block_depth) {
          const Panel<T> right{panels_.get() + j * k_ + p * w, w, std::min(w, n_ - j)};
          const Matrix<T> left{a + p, lda, 1};
          const int64_t depth = std::min(block_depth, k_ - p);
          const Addend<T> before{p ? T(1) : beta, c + j, ldc};
          for (int64_t i = 0; i < m;)
            i += tile_of(std::min(each, m - i), depth, T(1), left.at(i, 0), right, before.at(i, 0), c + i * ldc + j,
                         ldc);
        }
    });
  }

 private:
  static constexpr int64_t w = panel_width<T>;
  /// Panels that one thread takes: about a million multiply-adds.
  int64_t grain(int64_t m) const { return std::max<int64_t>(1, (1 << 20) / std::max<int64_t>(1, m * k_ * w)); }

  int64_t k_, n_;
  Buffer<T> panels_;
};

}  // namespace luth::cpu
