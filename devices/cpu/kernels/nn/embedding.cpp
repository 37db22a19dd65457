// Rows of a table by index, their gradient, their sums, and one_hot.
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
    parallel_for(n, std::max<int64_t>(64, row_grain(at.size())), [&](int64_t b, int64_t e) {
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

/// y = the sum of k rows of `width` elements, at most `tile`, times w where it is given, without row `skip`. As in
/// other sums, blocks of rows add up in double.
constexpr int tile = 32;
template <class T>
void sum_rows(const T* table, auto at, const T* w, int64_t k, int64_t n, int64_t skip, auto width, T* y) {
  using A = compute_t<T>;
  constexpr int64_t block = 512;
  double total[tile];
  for (int64_t j = 0; j < width; ++j) total[j] = 0;
  for (int64_t b = 0; b < k; b += block) {
    A lane[tile], wide[tile];
    for (int64_t j = 0; j < width; ++j) lane[j] = 0;
    for (int64_t i = b; i < std::min(k, b + block); ++i) {
      if (at(i) == skip) continue;
      const auto* row = easy_row(table + at(i) * n, wide, width);
      const A weight = w ? A(w[i]) : A(1);
      auto add = [&](int64_t j) { lane[j] += weight * A(row[j]); };
      if constexpr (std::is_same_v<decltype(width), std::integral_constant<int64_t, tile>>)
        each_lane<tile, A>(add);
      else
        for (int64_t j = 0; j < width; ++j) add(j);
    }
    for (int64_t j = 0; j < width; ++j) total[j] += double(lane[j]);
  }
  for (int64_t j = 0; j < width; ++j) y[j] = T(A(total[j]));
}
void row_sums(const ops::RowSums& op, Tensor& y, const Dense& table, const Strided& input, const Dense& weights,
              const Strided& offsets) {
  const int64_t n = y.shape()[1], bags = y.shape()[0], positions = input.numel();
  const Indices at(input, table.shape()[0], op.base, false, "input");
  std::optional<Indices> begins;
  if (offsets) begins.emplace(offsets, positions + 1, op.base, false, "offsets");
  const int64_t k = offsets ? positions / std::max<int64_t>(1, bags) : input.shape()[1], skip = op.skip.value_or(-1);
  auto begin = [&](int64_t r) { return !begins ? r * k : r < begins->size() ? (*begins)[r] : positions; };
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    const T *in = table.data<T>(), *w = weights ? weights.data<T>() : nullptr;
    T* out = y.data<T>();
    parallel_each(bags, row_grain(k * n), [&](int64_t r) {
      const int64_t first = begin(r), rows = begin(r + 1) - first;
      auto sum = [&](int64_t j, auto width) {
        sum_rows(
            in + j, [&](int64_t i) { return at[first + i]; }, w ? w + first : w, rows, n, skip, width, out + r * n + j);
      };
      int64_t j = 0;
      for (; j + tile <= n; j += tile) sum(j, std::integral_constant<int64_t, tile>());
      if (n - j == 1)  // images are grey or have three colours
        sum(j, std::integral_constant<int64_t, 1>());
      else if (n - j == 3)
        sum(j, std::integral_constant<int64_t, 3>());
      else if (j < n)
        sum(j, n - j);
    });
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
const Kernel<row_sums> row_sums_;
const Kernel<one_hot> one_hot_;

}  // namespace
}  // namespace luth::cpu
