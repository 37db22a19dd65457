#include "core/ops/window/fractional_pool.h"

#include <algorithm>

#include "core/ops/common/checks.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/random/random.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<FractionalMaxPool<2>, FractionalMaxPool<3>> define_all_;

Tensor count_to(int64_t n, Dtype dtype, Device& device) { return arange({{}, {dtype, &device}, 0, n, 1}); }

/// Where the windows along a dim begin: [planes, to]. `u`: [planes, 1].
Tensor beginnings(const Tensor& u, int64_t from, int64_t to, int64_t kernel) {
  const Tensor last = full({u.shape(0), 1}, from - kernel, Dtype::i64, u.device());
  if (to == 1) return last;
  const double step = double(from - kernel) / double(to - 1);
  const Tensor at = floor(mul(add(count_to(to - 1, u.dtype(), u.device()), u), step));
  return cat({cast_to(sub(at, floor(mul(u, step))), Dtype::i64), last}, {.dim = 1});
}

/// The elements that the windows see, as positions in a plane: [planes, windows, elements].
template <int n>
Tensor seen(const Tensor& samples, const Ints& from, const Ints& to, const Ints& kernel) {
  const int64_t planes = samples.shape(0);
  Tensor at;
  for (int d = 0; d < n; ++d) {
    const Tensor u = narrow(samples, {.dim = 1, .start = n == 2 ? 1 - d : d, .length = 1});
    const int64_t k = at_or_all(kernel, d);
    Shape windows(size_t(2 * n + 1), 1), elements = windows;
    windows[0] = planes, windows[1 + d] = to[d], elements[1 + n + d] = k;
    const Tensor along = add(reshape(beginnings(u, from[d], to[d], k), {windows}),
                             reshape(count_to(k, Dtype::i64, samples.device()), {elements}));
    at = at ? add(mul(at, from[d]), along) : along;
  }
  return reshape(at, {{planes, to.numel(), -1}});
}

}  // namespace

template <int n>
void FractionalMaxPool<n>::check() const {
  check_list("kernel_size", kernel_size, n, 1);
  if (bool(output_size) == bool(output_ratio)) throw Error("needs either output_size or output_ratio");
  if (output_size) return check_list("output_size", *output_size, n, 1);
  if (output_ratio->size() != 1 && output_ratio->size() != n)
    throw Error("output_ratio must be one number or {}, got {}", n, output_ratio->size());
  for (double r : *output_ratio)
    if (!(r > 0 && r < 1)) throw Error("output_ratio must be between 0 and 1, got {}", r);
}

template <int n>
Tensors FractionalMaxPool<n>::decompose(const Inputs& in) const {
  check();
  check_spatial("input", in[0], n);
  check_floating(in[0], "input");
  const Tensor& x = in[0];
  const Ints from = spatial(x.shape(), n);
  Ints to;
  for (int d = 0; d < n; ++d) {
    to.push_back(output_size ? at_or_all(*output_size, d)
                             : int64_t(double(from[d]) * (*output_ratio)[output_ratio->size() > 1 ? size_t(d) : 0]));
    if (to[d] < 1 || to[d] + at_or_all(kernel_size, d) - 1 > from[d])
      throw Error("{} windows of {} elements do not fit into the {} of dim {}", to[d], at_or_all(kernel_size, d),
                  from[d], shown(x.dim() - n + d));
  }
  const Shape batch(x.shape().begin(), x.shape().end() - n);
  const int64_t planes = batch.numel();
  Tensor u = in[1] ? Tensor(in[1]) : Tensor::empty({planes, n}, x.dtype(), x.device());
  if (!in[1]) RandFill().fill(u);
  if (u.numel() != planes * n)
    throw Error("_random_samples has shape {}; it needs {} numbers for each of {} planes", to_string(u.shape()), n,
                planes);
  const Tensor at = seen<n>(reshape(u, {{planes, n}}), from, to, kernel_size), flat = reshape(at, {{planes, -1}});
  const Tensor elements = reshape(gather(reshape(x, {{planes, from.numel()}}), flat, {.dim = 1}), {at.shape()});
  const Tensors most = max_dim(elements, {.dim = 2, .keepdim = true});
  const Shape shape = with_spatial(x.shape(), to);
  Tensors out{reshape(most[0], {shape})};
  if (return_indices) {
    const Tensor indices = reshape(gather(at, most[1], {.dim = 2}), {shape});
    out.push_back(base ? add(indices, base) : indices);
  }
  return out;
}

// With numbers of its own, so that one call is like the next.
template <int n>
Cases<FractionalMaxPool<n>> FractionalMaxPool<n>::samples() {
  Cases<FractionalMaxPool<n>> all;
  FractionalMaxPool<n> op;
  op.kernel_size = {2};
  op.output_size = n == 2 ? Ints{2, 3} : Ints{2, 1, 2};
  if (n == 3) {
    all.push_back({op, {{1, 2, 3, 3, 4}, {1, 2, 3}}, 0.1, 0.9});
    return all;
  }
  all.push_back({op, {{2, 1, 5, 6}, {2, 1, 2}}, 0.1, 0.9});
  op.kernel_size = {2, 3};
  op.output_size.reset();
  op.output_ratio = std::vector<double>{0.5};
  op.return_indices = true;
  all.push_back({op, {{2, 6, 7}, {1, 2, 2}}, 0.1, 0.9});
  return all;
}

template struct FractionalMaxPool<2>;
template struct FractionalMaxPool<3>;

}  // namespace luth::ops
