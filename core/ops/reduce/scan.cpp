#include "core/ops/reduce/scan.h"

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<Cumsum, Cumprod, Tril, Triu> define_all_;

template <class Op>
void check_own_dtype(const void* op, const Inputs& in) {
  const auto& dtype = static_cast<const Op*>(op)->dtype;
  if (dtype && *dtype != in[0].dtype())
    throw Error("dtype is {}, and what is written in place stays {}; leave out the underscore", name(*dtype),
                name(in[0].dtype()));
}

Spec scanned(const Inputs& in, int64_t dim, const std::optional<Dtype>& dtype) {
  wrap_dim(dim, in[0].dim());
  Dtype d = in[0].dtype();
  if (dtype == Dtype::boolean) throw Error("not implemented for bool; give another dtype");
  return {in[0].shape(), dtype.value_or(is_floating(d) ? d : Dtype::i64)};
}
Spec matrices(const Inputs& in) {
  if (in[0].dim() < 2)
    throw Error("expects a matrix, or several in further dims, but has shape {}", to_string(in[0].shape()));
  return {in[0].shape(), in[0].dtype()};
}

// With a zero among the elements the quotient of the result and an element is no help. Before the first zero of a row
// it is; that zero gets what the products would be if it were 1; behind it nothing counts.
Tensor beside_zeros(const Tensor& x, const Tensor& y, const Tensor& dy, int64_t dim) {
  const Tensor zero = eq(x, 0), zeros = cumsum(zero, {dim}), before = eq(zeros, 0);
  const Tensor first = logical_and(zero, eq(zeros, 1));
  const Tensor quotients = div(cumsum(where(before, mul(dy, y), 0.0), {dim, {}, true}), x);
  const Tensor from_first = where(before, 0.0, mul(dy, cumprod(where(first, 1.0, x), {dim})));
  return where(before, quotients, where(first, sum(from_first, {.dim = {dim}, .keepdim = true}), 0.0));
}
// The same where it has a gradient itself: each product is built without the element.
Tensor around_zeros(const Tensor& x, const Tensor& y, const Tensor& dy, int64_t dim) {
  const int64_t n = x.shape(dim);
  Tensors parts;
  for (int64_t k = 0; k < n; ++k) {
    Tensor others = narrow(dy, {dim, k, 1});
    if (k + 1 < n) {
      Tensor rest = mul(cumprod(narrow(x, {dim, k + 1, n - k - 1}), {dim}), narrow(dy, {dim, k + 1, n - k - 1}));
      others = add(others, sum(rest, {.dim = {dim}, .keepdim = true}));
    }
    parts.push_back(k ? mul(others, narrow(y, {dim, k - 1, 1})) : others);
  }
  return cat(parts, {.dim = dim});
}
}  // namespace

void Cumsum::check_inplace(const void* op, const Inputs& in) { check_own_dtype<Cumsum>(op, in); }
Spec Cumsum::infer(const Inputs& in) const { return scanned(in, dim, dtype); }
Tensors Cumsum::vjp(const Call&, const Tensor& dy) const { return {cumsum(dy, {dim, {}, !backwards})}; }

void Cumprod::check_inplace(const void* op, const Inputs& in) { check_own_dtype<Cumprod>(op, in); }
Spec Cumprod::infer(const Inputs& in) const { return scanned(in, dim, dtype); }
Tensors Cumprod::vjp(const Call& c, const Tensor& dy) const {
  Tensor x = cast_to(c.in[0], dy.dtype());
  const Tensor& y = c.out[0];
  if (x.dim() == 0) return {dy};
  bool zeros;
  {
    NoGrad no_grad;
    zeros = x.numel() && x.device().has_data() && any(eq(x, 0)).item().to<bool>();
  }
  constexpr int64_t few = 64;  // whose products take no longer, and do not overflow where a quotient does
  if (zeros) return {grad_enabled() || x.shape(dim) <= few ? around_zeros(x, y, dy, dim) : beside_zeros(x, y, dy, dim)};
  return {div(cumsum(mul(dy, y), {dim, {}, true}), x)};
}

Spec Tril::infer(const Inputs& in) const { return matrices(in); }
Tensors Tril::vjp(const Call&, const Tensor& dy) const { return {tril(dy, *this)}; }
Spec Triu::infer(const Inputs& in) const { return matrices(in); }
Tensors Triu::vjp(const Call&, const Tensor& dy) const { return {triu(dy, *this)}; }

Cases<Cumsum> Cumsum::samples() {
  return {{{.dim = 1}, {{2, 4}}},
          {{.dim = 0}, {{3, 2, 2}}},
          {{.dim = -1, .dtype = Dtype::f64, .backwards = true}, {{3}}},
          {{.dim = 0}, {{}}},
          {{.dim = 1}, {{2, 0}}}};
}
Cases<Cumprod> Cumprod::samples() {
  return {{{.dim = 1}, {{2, 3}}, 0.5, 2},
          {{.dim = 0}, {{3, 2}}, 0.5, 2},
          {{.dim = 0},
           {},
           0,
           0,
           [] {
             return Inputs{Tensor::from<double>({4}, std::data({2.0, 0.0, -1.0, 3.0}))};
           }},
          {{.dim = 0}, {{}}, 0.5, 2}};
}
template <class Op>
static Cases<Op> triangle_samples() {
  return {{{}, {{3, 4}}}, {{.diagonal = 1}, {{2, 3, 3}}}, {{.diagonal = -1}, {{3, 2}}}};
}
Cases<Tril> Tril::samples() { return triangle_samples<Tril>(); }
Cases<Triu> Triu::samples() { return triangle_samples<Triu>(); }

}  // namespace luth::ops
