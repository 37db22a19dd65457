#include "core/ops/shape/stack.h"

#include <algorithm>

#include "core/ops/common/checks.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/repeat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<AtLeast1d, AtLeast2d, AtLeast3d, BroadcastTensors, Meshgrid, HStack, VStack, DStack, ColumnStack,
                TensorSplit, TensorSplitAt, TensorSplitBy, HSplit, HSplitAt, VSplit, VSplitAt, DSplit, DSplitAt, FlipLr,
                FlipUd, Rot90>
    define_all_;

Tensor with_1_dim(const Tensor& t) { return t.dim() ? t : reshape(t, {Shape{1}}); }
Tensor with_2_dims(const Tensor& t) { return t.dim() > 1 ? t : unsqueeze(with_1_dim(t), {0}); }
Tensor with_3_dims(const Tensor& t) { return t.dim() > 2 ? t : unsqueeze(with_2_dims(t), {-1}); }

template <class F>
Tensors each(const Inputs& in, F&& f) {
  Tensors out;
  for (auto& v : in) out.push_back(f(v.tensor()));
  return out;
}
template <class F>
Tensors some(const Inputs& in, F&& f) {
  if (in.empty()) throw Error("expects at least one tensor");
  return each(in, f);
}

// The dim that hsplit and its like go along; `least`: dims that the tensor must have.
int split_dim(const Tensor& t, int dim, int least) {
  if (t.dim() < least) throw Error("needs a tensor of at least {} dims, this one has {}", least, t.dim());
  return std::min(dim, t.dim() - 1);
}
Tensors split_equally(const Tensor& t, int dim, int least, int64_t sections) {
  const int d = split_dim(t, dim, least);
  if (sections < 1 || t.shape()[d] % sections)
    throw Error("dim {} of {} elements cannot be split into {} equal parts", shown(d), t.shape()[d], sections);
  return tensor_split(t, {sections, d});
}
Tensors split_at(const Tensor& t, int dim, int least, const std::vector<double>& indices) {
  return tensor_split_at(t, {indices, split_dim(t, dim, least)});
}

// The elements of a list of positions, wherever it lies.
std::vector<int64_t> numbers(const Tensor& t) {
  if (t.dtype() != Dtype::i64 || t.dim() > 1)
    throw Error("tensor_indices_or_sections must be an int64 tensor of at most one dim, not {}", describe(t));
  const Tensor here = dense_copy(to_device(t, {&host()}));
  return {here.data<int64_t>(), here.data<int64_t>() + here.numel()};
}
Tensors split_before(const Tensor& x, int d, std::span<const int64_t> indices) {
  Tensors out;
  int64_t start = 0;
  for (int64_t end : indices) {
    out.push_back(slice(x, {d, start, end, 1}));
    start = end;
  }
  out.push_back(slice(x, {d, start, INT64_MAX, 1}));
  return out;
}
int checked_dim(const Tensor& x, int64_t dim) {
  if (x.dim() == 0) throw Error("a tensor without dimensions cannot be split");
  return wrap_dim(dim, x.dim());
}

}  // namespace

Tensors AtLeast1d::decompose(const Inputs& in) const { return each(in, with_1_dim); }
Tensors AtLeast2d::decompose(const Inputs& in) const { return each(in, with_2_dims); }
Tensors AtLeast3d::decompose(const Inputs& in) const { return each(in, with_3_dims); }

Tensors BroadcastTensors::decompose(const Inputs& in) const {
  Shape s;
  each(in, [&](const Tensor& t) { return s = luth::broadcast(s, t.shape()), t; });
  return each(in, [&](const Tensor& t) { return expand_to(t, s); });
}

Tensors Meshgrid::decompose(const Inputs& in) const {
  if (indexing != "ij" && indexing != "xy") throw Error("indexing must be 'ij' or 'xy', not '{}'", indexing);
  Tensors axes = some(in, [&](const Tensor& t) {
    if (t.dim() > 1) throw Error("expects vectors and numbers, got a tensor of shape {}", to_string(t.shape()));
    if (t.dtype() != in[0].dtype()) throw Error("all tensors must have one dtype");
    return with_1_dim(t);
  });
  const bool swap = indexing == "xy" && axes.size() > 1;
  if (swap) std::swap(axes[0], axes[1]);
  Shape s;
  for (auto& t : axes) s.push_back(t.numel());
  for (size_t i = 0; i < axes.size(); ++i) {
    Shape own(axes.size(), 1);
    own[int64_t(i)] = s[int64_t(i)];
    axes[i] = expand_to(reshape(axes[i], {own}), s);
  }
  if (swap) std::swap(axes[0], axes[1]);
  return axes;
}

Tensor HStack::decompose(const Inputs& in) const {
  const Tensors all = some(in, with_1_dim);
  return cat(all, {all[0].dim() == 1 ? 0 : 1});
}
Tensor VStack::decompose(const Inputs& in) const { return cat(some(in, with_2_dims), {0}); }
Tensor DStack::decompose(const Inputs& in) const { return cat(some(in, with_3_dims), {2}); }
Tensor ColumnStack::decompose(const Inputs& in) const {
  return hstack(some(in, [](const Tensor& t) { return t.dim() > 1 ? t : reshape(t, {Shape{t.numel(), 1}}); }));
}

Tensors TensorSplit::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const int d = checked_dim(x, dim);
  if (sections < 1) throw Error("the number of sections must be at least 1, got {}", sections);
  check_parts(sections);
  const int64_t size = x.shape()[d] / sections, larger = x.shape()[d] % sections;
  Tensors out;
  for (int64_t i = 0, at = 0; i < sections; ++i) {
    const int64_t n = size + (i < larger);
    out.push_back(slice(x, {d, at, at + n, 1}));
    at += n;
  }
  return out;
}
Tensors TensorSplitAt::decompose(const Inputs& in) const {
  return split_before(in[0], checked_dim(in[0], dim), whole_numbers(indices, "indices"));
}
Tensors TensorSplitBy::decompose(const Inputs& in) const {
  const std::vector<int64_t> list = numbers(in[1]);
  if (in[1].dim() == 0) return tensor_split(in[0], {list[0], dim});
  return split_before(in[0], checked_dim(in[0], dim), list);
}
Cases<TensorSplitBy> TensorSplitBy::samples() {
  return {{{0},
           {},
           0,
           0,
           [] {
             const int64_t at[] = {1, 3};
             return Inputs{full({5, 2}, 1.5, Dtype::f64, host()), Tensor::from({2}, at)};
           }},
          {{-1}, {}, 0, 0, [] {
             return Inputs{full({2, 3}, 1.5, Dtype::f64, host()), Tensor::scalar(2, Dtype::i64)};
           }}};
}
Tensors HSplit::decompose(const Inputs& in) const { return split_equally(in[0], 1, 1, sections); }
Tensors VSplit::decompose(const Inputs& in) const { return split_equally(in[0], 0, 2, sections); }
Tensors DSplit::decompose(const Inputs& in) const { return split_equally(in[0], 2, 3, sections); }
Tensors HSplitAt::decompose(const Inputs& in) const { return split_at(in[0], 1, 1, indices); }
Tensors VSplitAt::decompose(const Inputs& in) const { return split_at(in[0], 0, 2, indices); }
Tensors DSplitAt::decompose(const Inputs& in) const { return split_at(in[0], 2, 3, indices); }

Tensor FlipLr::decompose(const Inputs& in) const {
  if (in[0].dim() < 2) throw Error("needs a tensor of at least 2 dims, this one has {}", in[0].dim());
  return flip(in[0], {{1}});
}
Tensor FlipUd::decompose(const Inputs& in) const {
  if (in[0].dim() < 1) throw Error("needs a tensor of at least 1 dim, this one has none");
  return flip(in[0], {{0}});
}
Tensor Rot90::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (dims.size() != 2) throw Error("dims must name two dims, got {}", dims.size());
  if (x.dim() < 2) throw Error("needs a tensor of at least 2 dims, this one has {}", x.dim());
  const int a = wrap_dim(dims[0], x.dim()), b = wrap_dim(dims[1], x.dim());
  if (a == b) throw Error("the dims of the plane must differ, both are {}", shown(a));
  switch ((k % 4 + 4) % 4) {
    case 1: return transpose(flip(x, {{b}}), {a, b});
    case 2: return flip(x, {{a, b}});
    case 3: return transpose(flip(x, {{a}}), {a, b});
    default: return clone(x, {MemoryFormat::contiguous});
  }
}

}  // namespace luth::ops
