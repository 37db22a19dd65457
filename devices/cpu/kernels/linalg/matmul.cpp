// Matrix products. Transposed operands are read where they lie; 16-bit floats are computed in float.
#include "core/ops/linalg/matmul.h"

#include <cstring>

#include "core/base/threads.h"
#include "devices/cpu/kernels/common/gemm.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/linalg/bf16_gemm.h"
#include "devices/cpu/kernels/linalg/small_products.h"
#include "devices/cpu/runtime/buffer.h"

namespace luth::cpu {
namespace {

constexpr int64_t cheap = 1 << 18;  // multiply-adds that one thread does sooner than it would share them

/// How many dot products of k elements a range of mv_rows takes.
int64_t grain_of_dots(int64_t k) { return std::max<int64_t>(256, cheap / std::max<int64_t>(1, k) / 256 * 256); }

template <class T>
Matrix<T> matrix(const Tensor& t) {
  int d = t.dim();
  return {t.data<T>(), t.strides()[d - 2], t.strides()[d - 1]};
}

/// C by its transpose: where A's columns lie together and are longer than B's rows, vectors are theirs.
template <class T>
void multiply_transposed(const Sizes& s, T alpha, const Operands<T>& o, T beta) {
  Buffer<T> t(s.n * s.m);
  parallel_gemm(s.n, s.m, s.k, alpha, o.b.transposed(), o.a.transposed(), T(0), t.get(), s.m);
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      T& c = o.c[i * s.n + j];
      c = T(beta == T(0) ? t[j * s.m + i] : t[j * s.m + i] + beta * c);
    }
}

template <class T>
void multiply(const Sizes& s, T alpha, const Operands<T>& o, T beta) {
  const int64_t grain = std::max<int64_t>(1, cheap / std::max<int64_t>(1, s.m * s.n * s.k));
  if (s.batch > 1 && are_small(s, o))
    return parallel_for(s.batch, grain, [&](int64_t begin, int64_t end) {
      small_products({end - begin, s.m, s.n, s.k}, alpha, o.at(begin, s.m * s.n), beta);
    });
  if (s.batch == 1 && is_tall<T>(s) && beta == T(0))
    return parallel_for(s.m, cheap / 64, [&](int64_t begin, int64_t end) {
      tall_product(end - begin, s.n, s.k, alpha, o.a.at(begin, 0), o.b, o.c + begin * s.n);
    });
  constexpr int64_t long_sums = 256;  // to transpose the result takes little beside them
  if (s.batch == 1 && o.a.row == 1 && o.b.col == 1 && s.n > 1 && s.n <= 16 && s.m >= 2 * s.n && s.k >= long_sums)
    return multiply_transposed(s, alpha, o, beta);
  const auto item = [&](int64_t i, auto&& product) {
    const Operands<T> one = o.at(i, s.m * s.n);
    product(s.m, s.n, s.k, alpha, one.a, one.b, beta, one.c, s.n);
  };
  constexpr int64_t large = 1 << 22;  // of several products such are shared out one by one, a single one sooner
  if (s.batch == 1 || (s.batch < 4 * num_threads() && s.m * s.n * s.k > large)) {
    for (int64_t i = 0; i < s.batch; ++i) item(i, parallel_gemm<T>);
    return;
  }
  parallel_for(s.batch, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) item(i, gemm<T>);
  });
}

// [batch, rows, cols] of 16-bit floats, at any strides, as dense floats
template <class T>
void widen(int64_t batch, int64_t rows, int64_t cols, Matrix<T> x, int64_t step, float* out) {
  if (batch > 1 && rows > 1 && x.col == 1 && x.row == cols) return widen(batch, 1, rows * cols, x, step, out);
  parallel_for(batch * rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cols)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* in = x.p + r / rows * step + r % rows * x.row;
      if (x.col == 1)
        convert_row(in, out + r * cols, cols);
      else
        for (int64_t j = 0; j < cols; ++j) out[r * cols + j] = computed(in[j * x.col]);
    }
  });
}

/// A row by a matrix, whose elements are converted where they are used: no other row uses them.
template <class T>
void multiply_row(const Sizes& s, float alpha, const Operands<T>& o, float beta) {
  Buffer<float> row(s.k), sums(s.n);
  widen(1, 1, s.k, o.a, 0, row.get());
  parallel_for(s.n, grain_of_dots(s.k), [&](int64_t begin, int64_t end) {
    mv_rows(begin, end, s.k, o.b.transposed(), row.get(), sums.get());
    for (int64_t j = begin; j < end; ++j)
      sums[j] = beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * computed(o.c[j]);
    convert_row(sums.get() + begin, o.c + begin, end - begin);
  });
}

template <class T>
void multiply_half(const Sizes& s, float alpha, const Operands<T>& o, float beta) {
  if (s.batch == 1 && s.m == 1) return multiply_row(s, alpha, o, beta);
  if constexpr (std::is_same_v<T, bfloat16>)
    if (bf16_gemm({s.batch, s.m, s.n, s.k, alpha, o.a, o.b, o.a_step, o.b_step, beta, o.c})) return;
  Buffer<float> a(s.batch * s.m * s.k), b(s.batch * s.k * s.n), c(s.batch * s.m * s.n);
  widen(s.batch, s.m, s.k, o.a, o.a_step, a.get());
  // a transposed operand stays so: its rows are the ones that lie together
  Matrix<float> wide_b{b.get(), s.n, 1};
  if (o.b.col == 1) {
    widen(s.batch, s.k, s.n, o.b, o.b_step, b.get());
  } else {
    widen(s.batch, s.n, s.k, o.b.transposed(), o.b_step, b.get());
    wide_b = {b.get(), 1, s.k};
  }
  int64_t results = s.batch * s.m * s.n;
  if (beta != 0) widen(1, 1, results, Matrix<T>{o.c, 0, 1}, 0, c.get());
  multiply<float>(s, alpha, {{a.get(), s.k, 1}, wide_b, s.m * s.k, s.k * s.n, c.get()}, beta);
  parallel_for(results, 16384,
               [&](int64_t begin, int64_t end) { convert_row(c.get() + begin, o.c + begin, end - begin); });
}

template <class T>
void multiply_any(const Sizes& s, const Scalar& alpha, const Operands<T>& o, const Scalar& beta) {
  if constexpr (is_half<T>)
    multiply_half(s, alpha.to<float>(), o, beta.to<float>());
  else
    multiply(s, alpha.to<T>(), o, beta.to<T>());
}

/// y = alpha a @ b + beta y, of tensors of 2 or 3 dims.
void product(Tensor& y, const Tensor& a, const Tensor& b, const Scalar& alpha = 1, const Scalar& beta = 0) {
  const int d = a.dim();
  const Sizes s{d == 3 ? a.shape()[0] : 1, a.shape()[d - 2], b.shape().back(), a.shape().back()};
  if (y.numel() == 0) return;
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    multiply_any<T>(
        s, alpha,
        {matrix<T>(a), matrix<T>(b), a.dim() == 3 ? a.strides()[0] : 0, b.dim() == 3 ? b.strides()[0] : 0, y.data<T>()},
        beta);
  });
}

void mm(const ops::Mm&, Tensor& y, const Value& a, const Value& b) { product(y, a, b); }
void bmm(const ops::Bmm&, Tensor& y, const Value& a, const Value& b) { product(y, a, b); }

// y = input, broadcast to y's shape (up to 3 dims)
void fill_broadcast(Tensor& y, const Tensor& input) {
  int64_t rows = y.dim() > 1 ? y.shape()[y.dim() - 2] : 1, cols = y.shape(-1),
          outer = y.numel() ? y.numel() / (rows * cols) : 0;
  auto stride = [&](int from_end) {
    int d = input.dim() - from_end;
    return d < 0 || input.shape()[d] == 1 ? 0 : input.strides()[d];
  };
  int64_t sb = stride(3), sr = stride(2), sc = stride(1);
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const T* in = input.data<T>();
    T* out = y.data<T>();
    parallel_for(outer * rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, cols)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t r = begin; r < end; ++r) {
                     const T* row = in + (outer == 1 ? r * sr : r / rows * sb + r % rows * sr);
                     if (sc == 1)
                       std::memcpy(static_cast<void*>(out + r * cols), row, size_t(cols) * sizeof(T));
                     else
                       for (int64_t j = 0; j < cols; ++j) out[r * cols + j] = row[j * sc];
                   }
                 });
  });
}

void blended(const ops::Blend& op, Tensor& y, const Tensor& input, const Tensor& a, const Tensor& b) {
  bool added = op.beta.value() != 0;
  if (added) fill_broadcast(y, input);
  product(y, a, b, op.alpha, added ? op.beta : Scalar(0));
}
void addmm(const ops::Addmm& op, Tensor& y, const Value& input, const Value& a, const Value& b) {
  blended(op, y, input, a, b);
}
void baddbmm(const ops::Baddbmm& op, Tensor& y, const Value& input, const Value& a, const Value& b) {
  blended(op, y, input, a, b);
}

// A vector whose elements are not neighbours, or are 16-bit floats, as neighbours of the compute type.
template <class T>
Buffer<compute_t<T>> packed(const Tensor& t) {
  int64_t n = t.numel(), step = t.strides()[0];
  Buffer<compute_t<T>> out(n);
  if (step == 1)
    convert_row(t.data<T>(), out.get(), n);
  else
    for (int64_t i = 0; i < n; ++i) out[i] = computed(t.data<T>()[i * step]);
  return out;
}

void mv(const ops::Mv&, Tensor& y, const Strided& a, const Strided& v) {
  int64_t m = a.shape()[0], n = a.shape()[1];
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    auto vec = packed<T>(v);
    const Matrix<T> rows = matrix<T>(a);
    if constexpr (is_half<T>)
      parallel_for(m, grain_of_dots(n),
                   [&](int64_t begin, int64_t end) { mv_rows(begin, end, n, rows, vec.get(), y.data<T>()); });
    else
      parallel_gemm(m, 1, n, T(1), rows, Matrix<T>{vec.get(), 1, 1}, T(0), y.data<T>(), 1);
  });
}

void dot_kernel(const ops::Dot&, Tensor& y, const Strided& a, const Strided& b) {
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    if constexpr (!is_half<T>)
      if (a.strides()[0] == 1 && b.strides()[0] == 1) {
        *y.data<T>() = dot(a.numel(), a.data<T>(), b.data<T>());
        return;
      }
    auto x = packed<T>(a), z = packed<T>(b);
    *y.data<T>() = T(dot(a.numel(), x.get(), z.get()));
  });
}

void fill_rows(Tensor& y, int64_t rows, int64_t cols, const Tensor& bias) {
  if (y.dim() == 2 || bias.dim() > 1) return fill_broadcast(y, bias);
  Tensor flat = Tensor::alias(y.storage(), {rows, cols}, {cols, 1}, y.offset(), y.dtype());
  fill_broadcast(flat, bias);
}

// The weight is read across. x is a matrix, or its dims before the last lie as one.
void linear(const ops::Linear&, Tensor& y, const Value& input, const Value& weight, const Value& added) {
  const Tensor &x = input, &w = weight, &bias = added;
  if (y.numel() == 0) return;
  const int64_t outputs = w.dim() == 1 ? 1 : w.shape()[0], k = w.shape().back(), rows = y.numel() / outputs;
  // a row that the product adds itself
  const bool is_row = bias && bias.dim() == 1 && bias.shape()[0] == outputs && bias.strides()[0] == 1;
  const bool lies = x.dim() == 2 || x.is_contiguous();
  const Tensor dense = lies ? Tensor() : dense_copy(x);
  const Tensor& in = lies ? x : dense;
  const int64_t row = x.dim() == 2 ? x.strides()[0] : k, col = x.dim() == 2 ? x.strides()[1] : 1;
  dispatch(Numbers{}, y.dtype(), [&]<class T>(Type<T>) {
    const Matrix<T> across{w.data<T>(), w.strides().back(), w.dim() == 1 ? 1 : w.strides()[0]};
    if constexpr (!is_half<T>)
      if (is_row)
        return gemm_and_row(rows, outputs, k, {in.data<T>(), row, col}, across, bias.data<T>(), y.data<T>(), outputs);
    if (bias) fill_rows(y, rows, outputs, bias);
    multiply_any<T>({1, rows, outputs, k}, 1, {{in.data<T>(), row, col}, across, 0, 0, y.data<T>()}, bias ? 1 : 0);
  });
}

const Kernel<mm> mm_;
const Kernel<bmm> bmm_;
const Kernel<addmm> addmm_;
const Kernel<baddbmm> baddbmm_;
const Kernel<mv> mv_;
const Kernel<dot_kernel> dot_;
const Kernel<linear> linear_;

}  // namespace
}  // namespace luth::cpu
