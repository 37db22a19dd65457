#include "core/ops/shape/split.h"

#include <algorithm>

#include "core/ops/common/checks.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<Split, SplitSizes, SplitWithSizes, Chunk, Unbind> define_all_;

/// The gradients of all parts, zeros of shape(i) where none arrived.
template <class F>
Tensors with_zeros(const Call& c, const Tensors& dy, F&& shape) {
  const Tensor& x = c.in[0];
  Tensors all;
  for (size_t i = 0; i < dy.size(); ++i) all.push_back(dy[i] ? dy[i] : full(shape(i), 0, x.dtype(), x.device()));
  return all;
}
}  // namespace

Tensors SplitSizes::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  int d = wrap_dim(dim, x.dim());
  const std::vector<int64_t> sizes = whole_numbers(split_sizes, "the sizes");
  int64_t total = 0;
  for (int64_t n : sizes)
    if (n < 0 || __builtin_add_overflow(total, n, &total)) throw Error("a part of {} elements cannot be", n);
  if (x.dim() == 0 || total != x.shape()[d])
    throw Error("the sizes add up to {}, which is not the extent of dim {} of {}", total, shown(d),
                to_string(x.shape()));
  Tensors out;
  int64_t at = 0;
  for (int64_t n : sizes) {
    out.push_back(narrow(x, {d, at, n}));
    at += n;
  }
  return out;
}
Tensors Split::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  int d = wrap_dim(dim, x.dim());
  if (x.dim() == 0) throw Error("a tensor without dimensions cannot be split");
  int64_t n = x.shape()[d];
  if (split_size < 0 || (split_size == 0 && n)) throw Error("split_size must be at least 1, got {}", split_size);
  Tensors out;
  const int64_t size = std::clamp<int64_t>(split_size, 1, std::max<int64_t>(n, 1));
  for (int64_t at = 0; at == 0 || at < n; at += size) out.push_back(slice(x, {d, at, std::min(n, at + size), 1}));
  return out;
}
Tensors Split::vjp(const Call& c, const Tensors& dy) const {
  Shape part = c.in[0].shape();
  const int d = wrap_dim(dim, part.size());
  const int64_t n = part[d], size = std::clamp<int64_t>(split_size, 1, std::max<int64_t>(n, 1));
  const auto shape = [&](size_t i) { return part[d] = std::min(size, n - int64_t(i) * size), part; };
  return {cat(with_zeros(c, dy, shape), {d})};
}
Tensors SplitSizes::vjp(const Call& c, const Tensors& dy) const {
  Shape part = c.in[0].shape();
  const int d = wrap_dim(dim, part.size());
  return {cat(with_zeros(c, dy, [&](size_t i) { return part[d] = int64_t(split_sizes[i]), part; }), {d})};
}
Tensors SplitWithSizes::decompose(const Inputs& in) const { return luth::split_sizes(in[0], {split_sizes, dim}); }
Tensors Chunk::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  int d = wrap_dim(dim, x.dim());
  if (x.dim() == 0) throw Error("a tensor without dimensions cannot be split");
  if (chunks < 1) throw Error("chunks must be at least 1, got {}", chunks);
  const int64_t n = x.shape()[d], size = n ? (n - 1) / chunks + 1 : 0;
  if (size == 0) {
    check_parts(chunks);
    Tensors out;
    for (int64_t i = 0; i < chunks; ++i) out.push_back(slice(x, {d, 0, 0, 1}));
    return out;
  }
  return split(x, {size, d});
}
Tensors Unbind::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (x.dim() == 0) throw Error("a tensor without dimensions has nothing to unbind");
  int d = wrap_dim(dim, x.dim());
  Tensors out;
  for (int64_t i = 0; i < x.shape()[d]; ++i) out.push_back(select(x, {d, i}));
  return out;
}
Tensors Unbind::vjp(const Call& c, const Tensors& dy) const {
  Shape part = c.in[0].shape();
  const int d = wrap_dim(dim, part.size());
  part.erase(d);
  return {stack(with_zeros(c, dy, [&](size_t) { return part; }), {d})};
}

}  // namespace luth::ops
