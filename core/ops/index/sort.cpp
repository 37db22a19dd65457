#include "core/ops/index/sort.h"

#include "core/ops/common/checks.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/index.h"
#include "core/ops/index/picked.h"

namespace luth::ops {
namespace {
const DefineAll<Sort, Argsort, Msort, TopK> define_all_;

/// The gradient of values picked along a dim: back to where they came from.
Tensors scattered(const Call& c, const Tensors& dy, int64_t dim, int base) {
  if (!dy[0]) return {};
  return {scatter.into(zeros_beside(dy[0], c.in[0]), c.out[1], dy[0], {.dim = dim, .base = base})};
}
}  // namespace

Specs Sort::infer(const Inputs& in) const { return elements_and_positions(in[0], dim); }
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
  return Cases<Sort>::drawn(sample_distinct, {{{}, {{2, 4}}},
                                              {{.dim = 0, .descending = true, .base = 1}, {{3, 2}}},
                                              {{.dim = 1, .stable = true}, {{2, 3, 2}}},
                                              {{}, {{}}},
                                              {{}, {{2, 0}}}});
}
Cases<Argsort> Argsort::samples() {
  const Argsort columns{.dim = 0, .descending = true, .stable = true, .base = 1};
  return Cases<Argsort>::drawn(sample_distinct, {{{}, {{2, 4}}}, {columns, {{3, 2}}}});
}
Cases<TopK> TopK::samples() {
  return Cases<TopK>::drawn(sample_distinct, {{{.k = 2}, {{2, 5}}},
                                              {{.k = 2, .dim = 0, .largest = false, .base = 1}, {{4, 2}}},
                                              {{.k = 1, .sorted = false}, {{}}},
                                              {{.k = 0}, {{}}}});
}

}  // namespace luth::ops
