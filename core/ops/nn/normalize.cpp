#include "core/ops/nn/normalize.h"

#include <algorithm>

#include "core/ops/common/checks.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<Normalize, LocalResponseNorm, Renorm> define_all_;
}

Tensor Normalize::decompose(const Inputs& in) const {
  return div(in[0], clamp(norm(in[0], {.p = p, .dim = dim, .keepdim = true}), eps, Value()));
}

void LocalResponseNorm::check() const {
  if (size < 1) throw Error("size must be at least 1, not {}", size);
}
Tensor LocalResponseNorm::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const Shape& s = x.shape();
  if (s.size() < 3) throw Error("input must have at least 3 dims (N x C x …), but has shape {}", to_string(s));
  check();
  if (!is_floating(x.dtype()) && x.dtype() != Dtype::i64)
    throw Error("input must be of a floating dtype or int64, but is {}", name(x.dtype()));
  if (x.numel() == 0) return x;
  auto nothing = [&](int64_t channels) {
    Shape part = s;
    part[1] = channels;
    return zeros(part, x.dtype(), x.device());
  };
  const int64_t before = std::min(size / 2, s[1]), after = std::min((size - 1) / 2, s[1]);  // further out is nothing
  Tensor padded = cat({nothing(before), mul(x, x), nothing(after)}, {.dim = 1}), total;
  for (int64_t i = 0; i <= before + after; ++i) {
    Tensor part = narrow(padded, {.dim = 1, .start = i, .length = s[1]});
    total = total ? add(total, part) : part;
  }
  Tensor mean = is_floating(x.dtype()) ? div(total, size) : floor_divide(total, size);
  return div(x, pow(add(mul(mean, alpha), k), beta));
}

Tensor Renorm::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const int n = x.dim();
  if (n < 2) throw Error("input must have at least 2 dims, but has shape {}", to_string(x.shape()));
  check_floating(x);
  if (!(p.value() > 0)) throw Error("p must be above 0, not {}", p.value());
  if (!(maxnorm.value() >= 0)) throw Error("maxnorm must not be negative, but is {}", maxnorm.value());
  const int64_t stays = wrap_dim(dim, n);
  Ints others;
  for (int i = 0; i < n; ++i)
    if (i != stays) others.push_back(i);
  Norm op{.p = p, .dim = others, .keepdim = true};
  if (size_of(x.dtype()) == 2) op.dtype = Dtype::f32;
  Tensor size = norm(x, op);
  Tensor factor = where(gt(size, maxnorm), div(maxnorm, add(size, 1e-7)), 1);
  return mul(x, cast_to(factor, x.dtype()));
}

// ---- cases ---------------------------------------------------------------------------------------------------------

Cases<Normalize> Normalize::samples() {
  return {{{}, {{2, 3}}}, {{.p = 1, .dim = {-1}}, {{2, 3}}}, {{.p = 3, .dim = {0, 1}}, {{2, 3, 2}}, 0.2, 2}};
}
Cases<LocalResponseNorm> LocalResponseNorm::samples() {  // int64 is averaged to integers, which shows for large alpha
  return {{{.size = 2}, {{1, 4, 3}}},
          {{.size = 3, .alpha = 1e-5, .beta = 0.5, .k = 2}, {{2, 4, 2, 2}}},
          {{.size = 1, .alpha = 0.5}, {{1, 2, 3}}}};
}
Cases<Renorm> Renorm::samples() {
  return {{{.p = 2, .dim = 0, .maxnorm = 0.5}, {{2, 3}}, 0.3, 2},
          {{.p = 1, .dim = -1, .maxnorm = 3}, {{2, 3, 2}}, 0.2, 2}};
}

}  // namespace luth::ops
