#include "core/ops/reduce/order_statistics.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/sample_tensors.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/sort.h"
#include "core/ops/reduce/cumulative.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<KthValue, MedianDim, NanMedianDim, Median, NanMedian, Mode, Quantile, NanQuantile, QuantileTensor,
                NanQuantileTensor>
    define_all_;

Tensor as_vector(const Tensor& t) { return reshape(t, {Shape{t.numel()}}); }

Tensor with_nan(const Shape& s) {
  Tensor t = sample_distinct(s);
  t.data<double>()[1] = std::numeric_limits<double>::quiet_NaN();
  return t;
}

}  // namespace

Specs KthValue::infer(const Inputs& in) const {
  int64_t n = in[0].dim() ? in[0].shape()[wrap_dim(dim, in[0].dim())] : 1;
  check_not_bool(in[0].dtype());
  if (k < 1 || k > n) throw Error("k must be from 1 to the extent {} of dim {}, not {}", n, shown(dim), k);
  return values_and_indices(in[0], dim, keepdim);
}

Tensors MedianAll::vjp(const Call& c, const Tensor& dy) const {
  const Tensor &x = c.in[0], &y = c.out[0];
  Tensor picked = cast_to(logical_or(eq(x, y), logical_and(isnan(x), isnan(y))), dy.dtype());
  return {mul(picked, div(dy, sum(picked)))};
}
namespace {
// Of no elements: nan, or what PyTorch makes of it in an integer dtype.
Tensor median_of_none(const Tensor& t) {
  Scalar none = std::numeric_limits<double>::quiet_NaN();
  switch (t.dtype()) {
    case Dtype::i64: none = INT64_MIN; break;
    case Dtype::i32: none = int64_t(INT32_MIN); break;
    case Dtype::boolean: none = true; break;
    default:
      if (is_integral(t.dtype())) none = 0;
  }
  return full({}, none, t.dtype(), t.device());
}
}  // namespace

template <bool skip_nan>
Specs MedianAlong<skip_nan>::infer(const Inputs& in) const {
  check_not_bool(in[0].dtype());
  return values_and_indices(in[0], dim, keepdim);
}
Tensor Median::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (t.numel() == 0) return median_of_none(t);
  return median_dim(as_vector(t))[0];
}
Tensor NanMedian::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (t.numel() == 0) return median_of_none(t);
  return nanmedian_dim(as_vector(t))[0];
}

// The end of the longest run of equal elements in order: as many elements as lie between it and the run's start.
Tensors Mode::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  const int d = wrap_dim(dim, x.dim());
  const int64_t n = x.dim() ? x.shape()[d] : 1;
  if (n == 0) throw Error("there is no mode of no elements: dim {} of {} is empty", shown(d), to_string(x.shape()));
  if (x.dim() == 0) return {clone(x), full({}, base, Dtype::i64, x.device())};
  Tensors ordered = sort(x, {.dim = d, .stable = true});
  Tensor best;
  {
    NoGrad no_grad;
    const Tensor v = ordered[0].detach();
    Shape along(size_t(x.dim()), 1);
    along[d] = n;
    const Tensor place = reshape(counting(n, x.device()), {along});
    Tensor start =
        mul(cast_to(ne(narrow(v, {d, 1, n - 1}), narrow(v, {d, 0, n - 1})), Dtype::i64), narrow(place, {d, 1, n - 1}));
    start = cat({zeros_of(narrow(ordered[1], {d, 0, 1})), start}, {d});
    const Tensor latest = cummax(start, {.dim = d})[0];
    best = max_dim(sub(place, latest), {.dim = d, .keepdim = true})[1];
  }
  const Gather pick{.dim = d};
  Tensor values = gather(ordered[0], best, pick), indices = gather(ordered[1], best, pick);
  if (base) indices = add(indices, base);
  if (keepdim) return {values, indices};
  return {squeeze(values, {Ints{d}}), squeeze(indices, {Ints{d}})};
}

namespace {

// As torch.lerp: from the nearer end, so that both ends are met.
Tensor between(const Tensor& a, const Tensor& b, const Tensor& weight) {
  Tensor step = sub(b, a);
  return where(lt(weight, 0.5), add(a, mul(weight, step)), sub(b, mul(sub(1, weight), step)));
}

// The ranks of k quantiles in ordered rows (nan last), as fractions, in q's dtype: [..., k].
Tensor ranks_in(const Tensor& ordered, const Tensor& q, bool skip_nan) {
  const int64_t last = ordered.shape(-1) - 1;
  Tensor nan = isnan(ordered.detach());
  if (skip_nan) {
    Tensor count = cast_to(sum(logical_not(nan), {.dim = {-1}, .keepdim = true}), q.dtype());
    Tensor ranks = mul(q, sub(count, 1));
    return masked_fill(ranks, lt(ranks, 0), 0);
  }
  return where(any_dims(nan, {.dim = {-1}, .keepdim = true}), full({}, last, q.dtype(), q.device()), mul(q, last));
}

}  // namespace

Tensor Quantiles::find(const Tensor& input, const Tensor& q, bool skip_nan) const {
  const Dtype dtype = input.dtype();
  if (dtype != Dtype::f32 && dtype != Dtype::f64)
    throw Error("needs a tensor of dtype float32 or float64, not {}", name(dtype));
  if (q.dim() > 1) throw Error("q must be a number or have one dim, but has shape {}", to_string(q.shape()));
  if (input.numel() == 0) throw Error("there are no quantiles of no elements");
  if (q.device().on_host() && q.numel() && !all(logical_and(ge(q, 0), le(q, 1))).item().to<bool>())
    throw Error("q must be from 0 to 1");
  const bool linear = interpolation == "linear", midpoint = interpolation == "midpoint";
  Tensor x = dim && input.dim() ? input : as_vector(input);
  const int d = dim ? wrap_dim(*dim, x.dim()) : 0;
  const Tensor ordered = sort(movedim(x, {{d}, {-1}}), {})[0];
  // float32 counts to 2^24; below, its ranks are PyTorch's
  const bool many = ordered.shape(-1) > int64_t(1) << 24;
  Tensor ranks = ranks_in(ordered, cast_to(as_vector(q), many ? Dtype::f64 : dtype), skip_nan);
  if (interpolation == "lower")
    ranks = floor(ranks);
  else if (interpolation == "higher")
    ranks = ceil(ranks);
  else if (interpolation == "nearest")
    ranks = round(ranks);
  else if (!linear && !midpoint)
    throw Error("interpolation is 'linear', 'lower', 'higher', 'nearest' or 'midpoint', not '{}'", interpolation);
  auto element = [&](const Tensor& rank) { return gather(ordered, cast_to(rank.detach(), Dtype::i64), {.dim = -1}); };
  Tensor y = element(ranks);
  if (linear) y = between(y, element(ceil(ranks)), cast_to(sub(ranks, floor(ranks.detach())), dtype));
  if (midpoint) y = between(y, element(ceil(ranks)), full({}, 0.5, dtype, y.device()));
  Shape shape;
  if (q.dim()) shape.push_back(q.numel());
  for (int i = 0; i < input.dim(); ++i)
    if (dim && i != d)
      shape.push_back(input.shape()[i]);
    else if (keepdim)
      shape.push_back(1);
  return reshape(movedim(y, {{-1}, {0}}), {shape});
}
Tensor QuantilesOf::find(const Inputs& in, bool skip_nan) const {
  const Dtype given = in[1].dtype(), dtype = in[0].dtype();
  if (is_floating(dtype) && given != dtype)
    throw Error("q is {} and input {}; they must have one dtype", name(given), name(dtype));
  return Quantiles::find(in[0], in[1], skip_nan);
}
Tensor OneQuantile::find(const Tensor& input, bool skip_nan) const {
  if (!(q >= 0 && q <= 1)) throw Error("q must be from 0 to 1, not {}", q);
  return Quantiles::find(input, full({}, q, Dtype::f64, input.device()), skip_nan);
}

Cases<KthValue> KthValue::samples() {
  return Cases<KthValue>::drawn(sample_distinct, {{{}, {{2, 4}}},
                                                  {{.k = 2, .dim = 0, .keepdim = true}, {{3, 2}}},
                                                  {{.k = 3, .dim = 1, .base = 1}, {{2, 3, 2}}},
                                                  {{}, {{}}},
                                                  {{.dim = 0}, {{3, 0}}}});
}
// Not with nan for those whose result it makes nan: that has no finite differences.
template <bool skip_nan>
Cases<MedianAlong<skip_nan>> MedianAlong<skip_nan>::samples() {
  auto all = Cases<MedianAlong>::drawn(
      sample_distinct,
      {{{.dim = 1}, {{2, 4}}}, {{.dim = 0, .keepdim = true, .base = 1}, {{5, 2}}}, {{.dim = 0}, {{}}}});
  all.push_back({{.dim = -1}, {}, 0, 0, [] {
                   return Inputs{skip_nan ? with_nan({2, 4}) : sample_distinct({2, 0, 3})};
                 }});
  return all;
}
Cases<Median> Median::samples() { return Cases<Median>::drawn(sample_distinct, {{{}, {{2, 4}}}, {{}, {{}}}}); }
Cases<NanMedian> NanMedian::samples() { return Cases<NanMedian>::drawn(sample_distinct, {{{}, {{2, 4}}}, {{}, {{}}}}); }
Cases<Mode> Mode::samples() {
  return Cases<Mode>::drawn(sample_distinct,
                            {{{}, {{2, 4}}}, {{.dim = 0, .keepdim = true, .base = 1}, {{3, 2}}}, {{}, {{}}}});
}

template <class Op>
static Op quantile_op(double q, std::optional<int64_t> dim, bool keepdim, const char* interpolation) {
  Op op;
  op.q = q, op.dim = dim, op.keepdim = keepdim, op.interpolation = interpolation;
  return op;
}
template <class Op>
static Cases<Op> one_quantile(Inputs (*last)()) {
  auto make = [] { return Inputs{sample_distinct({2, 4})}; };
  return {{quantile_op<Op>(0.3, {}, false, "linear"), {}, 0, 0, make},
          {quantile_op<Op>(0.9, 1, true, "linear"), {}, 0, 0, make},
          {quantile_op<Op>(0.5, 1, false, "midpoint"), {}, 0, 0, make},
          {quantile_op<Op>(0.6, 0, false, "lower"), {}, 0, 0, make},
          {quantile_op<Op>(0.6, {}, true, "higher"), {}, 0, 0, make},
          {quantile_op<Op>(0.4, -1, false, "nearest"), {}, 0, 0, make},
          {quantile_op<Op>(0.4, 0, false, "linear"), {}, 0, 0, [] { return Inputs{sample_distinct({})}; }},
          {quantile_op<Op>(0.25, 1, false, "linear"), {}, 0, 0, last}};
}
Cases<Quantile> Quantile::samples() {
  return one_quantile<Quantile>([] { return Inputs{sample_distinct({3, 2})}; });
}
Cases<NanQuantile> NanQuantile::samples() {
  return one_quantile<NanQuantile>([] { return Inputs{with_nan({2, 4})}; });
}

static Inputs with_several_q() {
  return {sample_distinct({2, 4}), Tensor::from<double>({3}, std::array{0.2, 0.7, 0.45}.data())};
}
template <class Op>
static Cases<Op> several_quantiles() {
  Op rows, kept;
  rows.dim = 1;
  kept.dim = 0, kept.keepdim = true;
  return {{{}, {}, 0, 0, with_several_q}, {rows, {}, 0, 0, with_several_q}, {kept, {}, 0, 0, with_several_q}};
}
Cases<QuantileTensor> QuantileTensor::samples() { return several_quantiles<QuantileTensor>(); }
Cases<NanQuantileTensor> NanQuantileTensor::samples() { return several_quantiles<NanQuantileTensor>(); }

}  // namespace luth::ops
