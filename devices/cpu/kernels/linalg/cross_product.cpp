// Cross products.
#include "core/ops/linalg/cross_product.h"

#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

/// Those of n vectors, which begin `across` elements apart. Elements of vectors are neighbours where this is 3, else
/// they lie `along` apart.
template <int64_t across, class T>
void multiply(const T* a, const T* b, T* __restrict y, int64_t n, int64_t along) {
  using C = compute_t<T>;
  const int64_t step = across == 3 ? 1 : along;
  auto at = [](const T* v, int64_t i) { return cast<C>(v[i]); };
  for (int64_t i = 0; i < n * across; i += across) {
    const int64_t j = i + step, k = j + step;
    y[i] = cast<T>(ops::difference_of_products<C>(at(a, j), at(b, k), at(a, k), at(b, j)));
    y[j] = cast<T>(ops::difference_of_products<C>(at(a, k), at(b, i), at(a, i), at(b, k)));
    y[k] = cast<T>(ops::difference_of_products<C>(at(a, i), at(b, j), at(a, j), at(b, i)));
  }
}
void cross_product(const ops::CrossProduct& op, Tensor& y, const Dense& x1, const Dense& x2) {
  const Axis axis = cpu::axis(x1, op.dim);
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const T *a = x1.data<T>(), *b = x2.data<T>();
    T* out = y.data<T>();
    if (axis.inner == 1)
      return parallel_for(axis.outer, row_grain(3), [&](int64_t begin, int64_t end) {
        multiply<3>(a + 3 * begin, b + 3 * begin, out + 3 * begin, end - begin, 1);
      });
    for_row_blocks(axis, 4096,
                   [&](int64_t from, int64_t n) { multiply<1>(a + from, b + from, out + from, n, axis.inner); });
  });
}
const Kernel<cross_product> cross_product_;

}  // namespace
}  // namespace luth::cpu
