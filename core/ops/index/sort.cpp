#include "core/ops/index/sort.h"

#include "core/ops/common/checks.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/index.h"

namespace luth::ops {
namespace {
const DefineAll<Sort, Argsort, Msort, TopK> define_all_;

/// The gradient of values picked along a dim: back to where they came from.
Tensors scattered(const Call& c, const Tensors& dy, int64_t dim, int base) {
  if (!dy[0]) return {};
  Scatter op;
  op.dim = dim;
  op.base = base;
  return {scatter.into(zeros_of(c.in[0]), c.out[1], dy[0], op)};
}
Tensor distinct(const Shape& s) {
  Tensor t = Tensor::empty(s, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double((i * 29 + 5) % 31) / 4 - 3;
  return t;
}
}  // namespace

Specs Sort::infer(const Inputs& in) const {
  wrap_dim(dim, in[0].dim());
  return {Spec{in[0].shape(), in[0].dtype()}, Spec{in[0].shape(), Dtype::i64}};
}
Tensors Sort::vjp(const Call& c, const Tensors& dy) const { return scattered(c, dy, dim, base); }
Tensor Argsort::decompose(const Inputs& in) const { return sort(in[0], {dim, descending, stable, base})[1]; }
Tensor Msort::decompose(const Inputs& in) const { return sort(in[0], {.dim = 0})[0]; }

Specs TopK::infer(const Inputs& in) const {
  int d = wrap_dim(dim, in[0].dim());
  Shape s = in[0].shape();
  int64_t n = s.size() ? s[d] : 1;
  check_not_bool(in[0].dtype());
  if (k < 0 || k > n) throw Error("k must be from 0 to the extent {} of dim {}, not {}", n, shown(d), k);
  if (s.size()) s[d] = k;
  return {Spec{s, in[0].dtype()}, Spec{s, Dtype::i64}};
}
Tensors TopK::vjp(const Call& c, const Tensors& dy) const { return scattered(c, dy, dim, base); }

Cases<Sort> Sort::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{distinct({2, 4})};
           }},
          {{.dim = 0, .descending = true, .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{distinct({3, 2})};
           }},
          {{.dim = 1, .stable = true},
           {},
           0,
           0,
           [] {
             return Inputs{distinct({2, 3, 2})};
           }},
          {{}, {}, 0, 0, [] { return Inputs{distinct({})}; }},
          {{}, {}, 0, 0, [] {
             return Inputs{distinct({2, 0})};
           }}};
}
Cases<Argsort> Argsort::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{distinct({2, 4})};
           }},
          {{.dim = 0, .descending = true, .stable = true, .base = 1}, {}, 0, 0, [] {
             return Inputs{distinct({3, 2})};
           }}};
}
Cases<TopK> TopK::samples() {
  return {{{.k = 2},
           {},
           0,
           0,
           [] {
             return Inputs{distinct({2, 5})};
           }},
          {{.k = 2, .dim = 0, .largest = false, .base = 1},
           {},
           0,
           0,
           [] {
             return Inputs{distinct({4, 2})};
           }},
          {{.k = 1, .sorted = false}, {}, 0, 0, [] { return Inputs{distinct({})}; }}};
}

}  // namespace luth::ops
