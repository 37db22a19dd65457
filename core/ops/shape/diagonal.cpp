#include "core/ops/shape/diagonal.h"

#include <algorithm>
#include <limits>

#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/as_strided.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<Diagonal, DiagonalScatter, DiagEmbed, Diag, DiagFlat, FillDiagonal> define_all_;

struct Between {
  int rows, columns;
};
Between between(int64_t dim1, int64_t dim2, int dims) {
  if (dims < 2) throw Error("a diagonal lies between two dims, this tensor has {}", dims);
  Between d{wrap_dim(dim1, dims), wrap_dim(dim2, dims)};
  if (d.rows == d.columns) throw Error("dim1 and dim2 must differ, both are {}", shown(d.rows));
  return d;
}

/// Zeros of `shape` with `t` in the diagonals.
Tensor embedded(const Tensor& t, const Shape& shape, const DiagonalOf& at) {
  Tensor y = full(shape, 0, t.dtype(), t.device());
  copy.into(diagonal(y, {at}), t);
  return y;
}

}  // namespace

Tensor Diagonal::view(const Tensor& t) const {
  const Between d = between(dim1, dim2, t.dim());
  const int64_t rows = t.shape()[d.rows], columns = t.shape()[d.columns];
  const int64_t n = offset >= 0 ? std::min(rows, std::max<int64_t>(columns - offset, 0))
                                : std::min(std::max<int64_t>(rows + offset, 0), columns);
  int64_t start = t.offset();
  if (n > 0) start += offset >= 0 ? offset * t.strides()[d.columns] : -offset * t.strides()[d.rows];
  Shape s = t.shape();
  Strides st = t.strides();
  const int64_t step = st[d.rows] + st[d.columns];
  for (int i : {std::max(d.rows, d.columns), std::min(d.rows, d.columns)}) s.erase(i), st.erase(i);
  s.push_back(std::max<int64_t>(n, 0));
  st.push_back(step);
  return Tensor::alias(t.storage(), s, st, start, t.dtype());
}
Tensors Diagonal::vjp(const Call& c, const Tensor& dy) const {
  return {diagonal_scatter(zeros_of(c.in[0]), dy, {*this})};
}

Tensor DiagonalScatter::decompose(const Inputs& in) const {
  Tensor y = clone(in[0]);
  Tensor part = diagonal(y, {*this});
  if (!(part.shape() == in[1].shape()))
    throw Error("src has shape {}, the diagonals have {}", to_string(in[1].shape()), to_string(part.shape()));
  copy.into(part, in[1]);
  return y;
}
Tensors DiagonalScatter::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(2);
  const Tensor& src = c.in[1];
  if (c.wants(0)) out[0] = diagonal_scatter(dy, full(src.shape(), 0, dy.dtype(), dy.device()), *this);
  if (c.wants(1)) out[1] = cast_to(diagonal(dy, {*this}), src.dtype());
  return out;
}

Tensor DiagEmbed::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (t.dim() == 0) throw Error("a tensor without dimensions has no rows; use diagflat");
  const Between d = between(dim1, dim2, t.dim() + 1);
  const int64_t most = std::numeric_limits<int64_t>::max() - t.shape().back();
  if (offset > most || offset < -most) throw Error("there is no tensor with a diagonal at offset {}", offset);
  const int64_t n = t.shape().back() + std::abs(offset);
  Shape s(t.dim() + 1);
  for (int i = 0, k = 0; i < s.size(); ++i) s[i] = i == d.rows || i == d.columns ? n : t.shape()[k++];
  return embedded(t, s, {offset, d.rows, d.columns});
}
Tensors DiagEmbed::vjp(const Call&, const Tensor& dy) const { return {diagonal(dy, {{offset, dim1, dim2}})}; }

Tensor Diag::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (t.dim() == 1) return diag_embed(t, {diagonal});
  if (t.dim() != 2) throw Error("expects a vector or a matrix, this tensor has {} dims", t.dim());
  return clone(luth::diagonal(t, {{diagonal}}), {MemoryFormat::contiguous});
}
Tensor DiagFlat::decompose(const Inputs& in) const {
  return diag_embed(reshape(in[0], {Shape{in[0].numel()}}), {offset});
}

// A tall matrix has, with wrap, a diagonal in each block of columns + 1 rows, the last of which may be cut short.
Tensor FillDiagonal::decompose(const Inputs& in) const {
  const Tensor& y = in[0];
  const Shape& s = y.shape();
  if (s.size() < 2) throw Error("needs a tensor of at least 2 dims, this one has {}", s.size());
  for (int i = 1; s.size() > 2 && i < s.size(); ++i)
    if (s[i] != s[0])
      throw Error("all extents must be equal where there are more than 2, the shape is {}", to_string(s));
  if (is_expanded(s, y.strides())) throw Error("has several elements in one place (it was expanded); clone() it first");
  int64_t step = 0, n = s[0];
  for (int64_t st : y.strides()) step += st;
  for (int64_t extent : s) n = std::min(n, extent);
  const int64_t period = s[1] + 1, whole = wrap && s.size() == 2 && n > 0 ? std::max<int64_t>(s[0] / period, 1) : 1;
  fill.into(as_strided(y, {{whole, n}, {period * y.strides()[0], step}, {}}), fill_value);
  if (const int64_t done = whole * period; wrap && s.size() == 2 && s[0] > done)
    fill.into(diagonal(slice(y, {0, done, s[0]}), {{}}), fill_value);
  return y;
}

}  // namespace luth::ops
