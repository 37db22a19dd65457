#include "core/ops/shape/cat.h"

#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<Cat, CatFew, Stack> define_all_;

/// PyTorch lets an empty 1-dimensional tensor join anything.
bool joins_all(const Value& v) { return v.dim() == 1 && v.numel() == 0; }
/// The first tensor that is not such an empty one, or the first of all: the others must fit its shape.
size_t pattern(const Inputs& in) {
  for (size_t i = 0; i < in.size(); ++i)
    if (!joins_all(in[i])) return i;
  return 0;
}

void check_list(const Inputs& in) {
  if (in.empty()) throw Error("expects a list of at least one tensor");
}
}  // namespace

// Autograd tells at most 32 inputs of a call apart, so longer lists are joined in two steps.
Tensor Cat::decompose(const Inputs& in) const {
  check_list(in);
  constexpr size_t most = 32;
  Tensors parts;
  for (auto& v : in) parts.push_back(v.tensor());
  while (parts.size() > most) {
    Tensors fewer;
    for (size_t i = 0; i < parts.size(); i += most)
      fewer.push_back(
          cat_few(Tensors(parts.begin() + i, parts.begin() + std::min(i + most, parts.size())), {.dim = dim}));
    parts = std::move(fewer);
  }
  return cat_few(parts, {.dim = dim});
}

Spec CatFew::infer(const Inputs& in) const {
  check_list(in);
  const size_t first = pattern(in);
  Shape shape = in[first].shape();
  if (shape.size() == 0) throw Error("0-dimensional tensors cannot be joined; use stack");
  int d = wrap_dim(dim, shape.size());
  bool channels_last = in[first].tensor().is_channels_last() && !in[first].tensor().is_contiguous();
  for (size_t i = first + 1; i < in.size(); ++i) {
    if (joins_all(in[i])) continue;
    const Shape& s = in[i].tensor().shape();
    Shape expected = shape;
    if (s.size() == shape.size()) expected[d] = s[d];
    if (!(s == expected))
      throw Error("shapes must agree but in dim {}: element {} of the list has shape {}, element {} {}", shown(d),
                  shown(int64_t(i)), to_string(s), shown(int64_t(first)), to_string(in[first].shape()));
    shape[d] += s[d];
    channels_last = channels_last && in[i].tensor().is_channels_last();
  }
  Spec spec{shape, in[0].dtype()};
  if (channels_last) spec.strides = channels_last_strides(shape);
  return spec;
}
Tensors CatFew::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(c.in.size());
  int64_t start = 0;
  for (size_t i = 0; i < c.in.size(); ++i) {
    const Tensor& t = c.in[i];
    const bool empty = joins_all(c.in[i]);
    const int64_t length = empty ? 0 : t.shape(dim);
    if (c.wants(int(i))) out[i] = empty ? zeros_of(t) : narrow(dy, {.dim = dim, .start = start, .length = length});
    start += length;
  }
  return out;
}

Tensor Stack::decompose(const Inputs& in) const {
  check_list(in);
  int n = in[0].dim();
  int64_t d = wrap_dim(dim, n + 1);
  Tensors parts;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!(in[i].shape() == in[0].shape()))
      throw Error("all shapes must be the same: element {} of the list has shape {}, the first {}", shown(int64_t(i)),
                  to_string(in[i].shape()), to_string(in[0].shape()));
    parts.push_back(unsqueeze(in[i], {.dim = d}));
  }
  return cat(parts, {.dim = d});
}

Cases<Cat> Cat::samples() {
  return {
      {{}, {{2, 3}, {1, 3}}}, {{.dim = 1}, {{2, 3}, {0}, {2, 1}}}, {{.dim = -1}, {{2, 1, 2}, {2, 1, 3}, {2, 1, 1}}}};
}
Cases<CatFew> CatFew::samples() { return {{{}, {{2, 3}, {1, 3}}}, {{.dim = 1}, {{2, 3, 2}, {2, 1, 2}}}}; }
Cases<Stack> Stack::samples() {
  return {{{}, {{2, 3}, {2, 3}}}, {{.dim = -1}, {{2, 3}, {2, 3}}}, {{.dim = 1}, {{3}, {3}, {3}}}, {{}, {{}, {}}}};
}

}  // namespace luth::ops
