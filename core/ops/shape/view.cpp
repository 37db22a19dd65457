#include "core/ops/shape/view.h"

#include <algorithm>
#include <cmath>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/copy.h"

namespace luth {

Tensor expand_to(const Tensor& t, const Shape& shape) {
  if (t.shape() == shape) return t;
  return expand(t, {shape});
}

std::vector<int64_t> whole_numbers(const std::vector<double>& list, const char* what) {
  std::vector<int64_t> whole;
  for (double v : list) {
    if (v != std::floor(v) || std::fabs(v) > 9e15) throw Error("{} must be integers, got {}", what, v);
    whole.push_back(int64_t(v));
  }
  return whole;
}

namespace ops {
namespace {

const DefineAll<Expand, BroadcastTo, ExpandAs, View, ViewDtype, Reshape, ReshapeAs, ViewAs, Transpose, T, MT, Permute,
                MoveDim, Squeeze, Unsqueeze, Flatten, Ravel, Unflatten, Select, Slice, SliceBackward, Narrow, Detach>
    define_all_;

Tensor alias(const Tensor& t, const Shape& shape, const Strides& strides, int64_t offset) {
  return Tensor::alias(t.storage(), shape, strides, offset, t.dtype());
}

// The -1 of a shape, worked out from the number of elements; throws where they do not fit.
Shape complete(const Shape& shape, const Tensor& t) {
  Shape s = shape;
  int unknown = -1;
  for (int i = 0; i < s.size(); ++i) {
    if (s[i] != -1) continue;
    if (unknown >= 0) throw Error("only one extent of {} may be -1", to_string(shape));
    unknown = i;
    s[i] = 1;
  }
  check_shape(s, 1);
  const int64_t known = s.numel();
  if (unknown >= 0 && known == 0 && t.numel() == 0)
    throw Error("the extent -1 of {} cannot be told for a tensor without elements", to_string(shape));
  if (unknown < 0 ? known != t.numel() : known == 0 || t.numel() % known != 0)
    throw Error("shape {} does not fit the {} elements of {}", to_string(shape), t.numel(), to_string(t.shape()));
  if (unknown >= 0) s[unknown] = t.numel() / known;
  return s;
}

// Strides under which the memory of t, which is not contiguous, has shape `s`; false where no strides do it. Runs of
// dims that lie in one line are matched with runs of new dims.
bool view_strides(const Tensor& t, const Shape& s, Strides& out) {
  out = Strides(s.size());
  int j = s.size() - 1;
  int64_t run = 1, made = 1;
  int64_t step = t.dim() ? t.strides()[t.dim() - 1] : 1;
  for (int i = t.dim() - 1; i >= 0; --i) {
    run *= t.shape()[i];
    bool ends = i == 0 || (t.shape()[i - 1] != 1 && t.strides()[i - 1] != run * step);
    if (!ends) continue;
    while (j >= 0 && (made < run || s[j] == 1)) {
      out[j] = made * step;
      made *= s[j];
      --j;
    }
    if (made != run) return false;
    if (i > 0) step = t.strides()[i - 1], run = made = 1;
  }
  return j < 0;
}

}  // namespace

Tensor Expand::view(const Tensor& t) const {
  int lead = size.size() - t.dim();
  if (lead < 0) throw Error("{} has fewer dimensions than {}", to_string(size), to_string(t.shape()));
  Shape s = size;
  Strides st(size.size());
  for (int i = 0; i < s.size(); ++i) {
    int64_t from = i < lead ? 1 : t.shape()[i - lead];
    if (s[i] == -1 && i >= lead) s[i] = from;
    if (s[i] < 0)
      throw Error("negative extent in {}; -1 keeps an extent, and new leading dims need one", to_string(size));
    if (from != s[i] && from != 1)
      throw Error("shape {} cannot be expanded to {}: only an extent of 1 can be repeated", to_string(t.shape()),
                  to_string(size));
    st[i] = i < lead || (from == 1 && s[i] != 1) ? 0 : t.strides()[i - lead];
  }
  check_shape(s, size_of(t.dtype()));
  return alias(t, s, st, t.offset());
}
Tensors Expand::vjp(const Call& c, const Tensor& dy) const { return {sum_to(dy, c.in[0].shape())}; }
Tensor BroadcastTo::decompose(const Inputs& in) const { return expand(in[0], {size}); }
Tensor ExpandAs::decompose(const Inputs& in) const { return expand_to(in[0], in[1].shape()); }

Tensor View::view(const Tensor& t) const {
  const Shape s = complete(shape, t);
  if (t.is_contiguous()) return alias(t, s, contiguous_strides(s), t.offset());
  Strides st;
  if (!view_strides(t, s, st))
    throw Error("strides {} do not allow shape {}; use :reshape(), which copies where it must", to_string(t.strides()),
                to_string(s));
  return alias(t, s, st, t.offset());
}
Tensors View::vjp(const Call& c, const Tensor& dy) const { return {reshape(dy, {c.in[0].shape()})}; }

// To a smaller dtype the last dim grows, to a larger one it shrinks.
Tensor ViewDtype::view(const Tensor& t) const {
  const auto from = int64_t(size_of(t.dtype())), to = int64_t(size_of(dtype));
  Shape s = t.shape();
  Strides st = t.strides();
  if (from == to) return Tensor::alias(t.storage(), s, st, t.offset(), dtype);
  if (t.dim() == 0)
    throw Error("a tensor without dimensions can only be seen as a dtype of {} bytes, not as {}", from, name(dtype));
  if (st.back() != 1) throw Error("the stride of the last dim must be 1, strides are {}", to_string(st));
  auto scaled = [&](int64_t n, const char* what) {
    if (n * from % to) throw Error("{} {} in elements of {} bytes is no whole number of {} bytes", what, n, from, to);
    return n * from / to;
  };
  const int last = t.dim() - 1;
  s[last] = scaled(s[last], "the extent of the last dim,");
  for (int i = 0; i < last; ++i) st[i] = scaled(st[i], "a stride of");
  return Tensor::alias(t.storage(), s, st, scaled(t.offset(), "the offset"), dtype);
}
Cases<ViewDtype> ViewDtype::samples() {
  auto numbers = [] {
    const int32_t bits[] = {0, 1065353216, 1073741824, -1082130432};
    return Inputs{Tensor::from({2, 2}, bits)};
  };
  return {{{Dtype::f32}, {}, 0, 0, numbers}, {{Dtype::i16}, {}, 0, 0, numbers}, {{Dtype::i64}, {}, 0, 0, numbers}};
}

Tensor Reshape::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (t.is_contiguous()) {  // luth::view, of an input that was looked at
    const View op{shape};
    Tensor out = op.view(t);
    record_view(info<View>(), &op, t, out);
    return out;
  }
  Shape s = complete(shape, t);
  if (s == t.shape()) return luth::view(t, {s});
  Strides st;
  if (view_strides(t, s, st)) return luth::view(t, {s});
  return luth::view(clone(t, {MemoryFormat::contiguous}), {s});
}
Tensor ReshapeAs::decompose(const Inputs& in) const { return reshape(in[0], {in[1].shape()}); }
Tensor ViewAs::decompose(const Inputs& in) const { return luth::view(in[0], {in[1].shape()}); }

Tensor Transpose::view(const Tensor& t) const {
  int a = wrap_dim(dim0, t.dim()), b = wrap_dim(dim1, t.dim());
  if (t.dim() == 0) return alias(t, {}, {}, t.offset());
  Shape s = t.shape();
  Strides st = t.strides();
  std::swap(s[a], s[b]);
  std::swap(st[a], st[b]);
  return alias(t, s, st, t.offset());
}
Tensors Transpose::vjp(const Call&, const Tensor& dy) const { return {transpose(dy, {dim0, dim1})}; }

Tensor T::view(const Tensor& x) const {
  if (x.dim() > 2) throw Error("expects at most 2 dimensions, this tensor has {}; use transpose or permute", x.dim());
  return x.dim() < 2 ? alias(x, x.shape(), x.strides(), x.offset()) : Transpose{0, 1}.view(x);
}
Tensors T::vjp(const Call&, const Tensor& dy) const { return {dy.dim() < 2 ? dy : transpose(dy, {0, 1})}; }
Tensor MT::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (x.dim() < 2) throw Error("needs a tensor of at least 2 dims, this one has shape {}", to_string(x.shape()));
  return transpose(x, {-2, -1});
}

Tensor Permute::view(const Tensor& t) const {
  if (dims.size() != t.dim()) throw Error("{} dims for a tensor of {}", dims.size(), t.dim());
  if (t.dim()) dim_mask(dims, t.dim());
  Shape s(t.dim());
  Strides st(t.dim());
  for (int i = 0; i < t.dim(); ++i) {
    int d = wrap_dim(dims[i], t.dim());
    s[i] = t.shape()[d];
    st[i] = t.strides()[d];
  }
  return alias(t, s, st, t.offset());
}
Tensors Permute::vjp(const Call&, const Tensor& dy) const {
  Ints back(dims.size());
  for (int i = 0; i < dims.size(); ++i) back[wrap_dim(dims[i], dims.size())] = i;
  return {permute(dy, {back})};
}

Tensor MoveDim::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (source.size() != destination.size())
    throw Error("{} dims to move and {} places", source.size(), destination.size());
  uint32_t moved = source.empty() ? 0 : dim_mask(source, x.dim());
  if (!destination.empty()) dim_mask(destination, x.dim());
  Ints order(x.dim(), -1);
  for (int i = 0; i < source.size(); ++i) order[wrap_dim(destination[i], x.dim())] = wrap_dim(source[i], x.dim());
  int next = 0;
  for (auto& d : order)
    if (d < 0) {
      while (moved >> next & 1) ++next;
      d = next++;
    }
  return permute(x, {order});
}

Tensor Squeeze::view(const Tensor& t) const {
  uint32_t mask = dim && t.dim() ? (dim->empty() ? 0 : dim_mask(*dim, t.dim())) : ~0u;
  if (dim && !t.dim())
    for (int64_t d : *dim) wrap_dim(d, 0);
  Shape s;
  Strides st;
  for (int i = 0; i < t.dim(); ++i)
    if (t.shape()[i] != 1 || !(mask >> i & 1)) {
      s.push_back(t.shape()[i]);
      st.push_back(t.strides()[i]);
    }
  return alias(t, s, st, t.offset());
}
Tensors Squeeze::vjp(const Call& c, const Tensor& dy) const { return {reshape(dy, {c.in[0].shape()})}; }

Tensor Unsqueeze::view(const Tensor& t) const {
  int d = wrap_dim(dim, t.dim() + 1);
  Shape s = t.shape();
  Strides st = t.strides();
  st.insert(d, d < t.dim() ? s[d] * st[d] : 1);
  s.insert(d, 1);
  return alias(t, s, st, t.offset());
}
Tensors Unsqueeze::vjp(const Call&, const Tensor& dy) const { return {squeeze(dy, {Ints{wrap_dim(dim, dy.dim())}})}; }

Tensor Flatten::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  int a = wrap_dim(start_dim, x.dim()), b = wrap_dim(end_dim, x.dim());
  if (x.dim() == 0) return reshape(x, {Shape{1}});
  if (a > b) throw Error("start_dim {} comes after end_dim {}", shown(start_dim), shown(end_dim));
  if (a == b) return x;
  Shape s;
  int64_t n = 1;
  for (int i = 0; i < x.dim(); ++i) {
    if (i >= a && i <= b) n *= x.shape()[i];
    if (i < a || i > b) s.push_back(x.shape()[i]);
    if (i == b) s.push_back(n);
  }
  return reshape(x, {s});
}
Tensor Ravel::decompose(const Inputs& in) const { return reshape(in[0], {Shape{in[0].numel()}}); }
Tensor Unflatten::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  int d = wrap_dim(dim, x.dim());
  int64_t known = 1;
  Shape sizes = this->sizes, s;
  if (std::count(sizes.begin(), sizes.end(), -1) > 1)
    throw Error("only one extent of {} may be -1", to_string(this->sizes));
  for (int64_t n : sizes)
    if (__builtin_mul_overflow(known, n == -1 ? 1 : n, &known))
      throw Error("sizes {} do not make {}", to_string(this->sizes), x.shape()[d]);
  for (auto& n : sizes)
    if (n == -1) n = known ? x.shape()[d] / known : 0;
  if (sizes.numel() != x.shape()[d]) throw Error("sizes {} do not make {}", to_string(this->sizes), x.shape()[d]);
  for (int i = 0; i < x.dim(); ++i) {
    if (i != d) s.push_back(x.shape()[i]);
    if (i == d)
      for (int64_t n : sizes) s.push_back(n);
  }
  return reshape(x, {s});
}

Tensor Select::view(const Tensor& t) const {
  if (t.dim() == 0) throw Error("a tensor without dimensions has no positions; use item()");
  int d = wrap_dim(dim, t.dim());
  int64_t n = t.shape()[d];
  if (index < -n || index >= n)
    throw Error("index {} is out of range for dim {} of {} elements (counted from {})", shown(index), shown(d), n,
                shown(0));
  int64_t at = index < 0 ? index + n : index;
  Shape s = t.shape();
  Strides st = t.strides();
  int64_t offset = t.offset() + at * st[d];
  s.erase(d);
  st.erase(d);
  return alias(t, s, st, offset);
}
Tensors Select::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  int d = wrap_dim(dim, x.dim());
  int64_t at = index < 0 ? index + x.shape()[d] : index;
  return {slice_backward(unsqueeze(dy, {d}), {x.shape(), d, at, at + 1, 1})};
}

Tensor Slice::view(const Tensor& t) const {
  if (t.dim() == 0) throw Error("a tensor without dimensions cannot be sliced");
  if (step < 1) throw Error("the step of a slice must be at least 1, got {}; use flip to reverse", step);
  int d = wrap_dim(dim, t.dim());
  int64_t n = t.shape()[d];
  auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n); };
  int64_t a = clamp(start), b = std::max(a, clamp(end));
  Shape s = t.shape();
  Strides st = t.strides();
  s[d] = b > a ? (b - a - 1) / step + 1 : 0;
  int64_t offset = t.offset() + a * st[d];
  if (__builtin_mul_overflow(st[d], step, &st[d])) st[d] = 1;  // nothing is reached with it
  return alias(t, s, st, offset);
}
Tensors Slice::vjp(const Call& c, const Tensor& dy) const {
  return {slice_backward(dy, {c.in[0].shape(), dim, start, end, step})};
}

Tensor SliceBackward::decompose(const Inputs& in) const {
  const Tensor& dy = in[0];
  Tensor dx = full(shape, 0, dy.dtype(), dy.device());
  copy.into(slice(dx, {dim, start, end, step}), dy);
  return dx;
}
Tensors SliceBackward::vjp(const Call&, const Tensor& dy) const { return {slice(dy, {dim, start, end, step})}; }

Tensor Narrow::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  int d = wrap_dim(dim, x.dim());
  if (x.dim() == 0) throw Error("a tensor without dimensions cannot be narrowed");
  int64_t n = x.shape()[d], a = start < 0 ? start + n : start;
  if (a < 0 || length < 0 || length > n - a)
    throw Error("start {} with length {} reaches beyond dim {} of {} elements", shown(start), length, shown(d), n);
  return slice(x, {d, a, a + length, 1});
}

Tensor Detach::decompose(const Inputs& in) const { return in[0].tensor().detach(); }

}  // namespace ops
}  // namespace luth
