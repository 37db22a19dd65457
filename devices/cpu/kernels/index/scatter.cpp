// gather, scatter and scatter_add: an index for each element.
#include "core/ops/index/index.h"
#include "devices/cpu/kernels/common/fetch_ahead.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"
#include "devices/cpu/kernels/common/rows.h"

namespace luth::cpu {
namespace {

// Offsets of the elements of an index tensor (row-major) in two tensors whose extents may be larger: `picked`, without
// the offset along `dim`, which the index gives; and `beside`, which has an element for each index.
struct Walk {
  Shape shape;  // of index, at least one dim
  int dim;
  Strides picked, beside;
  int64_t step;  // of picked along dim

  Walk(const Tensor& index, const Shape& picked_shape, const Shape& beside_shape, int64_t d)
      : shape(index.shape()), dim(wrap_dim(d, picked_shape.size())) {
    picked = contiguous_strides(picked_shape);
    beside = contiguous_strides(beside_shape);
    for (Shape* s : {&shape, &picked, &beside})
      if (s->empty()) s->push_back(1);
    step = picked[dim];
    picked[dim] = 0;
  }
  /// Rows of one element become columns, `picked.back()` and `beside.back()` apart.
  void join_single_columns() {
    while (shape.size() > 1 && shape.back() == 1)
      for (Shape* s : {&shape, &picked, &beside}) *s = Shape(s->begin(), s->end() - 1);
  }
  int64_t columns() const { return shape.back(); }
  int64_t rows() const { return shape.back() ? shape.numel() / shape.back() : 0; }
  bool last_dim() const { return dim == shape.size() - 1; }

  struct Offsets {
    int64_t picked, beside;
  };
  /// Of the first element of row r; from there, columns are picked.back() and beside.back() apart.
  Offsets row(int64_t r) const {
    Offsets at{0, 0};
    for (int d = shape.size() - 2; d >= 0; --d) {
      const int64_t c = d ? r % shape[d] : r;
      if (d) r /= shape[d];
      at.picked += c * picked[d];
      at.beside += c * beside[d];
    }
    return at;
  }
};

/// out[j] = in[j * across + index[j] * step].
template <class W>
void pick(W* __restrict out, const W* __restrict in, const int64_t* __restrict index, int64_t n, int64_t across,
          int64_t step) {
  int64_t j = 0;
  if (across == 0 && step == 1)  // along the last dim; four at a time, so that more loads are under way
    for (; j + 4 <= n; j += 4) {
      const W a = in[index[j]], b = in[index[j + 1]], c = in[index[j + 2]], d = in[index[j + 3]];
      out[j] = a, out[j + 1] = b, out[j + 2] = c, out[j + 3] = d;
    }
  for (; j < n; ++j) out[j] = in[j * across + index[j] * step];
}

void gather(const ops::Gather& op, Tensor& y, const Dense& x, const Strided& index) {
  const Axis a = axis(x, op.dim);
  const IndexParts at(index, a.n, op.base);
  if (index.numel() == 0) return;
  Walk walk(index, x.shape(), index.shape(), op.dim);
  walk.join_single_columns();
  by_size(x.dtype(), [&]<class W>(Type<W>) {
    const W* in = x.data<W>();
    W* out = y.data<W>();
    const int64_t n = walk.columns(), across = walk.picked.back(), step = walk.step;
    const bool dense = walk.last_dim() && n >= a.n;  // most of a row is read, in an order that no processor foresees
    parallel_for(walk.rows(), row_grain(n), [&](int64_t b, int64_t e) {
      int64_t row = b, column = 0, p = walk.row(b).picked;
      at.each(b * n, (e - b) * n, [&](int64_t first, const int64_t* i, int64_t count) {
        for (int64_t j = 0, m; j < count; j += m) {
          m = std::min(count - j, n - column);
          if (dense) fetch_ahead(in + p + a.n + column, m);  // of the next row
          pick(out + b * n + first + j, in + p + column * across, i + j, m, across, step);
          column += m;
          if (column == n) column = 0, p = walk.row(++row).picked;
        }
      });
    });
  });
}

// Calls put(offset in the result, offset in src) in order of the index tensor. One thread writes all that may go to one
// element: threads take rows where dim is the last one, else columns.
template <class F>
void each_scattered(const Walk& walk, const Indices& at, F put) {
  const int64_t n = walk.columns();
  auto part = [&](int64_t row0, int64_t row1, int64_t col0, int64_t col1, auto across, auto step) {
    for (int64_t r = row0; r < row1; ++r) {
      const Walk::Offsets o = walk.row(r);
      for (int64_t j = col0; j < col1; ++j) put(o.picked + j * across + at[r * n + j] * step, o.beside + j);
    }
  };
  if (at.size() == 0) return;
  using std::integral_constant;
  if (walk.last_dim())
    parallel_for(walk.rows(), row_grain(n), [&](int64_t b, int64_t e) {
      part(b, e, 0, n, integral_constant<int64_t, 0>(), integral_constant<int64_t, 1>());
    });
  else
    parallel_for(n, std::max<int64_t>(64, row_grain(walk.rows())),
                 [&](int64_t b, int64_t e) { part(0, walk.rows(), b, e, integral_constant<int64_t, 1>(), walk.step); });
}

// As amax and amin: nan is larger and smaller than all.
constexpr auto larger = []<class T>(T a, T b) -> T {
  const auto x = computed(a), y = computed(b);
  return y > x || y != y ? b : a;
};
constexpr auto smaller = []<class T>(T a, T b) -> T {
  const auto x = computed(a), y = computed(b);
  return y < x || y != y ? b : a;
};

template <class T>
void join_elements(ops::Join join, const Walk& walk, const Indices& at, T* out, const T* in, bool one) {
  auto each = [&, step = one ? 0 : 1](auto f) {
    each_scattered(walk, at, [=](int64_t to, int64_t from) { out[to] = f(out[to], in[from * step]); });
  };
  switch (join) {
    case ops::Join::write: return each([](T, T b) { return b; });
    case ops::Join::add: return each(plus);
    case ops::Join::multiply: return each(times);
    case ops::Join::larger: return each(larger);
    case ops::Join::smaller: return each(smaller);
  }
}

void scatter_tensor(ops::Join join, int64_t dim, int base, Tensor& y, const Tensor& x, const Tensor& index,
                    const Tensor& source) {
  const Axis a = axis(x, dim);
  const Indices at(apart(index, y), a.n, base);
  const Tensor src = apart(source, y);
  Target target(y, x);
  const Walk walk(index, x.shape(), src.shape(), dim);
  dispatch(AllTypes{}, y.dtype(),
           [&]<class T>(Type<T>) { join_elements(join, walk, at, target.data<T>(), src.data<T>(), false); });
  target.done();
}

void scatter(const ops::Scatter& op, Tensor& y, const Strided& x, const Strided& index, const Strided& src) {
  scatter_tensor(op.join(), op.dim, op.base, y, x, index, src);
}
void scatter_add(const ops::ScatterAdd& op, Tensor& y, const Strided& x, const Strided& index, const Strided& src) {
  scatter_tensor(ops::Join::add, op.dim, op.base, y, x, index, src);
}

void scatter_value(const ops::ScatterValue& op, Tensor& y, const Strided& x, const Strided& index, const Value& value) {
  const Axis a = axis(x, op.dim);
  const Indices at(apart(index, y), a.n, op.base);
  const Walk walk(index, x.shape(), index.shape(), op.dim);
  dispatch(AllTypes{}, y.dtype(), [&]<class T>(Type<T>) {
    const T v = number<T>(value);
    Target target(y, x);
    join_elements(op.join(), walk, at, target.data<T>(), &v, true);
    target.done();
  });
}

const Kernel<gather> gather_;
const Kernel<scatter> scatter_;
const Kernel<scatter_add> scatter_add_;
const Kernel<scatter_value> scatter_value_;

}  // namespace
}  // namespace luth::cpu
