// kthvalue and medians: selection among keys that have the order of the elements.
#include "core/ops/reduce/order_statistics.h"

#include <algorithm>

#include "core/math/sort_key.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

// The element whose position in ascending order, from 0, is rank(nans, n), where the last `nans` of n elements are nan.
// Of equal ones the first in the row is taken.
template <class F>
void select_rank(const auto& op, Tensor& values, Tensor& indices, const Tensor& x, F rank) {
  const Axis a = axis(x, op.dim);
  if (values.numel() == 0) return;
  dispatch(Numbers{}, x.dtype(), [&]<class T>(Type<T>) {
    using K = SortKey<T>;
    parallel_for(a.outer * a.inner, row_grain(8 * a.n), [&](int64_t b, int64_t e) {
      std::vector<K> keys(static_cast<size_t>(a.n));
      for (int64_t r = b; r < e; ++r) {
        const T* in = x.data<T>() + r / a.inner * a.n * a.inner + r % a.inner;
        int64_t nans = 0;
        for (int64_t i = 0; i < a.n; ++i) keys[size_t(i)] = sort_key(in[i * a.inner], false);
        if constexpr (is_float<T>)
          for (int64_t i = 0; i < a.n; ++i) nans += keys[size_t(i)] == K(~K(0));
        auto nth = keys.begin() + rank(nans, a.n);
        std::nth_element(keys.begin(), nth, keys.end());
        const K key = *nth;
        int64_t at = 0;
        while (sort_key(in[at * a.inner], false) != key) ++at;
        values.data<T>()[r] = in[at * a.inner];
        indices.data<int64_t>()[r] = at + op.base;
      }
    });
  });
}

void kthvalue(const ops::KthValue& op, Tensor& v, Tensor& i, const Dense& x) {
  select_rank(op, v, i, x, [&](int64_t, int64_t) { return op.k - 1; });
}
void median(const ops::MedianDim& op, Tensor& v, Tensor& i, const Dense& x) {
  select_rank(op, v, i, x, [](int64_t nans, int64_t n) { return nans ? n - 1 : (n - 1) / 2; });
}
void nanmedian(const ops::NanMedianDim& op, Tensor& v, Tensor& i, const Dense& x) {
  select_rank(op, v, i, x, [](int64_t nans, int64_t n) { return nans < n ? (n - nans - 1) / 2 : 0; });
}

const Kernel<kthvalue> kthvalue_;
const Kernel<median> median_;
const Kernel<nanmedian> nanmedian_;

}  // namespace
}  // namespace luth::cpu
