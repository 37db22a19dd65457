// Rows of a table by index, their gradient, and one_hot.
#include "core/ops/nn/embedding.h"

#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

void embedding(const ops::Embedding& op, Tensor& y, const Strided& input, const Dense& weight) {
  const int64_t rows = weight.shape()[0], bytes = weight.shape()[1] * int64_t(size_of(weight.dtype()));
  const Indices at(input, rows, op.base, false, "input");
  const char* in = weight.data<char>();
  char* out = y.data<char>();
  parallel_each(at.size(), row_grain(bytes / 4),
                [&](int64_t i) { copy_bytes(out + i * bytes, in + at[i] * bytes, size_t(bytes)); });
}

// Parallel over columns, so that gradients of one row of the table are added in order.
void embedding_backward(const ops::EmbeddingBackward& op, Tensor& y, const Dense& grad, const Strided& input) {
  const Indices at(input, op.rows, op.forward.base, false, "input");
  const int64_t n = y.shape()[1], padding = op.forward.padding_idx.value_or(-1);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    std::vector<A> wide(is_half<T> ? size_t(op.rows * n) : 0);  // 16-bit floats add up in float
    A* out;
    if constexpr (is_half<T>)
      out = wide.data();
    else
      out = y.data<T>();
    const T* in = grad.data<T>();
    if constexpr (!is_half<T>) set_zero(y);
    parallel_for(n, std::max<int64_t>(16, row_grain(at.size())), [&](int64_t b, int64_t e) {
      for (int64_t i = 0; i < at.size(); ++i) {
        if (at[i] == padding) continue;
        A* __restrict to = out + at[i] * n;
        const T* __restrict from = in + i * n;
        for (int64_t j = b; j < e; ++j) to[j] += A(from[j]);
      }
    });
    if constexpr (is_half<T>)
      for (int64_t i = 0; i < y.numel(); ++i) y.data<T>()[i] = T(out[i]);
  });
}

void one_hot(const ops::OneHot& op, Tensor& y, const Strided& input) {
  const int64_t classes = y.shape().back();
  const Indices at(input, classes, op.base, false, "input");
  set_zero(y);
  for (int64_t i = 0; i < at.size(); ++i) y.data<int64_t>()[i * classes + at[i]] = 1;
}

const Kernel<embedding> embedding_;
const Kernel<embedding_backward> embedding_backward_;
const Kernel<one_hot> one_hot_;

}  // namespace
}  // namespace luth::cpu
