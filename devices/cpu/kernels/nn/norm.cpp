// batch_norm and layer_norm: loops over channels in either memory order, and over rows. Sums are taken per part (a row
// of a channel, or a block of rows) and joined in order, in double.
#include "core/ops/nn/norm.h"
#include "core/ops/nn/group_norm.h"

#include <tuple>

#include "core/ops/create/factory.h"
#include "devices/cpu/kernels/common/elementwise.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

/// The memory of N x C x …, in parts that are processed in parallel: a part is a sample or, in channels-last memory
/// (`last`), a block of rows of C elements.
struct Channels {
  int64_t c, inner, rows, block;  // inner: spatial positions; rows: N * inner; block: rows per part where `last`
  bool last;
  int64_t parts;

  explicit Channels(const Tensor& t) {
    const Shape& s = t.shape();
    c = s[1];
    rows = c ? s.numel() / c : 0;
    inner = s[0] ? rows / s[0] : 0;
    last = inner == 1 || !t.is_contiguous();
    block = std::max<int64_t>(64, row_grain(c));
    parts = last ? (rows + block - 1) / block : s[0];
  }
  int64_t count(int64_t part) const { return last ? std::min(block, rows - part * block) : inner; }
  /// The grain of loops over parts, or over channels of parts.
  int64_t grain() const { return row_grain(last ? block * c : inner); }
  /// Calls one(part, channel) for each part or, where `last`, all(part).
  template <class F, class G>
  void each(F one, G all) const {
    if (last)
      parallel_each(parts, grain(), all);
    else
      parallel_each(parts * c, grain(), [&](int64_t r) { one(r / c, r % c); });
  }
  /// y = f(c)(x…), element by element of channel c, in compute type.
  template <class F, class T, class... In>
  void map(F f, T* y, const In*... x) const {
    each(
        [&](int64_t part, int64_t channel) {
          const int64_t at = (part * c + channel) * inner;
          map_row(
              inner, y + at, [g = f(channel)](int64_t, auto... v) { return g(v...); }, x + at...);
        },
        [&](int64_t part) {
          for (int64_t r = 0; r < count(part); ++r) {
            const int64_t at = (part * block + r) * c;
            map_row(
                c, y + at, [f](int64_t k, auto... v) { return f(k)(v...); }, x + at...);
          }
        });
  }
  /// Zeros: a number for each channel of each part.
  template <class A>
  std::vector<A> zeros_per_part() const {
    return std::vector<A>(size_t(parts * c), A(0));
  }
};

/// `t` in the memory order of `like` (which is row-major or channels-last).
Tensor ordered(const Tensor& t, const Tensor& like) {
  if (t.is_contiguous() ? like.is_contiguous() : t.strides() == like.strides()) return t;
  Tensor out = Tensor::empty(t.shape(), t.dtype(), t.device(), &like.strides());
  copy_elements(out, t);
  return out;
}
/// The n elements of t in type A; `other` n times if t is null.
template <class A>
std::vector<A> numbers(const Tensor& t, int64_t n, A other) {
  std::vector<A> v(size_t(n), other);
  if (t)
    dispatch(Floats{}, t.dtype(), [&]<class T>(Type<T>) {
      for (int64_t i = 0; i < n; ++i) v[size_t(i)] = A(compute_t<T>(t.data<T>()[i]));
    });
  return v;
}

constexpr int64_t long_row = 2048;

/// The sums over i < n of the two numbers that f(i) gives, in 32 lanes each.
template <class A, class F>
std::pair<A, A> two_sums(int64_t n, F f) {
  constexpr int width = 32;
  A first[width] = {}, second[width] = {};
  const auto add = [&](int l, int64_t i) {
    const auto [u, v] = f(i);
    first[l] += u, second[l] += v;
  };
  int64_t i = 0;
  for (; i + width <= n; i += width) each_lane<width, A>([&](int l) { add(l, i + l); });
  for (int l = 0; i + l < n; ++l) add(l, i + l);
  const auto plus = [](A a, A b) { return a + b; };
  return {joined<width>(first, plus), joined<width>(second, plus)};
}

/// The mean of a row, and the sum of the squares of the distances to it. Of a long row, sums of blocks are added in
/// double, and the distances add up to what the mean lacks by rounding (the corrected two-pass algorithm of Chan, Golub
/// and LeVeque, "Algorithms for computing the sample variance", 1983).
template <class A, class X>
std::pair<A, A> mean_and_squares(X x, int64_t n) {
  const A m = sum_of<A>(n, [=](int64_t i) { return A(x[i]); }) / A(n);
  const auto apart = [=](int64_t i) { return A(x[i]) - m; };
  if (n <= long_row) return {m, sum_of<A>(n, [=](int64_t i) { return apart(i) * apart(i); })};
  double rest = 0, squares = 0;
  for (int64_t begin = 0; begin < n; begin += long_row) {
    const auto [d, q] = two_sums<A>(std::min(n - begin, long_row), [=](int64_t i) {
      const A far = apart(begin + i);
      return std::pair(far, far * far);
    });
    rest += double(d), squares += double(q);
  }
  return {m + A(rest / double(n)), A(std::max(squares - rest * rest / double(n), 0.0))};
}

/// Mean and biased variance of each channel: those of the parts, combined by the formula of Chan, Golub and LeVeque
/// ("Updating formulae and a pairwise algorithm for computing sample variances", 1979).
template <class T, class A>
void channel_statistics(const Channels& ch, const T* x, A* mean, A* var) {
  std::vector<A> means = ch.zeros_per_part<A>(), squares = means;
  ch.each(
      [&](int64_t part, int64_t c) {
        const EasyRow<T> row(x + (part * ch.c + c) * ch.inner, ch.inner);
        const size_t at = size_t(part * ch.c + c);
        std::tie(means[at], squares[at]) = mean_and_squares<A>(row.data(), ch.inner);
      },
      [&](int64_t part) {
        const int64_t n = ch.count(part);
        const EasyRow<T> rows(x + part * ch.block * ch.c, n * ch.c);
        const auto* const p = rows.data();
        A* __restrict m = means.data() + part * ch.c;
        A* __restrict q = squares.data() + part * ch.c;
        // relative to the first row: a long sum of numbers far from 0 loses digits
        for (int64_t r = 1; r < n; ++r)
          for (int64_t c = 0; c < ch.c; ++c) m[c] += A(p[r * ch.c + c]) - A(p[c]);
        for (int64_t c = 0; c < ch.c; ++c) m[c] = m[c] / A(n) + A(p[c]);
        for (int64_t r = 0; r < n; ++r)
          for (int64_t c = 0; c < ch.c; ++c) q[c] += (A(p[r * ch.c + c]) - m[c]) * (A(p[r * ch.c + c]) - m[c]);
      });
  for (int64_t c = 0; c < ch.c; ++c) {
    double n = 0, m = 0, q = 0;
    for (int64_t part = 0; part < ch.parts; ++part) {
      const double k = double(ch.count(part)), d = double(means[size_t(part * ch.c + c)]) - m;
      if (k == 0) continue;
      n += k;
      m += d * k / n;
      q += double(squares[size_t(part * ch.c + c)]) + d * d * k * (n - k) / n;
    }
    mean[c] = A(m);
    var[c] = A(q / n);
  }
}

/// y = (x - shift) * scale + offset per channel.
template <class T, class A>
void affine(const Channels& ch, T* y, const T* x, const A* shift, const A* scale, const A* offset) {
  auto f = [=](int64_t c) { return [m = shift[c], k = scale[c], b = offset[c]](A v) { return (v - m) * k + b; }; };
  ch.map(f, y, x);
}

void batch_norm_train(const ops::BatchNormTrain& op, Tensor& y, Tensor& mean, Tensor& var, const Strided& input,
                      const Dense& weight, const Dense& bias) {
  const Tensor x = ordered(input, y);
  const Channels ch(y);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    A *m = mean.data<A>(), *v = var.data<A>();
    channel_statistics(ch, x.data<T>(), m, v);
    std::vector<A> scale = numbers<A>(weight, ch.c, 1), offset = numbers<A>(bias, ch.c, 0);
    for (int64_t c = 0; c < ch.c; ++c) scale[size_t(c)] *= A(1 / std::sqrt(double(v[c]) + op.eps));
    affine(ch, y.data<T>(), x.data<T>(), m, scale.data(), offset.data());
  });
}

void channel_affine(const ops::ChannelAffine&, Tensor& y, const Strided& input, const Dense& shift, const Dense& scale,
                    const Dense& offset) {
  const Tensor x = ordered(input, y);
  const Channels ch(y);
  dispatch(Floats{}, y.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    affine(ch, y.data<T>(), x.data<T>(), numbers<A>(shift, ch.c, 0).data(), numbers<A>(scale, ch.c, 1).data(),
           numbers<A>(offset, ch.c, 0).data());
  });
}

/// For each channel, the sums of grad and of grad * (x - mean).
template <class T, class A>
void gradient_sums(const Channels& ch, const T* grad, const T* x, const A* mean, A* sum, A* dot) {
  std::vector<A> sums = ch.zeros_per_part<A>(), dots = sums;
  ch.each(
      [&](int64_t part, int64_t c) {
        const int64_t at = (part * ch.c + c) * ch.inner;
        const EasyRow<T> grads(grad + at, ch.inner), inputs(x + at, ch.inner);
        sums[size_t(part * ch.c + c)] = lanes(
            grads.data(), ch.inner, A(0), [](A a, auto g) { return a + A(g); }, [](A a, A b) { return a + b; });
        dots[size_t(part * ch.c + c)] = lanes2<A>(grads.data(), inputs.data(), ch.inner,
                                                  [m = mean[c]](A a, auto g, auto v) { return a + A(g) * (A(v) - m); });
      },
      [&](int64_t part) {
        const int64_t at = part * ch.block * ch.c;
        A* __restrict s = sums.data() + part * ch.c;
        A* __restrict d = dots.data() + part * ch.c;
        const EasyRow<T> grads(grad + at, ch.count(part) * ch.c), inputs(x + at, ch.count(part) * ch.c);
        for (int64_t r = 0; r < ch.count(part); ++r) {
          const auto *g = grads.data() + r * ch.c, *p = inputs.data() + r * ch.c;
          for (int64_t c = 0; c < ch.c; ++c) {
            s[c] += A(g[c]);
            d[c] += A(g[c]) * (A(p[c]) - mean[c]);
          }
        }
      });
  for (int64_t c = 0; c < ch.c; ++c) {
    double s = 0, d = 0;
    for (int64_t part = 0; part < ch.parts; ++part) {
      s += double(sums[size_t(part * ch.c + c)]);
      d += double(dots[size_t(part * ch.c + c)]);
    }
    sum[c] = A(s);
    dot[c] = A(d);
  }
}

// dx = k (grad - mean(grad) - (x - mean) h), k = weight * s, h = s^2 mean(grad * (x - mean)), s = 1 / sqrt(var + eps).
template <class T, class A>
void input_gradient(const Channels& ch, T* dx, const T* grad, const T* x, const A* mean, const A* k, const A* middle,
                    const A* h) {
  auto f = [=](int64_t c) {
    return [a = k[c], b = middle[c], m = mean[c], d = h[c]](A g, A v) { return a * (g - b - (v - m) * d); };
  };
  ch.map(f, dx, grad, x);
}

void batch_norm_backward(const ops::BatchNormBackward& op, Tensor& dx, Tensor& dweight, Tensor& dbias,
                         const Strided& gradient, const Strided& input, const Dense& weight, const Dense& mean,
                         const Dense& var) {
  const Tensor x = ordered(input, dx), grad = ordered(gradient, dx);
  const Channels ch(dx);
  dispatch(Floats{}, dx.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    const std::vector<A> m = numbers<A>(mean, ch.c, 0), v = numbers<A>(var, ch.c, 0);
    std::vector<A> k = numbers<A>(weight, ch.c, 1), middle(size_t(ch.c)), h(size_t(ch.c));
    A *dw = dweight.data<A>(), *db = dbias.data<A>();
    gradient_sums(ch, grad.data<T>(), x.data<T>(), m.data(), db, dw);
    for (size_t c = 0; c < size_t(ch.c); ++c) {
      const double s = 1 / std::sqrt(double(v[c]) + op.eps), n = double(ch.rows);
      k[c] = A(double(k[c]) * s);
      middle[c] = A(double(db[c]) / n);
      h[c] = A(s * s * double(dw[c]) / n);
      dw[c] = A(s * double(dw[c]));
    }
    input_gradient(ch, dx.data<T>(), grad.data<T>(), x.data<T>(), m.data(), k.data(), middle.data(), h.data());
  });
}

void batch_norm_move(const ops::BatchNormMove& op, Tensor& y, const Value& running, const Value& now,
                     const Value& weight) {
  apply_elementwise(op, y, running, now, weight);
}

// ---- layer_norm ----------------------------------------------------------------------------------------------------

/// The last dims as one axis.
Axis last_dims(const Shape& s, int64_t dims) {
  Axis a{1, 1, 1};
  for (int i = 0; i < s.size(); ++i) (i < s.size() - dims ? a.outer : a.n) *= s[i];
  return a;
}

/// The mean m of a row (0 if not `centred`) and 1 / sqrt(mean of (x - m)^2 + eps).
template <class A>
std::pair<A, A> mean_and_rstd(const A* x, int64_t n, bool centred, double eps) {
  const auto [m, squares] = centred ? mean_and_squares<A>(x, n) : std::pair(A(0), row_dot(x, x, n));
  return {m, A(1) / std::sqrt(squares / A(n) + A(eps))};
}

/// Calls write(row, x, y, m, r, w, b) for each row, which writes (x - m) r w + b to y; m is the mean, r 1 / the
/// standard deviation, w and b have `weights` elements.
template <class F>
void normalize_rows(const Axis& a, int64_t weights, bool centred, double eps, Tensor& y, Tensor& mean, Tensor& rstd,
                    const Tensor& x, const Tensor& weight, const Tensor& bias, F write) {
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    const std::vector<A> w = numbers<A>(weight, weights, 1), b = numbers<A>(bias, weights, 0);
    for_rows<T>(a, {x.data<T>()}, y.data<T>(), [&, n = a.n](int64_t row, const A* p, A* q) {
      const auto [m, r] = mean_and_rstd(p, n, centred, eps);
      mean.data<A>()[row] = m;
      rstd.data<A>()[row] = r;
      write(row, p, q, m, r, w.data(), b.data());
    });
  });
}

void layer_norm(const ops::NativeLayerNorm& op, Tensor& y, Tensor& mean, Tensor& rstd, const Dense& x,
                const Dense& weight, const Dense& bias) {
  const Axis a = last_dims(x.shape(), op.dims);
  normalize_rows(a, a.n, op.centred, op.eps, y, mean, rstd, x, weight, bias,
                 [n = a.n]<class A>(int64_t, const A* __restrict p, A* __restrict q, A m, A r, const A* __restrict w,
                                    const A* __restrict b) {
                   for (int64_t i = 0; i < n; ++i) q[i] = (p[i] - m) * r * w[i] + b[i];
                 });
}

void group_norm(const ops::NativeGroupNorm& op, Tensor& y, Tensor& mean, Tensor& rstd, const Dense& x,
                const Dense& weight, const Dense& bias) {
  const int64_t channels = x.shape()[1], groups = op.num_groups, each = channels / groups;
  const Axis a{mean.numel(), mean.numel() ? x.numel() / mean.numel() : 0, 1};
  const int64_t inner = a.n / std::max<int64_t>(each, 1);
  normalize_rows(a, channels, true, op.eps, y, mean, rstd, x, weight, bias,
                 [=]<class A>(int64_t row, const A* in, A* out, A m, A r, const A* w, const A* b) {
                   for (int64_t c = 0; c < each; ++c) {
                     const A* __restrict p = in + c * inner;
                     A* __restrict q = out + c * inner;
                     const A scale = r * w[row % groups * each + c], offset = b[row % groups * each + c];
                     for (int64_t i = 0; i < inner; ++i) q[i] = (p[i] - m) * scale + offset;
                   }
                 });
}

/// What the gradient of a norm over rows reads: m, the mean of each row, r, 1 / its standard deviation, and the
/// weights.
template <class T>
struct RowStatistics {
  using A = compute_t<T>;
  std::vector<A> m, r, w;
  RowStatistics(const Tensor& mean, const Tensor& rstd, const Tensor& weight, int64_t weights)
      : m(numbers<A>(mean, rstd.numel(), 0)), r(numbers<A>(rstd, rstd.numel(), 0)), w(numbers<A>(weight, weights, 1)) {}
};

// Of each group: dx = r (k g - middle - (x - m) slope), from the sums over its channels.
void group_norm_backward(const ops::GroupNormBackward& op, Tensor& dx, Tensor& dots, Tensor& totals, const Dense& grad,
                         const Dense& x, const Dense& weight, const Dense& mean, const Dense& rstd) {
  const int64_t channels = x.shape()[1], groups = op.num_groups, each = channels / groups, rows = rstd.numel();
  const Axis a{rows, rows ? x.numel() / rows : 0, 1};
  dispatch(Floats{}, x.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    const RowStatistics<T> all(mean, rstd, weight, channels);
    for_rows<T>(a, {grad.data<T>(), x.data<T>()}, dx.data<T>(),
                [&, n = a.n, inner = a.n / std::max<int64_t>(each, 1)](int64_t row, const A* g, const A* p, A* out) {
                  const A m = all.m[size_t(row)], r = all.r[size_t(row)], *k = all.w.data() + row % groups * each;
                  A middle = 0, slope = 0;
                  for (int64_t c = 0; c < each; ++c) {
                    const A total = row_sum(g + c * inner, inner);
                    const A dot = r * lanes2<A>(g + c * inner, p + c * inner, inner,
                                                [m](A s, A u, A v) { return s + u * (v - m); });
                    if (op.affine) totals.data<A>()[row * each + c] = total, dots.data<A>()[row * each + c] = dot;
                    middle += k[c] * total / A(n), slope += k[c] * dot * r / A(n);
                  }
                  for (int64_t c = 0; c < each; ++c) {
                    const A* __restrict u = g + c * inner, * __restrict v = p + c * inner;
                    A* __restrict q = out + c * inner;
                    for (int64_t i = 0; i < inner; ++i) q[i] = r * (k[c] * u[i] - middle - (v[i] - m) * slope);
                  }
                });
  });
}

/// Adds the sums over rows of grad * (x - mean) * rstd and of grad to w and s, row by row.
template <class T, class A>
void add_affine_gradients(const Axis& a, const T* grad, const T* x, const A* mean, const A* rstd, A* __restrict w,
                          A* __restrict s) {
  const int64_t n = a.n;
  const auto add = [=]<int... r>(int64_t row, std::integer_sequence<int, r...>) {  // sums are loaded and stored once
    const T *g = grad + row * n, *p = x + row * n;
    const A m[] = {mean[row + r]...}, k[] = {rstd[row + r]...};
#pragma GCC ivdep  // w and s are no inputs
    for (int64_t i = 0; i < n; ++i) {
      A dot = w[i], total = s[i];
      ((dot += A(g[r * n + i]) * ((A(p[r * n + i]) - m[r]) * k[r]), total += A(g[r * n + i])), ...);
      w[i] = dot, s[i] = total;
    }
  };
  int64_t row = 0;
  for (; row + 4 <= a.outer; row += 4) add(row, std::make_integer_sequence<int, 4>());
  for (; row < a.outer; ++row) add(row, std::make_integer_sequence<int, 1>());
}

/// Sums over rows of grad * (x - mean) * rstd and of grad: those of blocks of rows, added in order. Calls first(row,
/// rows) for a few rows before they are added, so that they are in the cache for both.
template <class T, class A, class F>
void affine_gradients(const Axis& a, const T* grad, const T* x, const A* mean, const A* rstd, A* dw, A* db, F first) {
  const int64_t n = a.n, grain = row_grain(n), few = std::max<int64_t>(8, grain / 4 * 4);
  const int64_t block = std::max<int64_t>(64, grain), blocks = (a.outer + block - 1) / block;
  std::vector<A> parts(size_t(2 * blocks * n), A(0));
  parallel_each(blocks, 1, [&](int64_t b) {
    A* const w = parts.data() + 2 * b * n;
    for (int64_t r = b * block, end = std::min(a.outer, r + block); r < end; r += few) {
      const int64_t rows = std::min(few, end - r);
      first(r, rows);
      add_affine_gradients(Axis{rows, n, 1}, grad + r * n, x + r * n, mean + r, rstd + r, w, w + n);
    }
  });
  std::fill(dw, dw + n, A(0));
  std::fill(db, db + n, A(0));
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t i = 0; i < n; ++i) {
      dw[i] += parts[size_t(2 * b * n + i)];
      db[i] += parts[size_t((2 * b + 1) * n + i)];
    }
}

/// The gradient q of a row p with the mean m, 1 / the standard deviation r and the weights k. With `keep` the products
/// g k wait in q for the second loop: of a long row, g and k have left the nearest cache by then.
template <bool keep, class A>
void layer_norm_row_gradient(int64_t n, bool centred, const A* __restrict g, const A* __restrict p,
                             const A* __restrict k, A m, A r, A* __restrict q) {
  const auto [sum, dot] = two_sums<A>(n, [=](int64_t i) {
    const A u = g[i] * k[i];
    if constexpr (keep) q[i] = u;
    return std::pair(u, u * (p[i] - m));
  });
  const A middle = centred ? sum / A(n) : A(0), slope = dot * r / A(n) * r;
  for (int64_t i = 0; i < n; ++i) q[i] = r * ((keep ? q[i] : g[i] * k[i]) - middle - (p[i] - m) * slope);
}

void layer_norm_backward(const ops::LayerNormBackward& op, Tensor& dx, Tensor& dweight, Tensor& dbias,
                         const Dense& gradient, const Dense& input, const Dense& weight, const Dense& mean,
                         const Dense& rstd) {
  const Axis a = last_dims(input.shape(), op.dims);
  dispatch(Floats{}, input.dtype(), [&]<class T>(Type<T>) {
    using A = compute_t<T>;
    const RowStatistics<T> all(mean, rstd, weight, a.n);
    const T *grad = gradient.data<T>(), *x = input.data<T>();
    const auto row_gradient = a.n > long_row ? layer_norm_row_gradient<true, A> : layer_norm_row_gradient<false, A>;
    const auto input_gradient = [&, n = a.n](int64_t first, int64_t rows) {
      for_rows<T>(Axis{rows, n, 1}, {grad + first * n, x + first * n}, dx.data<T>() + first * n,
                  [&, n](int64_t row, const A* g, const A* p, A* q) {
                    row_gradient(n, op.centred, g, p, all.w.data(), all.m[size_t(first + row)],
                                 all.r[size_t(first + row)], q);
                  });
    };
    if (op.affine)
      affine_gradients(a, grad, x, all.m.data(), all.r.data(), dweight.data<A>(), dbias.data<A>(), input_gradient);
    else
      input_gradient(0, a.outer);
  });
}

const Kernel<batch_norm_move> batch_norm_move_;
const Kernel<batch_norm_train> batch_norm_train_;
const Kernel<batch_norm_backward> batch_norm_backward_;
const Kernel<channel_affine> channel_affine_;
const Kernel<layer_norm> layer_norm_;
const Kernel<group_norm> group_norm_;
const Kernel<group_norm_backward> group_norm_backward_;
const Kernel<layer_norm_backward> layer_norm_backward_;

}  // namespace
}  // namespace luth::cpu
