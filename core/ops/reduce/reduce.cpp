#include "core/ops/reduce/reduce.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/binary_special.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/picked.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"
#include "core/tensor/batched_device.h"

namespace luth {

Tensor sum_to(const Tensor& t, const Shape& shape) {
  if (t.shape() == shape) return t;
  Ints dims;
  int lead = t.dim() - shape.size();
  for (int i = 0; i < t.dim(); ++i)
    if (i < lead || (shape[i - lead] == 1 && t.shape()[i] != 1)) dims.push_back(i);
  Tensor y = dims.empty() ? t : sum(t, {.dim = dims, .keepdim = true});
  return lead ? reshape(y, {shape}) : y;
}

bool basic::any_nan(const Tensor& t) { return any(isnan(t)).item().to<bool>(); }

namespace ops {
namespace {

const DefineAll<Sum, SumToSize, Mean, Prod, Amax, Amin, MaxAll, MinAll, MaxOther, MinOther, MaxDim, MinDim, Argmax,
                Argmin, Var, Std, Norm, EuclideanNorm, AllDims, AnyDims, All, Any, Equal, Allclose>
    define_all_;

template <class Op>
Cases<Op> dims_samples() {
  return {{{}, {{3, 4}}},
          {{.dim = {1}}, {{3, 4}}},
          {{.dim = {0}, .keepdim = true}, {{3, 4}}},
          {{.dim = {0, -1}}, {{2, 3, 4}}},
          {{.dim = {1}}, {{2, 3, 2, 2}}},
          {{}, {{}}}};
}
Dtype summed(Dtype d) { return is_floating(d) ? d : Dtype::i64; }
Shape without(const Shape& s, int dim, bool keepdim) {
  Shape r = s;
  if (!s.size()) return r;
  if (keepdim)
    r[dim] = 1;
  else
    r.erase(dim);
  return r;
}
void need_elements(const Tensor& t, uint32_t mask) {
  for (int i = 0; i < t.dim(); ++i)
    if (mask >> i & 1 && t.shape()[i] == 0)
      throw Error("there is no largest or smallest of no elements: dim {} of {} is empty", shown(i),
                  to_string(t.shape()));
}

}  // namespace

Shape Dims::reduced(const Tensor& t, bool keepdim) const {
  uint32_t m = mask(t);
  Shape s;
  for (int i = 0; i < t.dim(); ++i) {
    if (!(m >> i & 1))
      s.push_back(t.shape()[i]);
    else if (keepdim)
      s.push_back(1);
  }
  return s;
}
Tensor Dims::expanded(const Tensor& y, const Shape& shape, bool keepdim) const {
  Tensor t = y;
  if (!keepdim && shape.size()) {
    Shape kept = shape;
    uint32_t m = mask(shape.size());
    for (int i = 0; i < shape.size(); ++i)
      if (m >> i & 1) kept[i] = 1;
    t = reshape(t, {kept});
  }
  return expand_to(t, shape);
}

int64_t Dims::count(const Shape& shape) const {
  uint32_t m = mask(shape.size());
  int64_t n = 1;
  for (int i = 0; i < shape.size(); ++i)
    if (m >> i & 1) n *= shape[i];
  return n;
}

Spec Sum::infer(const Inputs& in) const { return {dim.reduced(in[0], keepdim), dtype.value_or(summed(in[0].dtype()))}; }
Tensors Sum::vjp(const Call& c, const Tensor& dy) const {
  return {cast_to(dim.expanded(dy, c.in[0].shape(), keepdim), c.in[0].dtype())};
}
Cases<Sum> Sum::samples() {
  auto cases = dims_samples<Sum>();
  cases.push_back({{.dim = {0}, .dtype = Dtype::f64}, {{3, 2}}});
  cases.push_back({{.dim = {0}}, {{0, 3}}});
  return cases;
}

Tensor SumToSize::decompose(const Inputs& in) const {
  const Shape& s = in[0].shape();
  const int lead = s.size() - size.size();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < size.size(); ++i) fits = size[i] == 1 || size[i] == s[lead + i];
  if (!fits) throw Error("size {} does not broadcast to the shape {}", to_string(size), to_string(s));
  return size.empty() ? sum(in[0]) : sum_to(in[0], size);
}

Tensor Mean::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  if (!dtype) check_floating(t);
  if (dtype && !is_floating(*dtype)) throw Error("dtype must be a floating point one, not {}", name(*dtype));
  const Dtype d = dtype.value_or(t.dtype());
  // the sum of halves may be beyond their range where the mean is not
  const Tensor total = sum(t, {.dim = dim, .keepdim = keepdim, .dtype = size_of(d) == 2 ? Dtype::f32 : d});
  return cast_to(div(total, double(dim.count(t.shape()))), d);
}
Tensors Mean::vjp(const Call& c, const Tensor& dy) const {
  Shape shape = c.in[0].shape();
  return {cast_to(dim.expanded(div(dy, double(dim.count(shape))), shape, keepdim), c.in[0].dtype())};
}
Cases<Mean> Mean::samples() { return dims_samples<Mean>(); }

Spec Prod::infer(const Inputs& in) const {
  const Tensor& t = in[0];
  Dtype d = dtype.value_or(summed(t.dtype()));
  if (!dim) return {keepdim ? Shape(t.dim(), 1) : Shape(), d};
  return {without(t.shape(), wrap_dim(*dim, t.dim()), keepdim), d};
}
// For each element the product of the others along the last dim, by products of pairs up a tree and down again: without
// dividing, so that gradients of any order are right where elements are 0.
static Tensor product_of_others(const Tensor& x) {
  const int64_t n = x.shape(-1);
  if (n <= 1) return full(x.shape(), 1, x.dtype(), x.device());
  Tensor even = slice(x, {-1, 0, INT64_MAX, 2}), odd = slice(x, {-1, 1, INT64_MAX, 2});
  if (n % 2) odd = cat({odd, full(slice(x, {-1, 0, 1, 1}).shape(), 1, x.dtype(), x.device())}, {-1});
  Tensor outside = product_of_others(mul(even, odd));
  Tensor both = stack({mul(outside, odd), mul(outside, even)}, {-1});
  return narrow(flatten(both, {-2, -1}), {-1, 0, n});
}
// The product of all, divided by the element, where none is 0.
Tensors Prod::vjp(const Call& c, const Tensor& dy) const {
  Tensor x = cast_to(c.in[0].tensor(), dy.dtype());
  bool flat = !dim;
  if (x.device().has_data() && !as_batched(x.device()) && !any(eq(x, 0)).item().to<bool>()) {
    Tensor all = prod(x, {.dim = dim, .keepdim = keepdim});
    Tensor top = mul(dy, all);
    if (!flat && !keepdim && x.dim()) top = unsqueeze(top, {*dim});
    return {cast_to(div(top, x), c.in[0].dtype())};
  }
  Tensor rows = flat ? reshape(x, {Shape{x.numel()}}) : x;
  int d = flat ? 0 : wrap_dim(*dim, x.dim());
  if (rows.dim() == 0) return {cast_to(reshape(dy, {Shape()}), c.in[0].dtype())};
  Tensor others = transpose(product_of_others(transpose(rows, {d, -1})), {d, -1});
  Tensor g = flat ? reshape(dy, {Shape{1}}) : keepdim ? dy : unsqueeze(dy, {d});
  Tensor dx = mul(others, g);
  return {cast_to(flat ? reshape(dx, {x.shape()}) : dx, c.in[0].dtype())};
}
Cases<Prod> Prod::samples() {
  return {{{}, {{3, 2}}},
          {{.dim = 1}, {{3, 4}}},
          {{.dim = 0, .keepdim = true}, {{3, 4}}},
          {{.dim = 0, .dtype = Dtype::f64}, {{2}}},
          {{}, {{}}},
          {{.dim = 0},
           {},
           0,
           0,
           [] {
             return Inputs{Tensor::from<double>({3}, std::array{2.0, 0.0, 3.0}.data())};
           }},
          {{.dim = 1}, {}, 0, 0, [] {
             return Inputs{
                 Tensor::from<double>({2, 5}, std::array{2.0, 0.0, 3.0, 0.5, 0.0, 1.5, 2.0, 0.0, 3.0, 0.5}.data())};
           }}};
}

template <bool largest>
Spec Extremum<largest>::infer(const Inputs& in) const {
  need_elements(in[0], dim.mask(in[0]));
  return {dim.reduced(in[0], keepdim), in[0].dtype()};
}
template <bool largest>
Tensors Extremum<largest>::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  Tensor ties = cast_to(eq(x, dim.expanded(c.out[0], x.shape(), keepdim)), dy.dtype());
  Tensor count = sum(ties, {.dim = dim, .keepdim = keepdim});
  return {mul(ties, dim.expanded(div(dy, count), x.shape(), keepdim))};
}
template <bool largest>
Cases<Extremum<largest>> Extremum<largest>::samples() {
  return dims_samples<Extremum>();
}
Tensor MaxAll::decompose(const Inputs& in) const { return amax(in[0]); }
Tensor MinAll::decompose(const Inputs& in) const { return amin(in[0]); }
Tensor MaxOther::decompose(const Inputs& in) const { return maximum(in[0], in[1]); }
Tensor MinOther::decompose(const Inputs& in) const { return minimum(in[0], in[1]); }

Specs values_and_indices(const Tensor& t, int64_t dim, bool keepdim) {
  int d = wrap_dim(dim, t.dim());
  if (t.dim()) need_elements(t, 1u << d);
  Shape s = without(t.shape(), d, keepdim);
  return {{s, t.dtype()}, {s, Dtype::i64}};
}
Tensors gradient_at_indices(const Call& c, const Tensor& dy, int64_t dim, bool keepdim, int base) {
  const Tensor& x = c.in[0];
  if (!dy) return {Tensor()};
  if (x.dim() == 0) return {dy};
  int d = wrap_dim(dim, x.dim());
  Tensor index = keepdim ? c.out[1] : unsqueeze(c.out[1], {d});
  Tensor g = keepdim ? dy : unsqueeze(dy, {d});
  return {scatter.into(zeros_beside(dy, x), index, g, {.dim = d, .base = base})};
}
template <bool largest>
Cases<ExtremumDim<largest>> ExtremumDim<largest>::samples() {
  return {{{}, {{3, 4}}}, {{.dim = 1, .keepdim = true}, {{3, 4}}}, {{.dim = -2}, {{2, 3, 4}}}, {{}, {{}}}};
}

template <bool largest>
Tensor ArgExtremum<largest>::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  Tensor x = dim ? t : reshape(t, {Shape{t.numel()}});
  if (!dim && t.numel() == 0) throw Error("there is no position of no elements");
  check_not_bool(x.dtype());
  const ExtremumDim<largest> along{.dim = dim.value_or(0), .keepdim = keepdim && dim, .base = base};
  Tensor index = Fn<ExtremumDim<largest>>()(x, along)[1];
  return keepdim && !dim ? reshape(index, {Shape(t.dim(), 1)}) : index;
}
template <>
Cases<Argmax> Argmax::samples() {
  return {{{}, {{3, 4}}}, {{.dim = 1, .keepdim = true}, {{3, 4}}}};
}
template <>
Cases<Argmin> Argmin::samples() {
  return {{{}, {{3, 4}}}, {{.dim = 0}, {{3, 4}}}};
}

// n - correction
static double freedom(const auto& op, const Tensor& t) {
  double n = 1;
  uint32_t m = op.dim.mask(t);
  for (int i = 0; i < t.dim(); ++i)
    if (m >> i & 1) n *= double(t.shape()[i]);
  return n - (op.unbiased ? double(*op.unbiased) : op.correction.value_or(1).value());
}
template <bool root>
double Variance<root>::divisor(const Tensor& t) const {
  return std::max(0.0, freedom(*this, t));
}
template <bool root>
Spec Variance<root>::infer(const Inputs& in) const {
  check_floating(in[0]);
  return {dim.reduced(in[0], keepdim), in[0].dtype()};
}
template <bool root>
Tensors Variance<root>::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  Tensor g = dy;
  if constexpr (root) {
    Tensor flat = eq(c.out[0], 0);  // PyTorch: no gradient where the deviation is 0
    g = div(where(flat, 0, dy), where(flat, 1, mul(c.out[0], 2)));
  }
  Tensor centred = sub(x, mean(x, {.dim = dim, .keepdim = true}));
  return {mul(mul(centred, 2.0 / freedom(*this, x)), dim.expanded(g, x.shape(), keepdim))};
}
template <bool root>
Cases<Variance<root>> Variance<root>::samples() {
  auto cases = dims_samples<Variance>();
  cases.list.pop_back();
  cases.push_back({{.unbiased = false}, {{3, 4}}});
  cases.push_back({{.correction = 2.0}, {{3, 4}}});
  return cases;
}
template struct Variance<false>;
template struct Variance<true>;

Tensor Norm::decompose(const Inputs& in) const {
  Tensor x = dtype ? cast_to(in[0].tensor(), *dtype) : in[0].tensor();
  check_floating(x);
  double e = p.value();
  const Sum total{.dim = dim, .keepdim = keepdim};
  // counts elements that are not 0, by operators that have a gradient, which is 0
  if (e == 0) return sum(masked_fill(pow(x, 0), eq(x, 0), 0), total);
  if (e == 1) return sum(abs(x), total);
  if (std::isinf(e))
    return e > 0 ? amax(abs(x), {.dim = dim, .keepdim = keepdim}) : amin(abs(x), {.dim = dim, .keepdim = keepdim});
  if (e == 2) return euclidean_norm(x, {.dim = dim, .keepdim = keepdim});
  const Dtype d = x.dtype();
  Tensor size = abs(size_of(d) == 2 ? cast_to(x, Dtype::f32) : x);  // powers leave the range of halves
  if (e < 0) return cast_to(pow(sum(pow(size, e), total), 1 / e), d);
  // Roots have no slope at 0; PyTorch's is 0.
  auto power = [](const Tensor& t, double to) {
    Tensor zero = eq(t, 0);
    return to < 1 ? masked_fill(pow(masked_fill(t, zero, 1), to), zero, 0) : pow(t, to);
  };
  return cast_to(power(sum(power(size, e), total), 1 / e), d);
}
Cases<Norm> Norm::samples() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {{{}, {{3, 4}}},
          {{.p = 1, .dim = {1}}, {{3, 4}}, 0.5, 2},
          {{.p = 3.0, .dim = {0}, .keepdim = true}, {{3, 4}}, 0.5, 2},
          {{.p = infinity, .dim = {1}}, {{3, 4}}, 0.5, 2}};
}

Tensors EuclideanNorm::vjp(const Call& c, const Tensor& dy) const {
  const Tensor& x = c.in[0];
  Tensor y = dim.expanded(c.out[0], x.shape(), keepdim), g = dim.expanded(dy, x.shape(), keepdim);
  return {where(eq(y, 0), 0, mul(g, div(x, y)))};  // PyTorch: the gradient at 0 is 0
}
Cases<EuclideanNorm> EuclideanNorm::samples() { return dims_samples<EuclideanNorm>(); }

template <bool every>
Spec Truth<every>::infer(const Inputs& in) const {
  return {dim.reduced(in[0], keepdim), in[0].dtype() == Dtype::u8 ? Dtype::u8 : Dtype::boolean};
}
template <bool every>
Cases<Truth<every>> Truth<every>::samples() {
  return dims_samples<Truth>();
}
Tensor All::decompose(const Inputs& in) const { return all_dims(in[0]); }
Tensor Any::decompose(const Inputs& in) const { return any_dims(in[0]); }

// Tensors that differ mostly do so early: parts are compared one after the other, a small one first.
Tensor Equal::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  if (!(a.shape() == b.shape())) return full({}, false, Dtype::boolean, a.device());
  int64_t n = a.numel(), part = 1 << 10;
  const bool parts = n > 1 << 14 && is_readable(a) && is_readable(b) && a.is_contiguous() && b.is_contiguous();
  if (!parts) return all_dims(eq(a, b));
  const Tensor x = view(a, {{n}}), y = view(b, {{n}});
  for (int64_t at = 0;; at += part, part = std::min<int64_t>(4 * part, 1 << 18)) {
    const ops::Slice next{0, at, at + part};
    Tensor same = all_dims(eq(slice(x, next), slice(y, next)));
    if (at + part >= n || !same.item().to<bool>()) return same;
  }
}
Tensor Allclose::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  if (a.dtype() != b.dtype()) throw Error("the dtypes differ: {} and {}", name(a.dtype()), name(b.dtype()));
  return all_dims(isclose(a, b, {.rtol = rtol, .atol = atol, .equal_nan = equal_nan}));
}

}  // namespace ops
}  // namespace luth
