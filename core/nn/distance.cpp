#include "core/nn/distance.h"

#include <algorithm>

#include "core/nn/linear.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/cumulative.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/pad.h"

namespace luth::nn {
namespace {
const DefineModule<Distances> distances_;
}

void CrossMapLRN2d::build() { need_at_least("CrossMapLRN2d", "size", spec.size, 1); }
Tensor CrossMapLRN2d::run(const Tensor& x) {
  if (x.dim() != 4) throw Error("CrossMapLRN2d needs images, [N, C, H, W], got {}", to_string(x.shape()));
  const int64_t channels = x.shape(1), p = std::min((spec.size - 1) / 2 + 1, channels);
  const Tensor squares = square(x);
  auto part = [](const Tensor& t, int64_t from, int64_t count) {
    return narrow(t, {.dim = 1, .start = from, .length = count});
  };
  auto with_zeros = [](const Tensor& t, int64_t before, int64_t after) {
    return pad(t, {.pad = {0, 0, 0, 0, before, after}});
  };
  // What the sum of squares gains and loses from each channel to the next.
  Tensor change = cat(
      {sum(part(squares, 0, p), {.dim = {1}, .keepdim = true}), part(with_zeros(squares, 0, p - 1), p, channels - 1)},
      {.dim = 1});
  if (channels > p + 1) change = sub(change, with_zeros(part(squares, 1, channels - p - 1), p + 1, 0));
  const Tensor scale = add(mul(cumsum(change, {.dim = 1}), spec.alpha / double(spec.size)), spec.k);
  return mul(x, pow(scale, -spec.beta));
}

}  // namespace luth::nn
