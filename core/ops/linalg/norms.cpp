#include "core/ops/linalg/norms.h"

#include <cmath>

#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/linalg/matrix_parts.h"
#include "core/ops/linalg/solve.h"
#include "core/ops/linalg/spectrum.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/diagonal.h"
#include "core/ops/shape/repeat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
using namespace matrix;
namespace {

Tensor converted(const Value& v, std::optional<Dtype> dtype) {
  const Tensor t = dtype ? cast_to(v, *dtype) : v.tensor();
  if (!is_floating(t.dtype())) throw Error("input must be of a float dtype, got {}", name(t.dtype()));
  return t;
}
Tensor vector_norm(const Tensor& x, double ord, const std::optional<Ints>& dim, bool keepdim) {
  const std::optional<Ints> over = dim && dim->empty() ? std::nullopt : dim;
  if (x.numel() == 0 && (ord < 0 || std::isinf(ord))) {
    bool nothing = !over;  // is there a vector without elements?
    if (over)
      for (int64_t d : *over) nothing = nothing || x.shape(d) == 0;
    if (nothing) throw Error("an empty vector has no norm of order {}", ord);
  }
  return norm(x, {.p = ord, .dim = over, .keepdim = keepdim});
}
// The two dims of matrices, wrapped and not the same.
Ints two_dims(const Tensor& x, const Ints& dim) {
  if (x.dim() < 2) throw Error("input must have at least 2 dims, got shape {}", to_string(x.shape()));
  if (dim.size() != 2) throw Error("dim must name 2 dims, got {}", dim.size());
  dim_mask(dim, x.dim());
  return {wrap_dim(dim[0], x.dim()), wrap_dim(dim[1], x.dim())};
}
Tensor restored(const Tensor& y, Ints dims, bool keepdim) {  // y lacks the last two dims
  if (!keepdim) return y;
  if (dims[0] > dims[1]) std::swap(dims[0], dims[1]);
  return unsqueeze(unsqueeze(y, {dims[0]}), {dims[1]});
}
Tensor singular_values(const Tensor& x, const Ints& dims) { return svdvals(movedim(x, {dims, Ints{-2, -1}})); }

Tensor matrix_norm(const Tensor& x, double ord, const Ints& dim, bool keepdim) {
  const Ints dims = two_dims(x, dim);
  const double size = std::abs(ord);
  auto extreme = [&](const Tensor& t, int64_t d, bool keep) {
    if (ord > 0 && t.shape(int(d)) == 0) return sum_over(t, {d}, keep);  // the norm of nothing is 0
    return ord > 0 ? amax(t, {.dim = {d}, .keepdim = keep}) : amin(t, {.dim = {d}, .keepdim = keep});
  };
  if (size == 2) return restored(extreme(singular_values(x, dims), -1, false), dims, keepdim);
  if (size != 1 && !std::isinf(size))
    throw Error("matrices have norms of order 1, 2, inf and their negatives, got {}", ord);
  const Tensor sums = sum_over(abs(x), {dims[size == 1 ? 0 : 1]}, true);
  const Tensor y = extreme(sums, dims[size == 1 ? 1 : 0], true);
  return keepdim ? y : squeeze(y, {dims});
}
Tensor named_norm(const Tensor& x, const std::string& ord, const Ints& dim, bool keepdim) {
  const Ints dims = two_dims(x, dim);
  if (ord == "fro") return vector_norm(x, 2, dims, keepdim);
  if (ord != "nuc") throw Error("ord is a number, 'fro' or 'nuc', got '{}'", ord);
  return restored(sum_over(singular_values(x, dims), {-1}), dims, keepdim);
}

}  // namespace

Tensor VectorNorm::decompose(const Inputs& in) const {
  return vector_norm(converted(in[0], dtype), ord.value(), dim, keepdim);
}
Tensor MatrixNormNamed::decompose(const Inputs& in) const {
  return named_norm(converted(in[0], dtype), ord, dim, keepdim);
}
Tensor MatrixNorm::decompose(const Inputs& in) const {
  return matrix_norm(converted(in[0], dtype), ord.value(), dim, keepdim);
}
Tensor LinalgNorm::decompose(const Inputs& in) const {
  const Tensor x = converted(in[0], dtype);
  if (!ord) return vector_norm(x, 2, dim, keepdim);
  if (dim ? dim->size() == 1 : x.dim() == 1) return vector_norm(x, ord->value(), dim, keepdim);
  if (!dim && x.dim() != 2)
    throw Error("with ord and without dim, input must have 1 or 2 dims, got shape {}", to_string(x.shape()));
  return matrix_norm(x, ord->value(), dim.value_or(Ints{0, 1}), keepdim);
}
Tensor LinalgNormNamed::decompose(const Inputs& in) const {
  const Tensor x = converted(in[0], dtype);
  if (!dim && x.dim() != 2) throw Error("'{}' without dim wants a matrix, got shape {}", ord, to_string(x.shape()));
  return named_norm(x, ord, dim.value_or(Ints{0, 1}), keepdim);
}

Tensor NamedNorm::decompose(const Inputs& in) const {
  if (p == "nuc") return LinalgNormNamed{.ord = p, .dim = dim, .keepdim = keepdim, .dtype = dtype}.decompose(in);
  if (p != "fro") throw Error("p is a number, 'fro' or 'nuc', got '{}'", p);
  return Norm{.dim = dim, .keepdim = keepdim, .dtype = dtype}.decompose(in);
}
Cases<NamedNorm> NamedNorm::samples() { return {{{}, {{3, 4}}}, {{.dim = {0}, .keepdim = true}, {{3, 4}}}}; }

namespace {
// |A| |A⁻¹|, infinite for a singular A.
template <class Norm>
Tensor condition(const Tensor& a, const Norm& op) {
  need_square(a, "input");
  const Tensors f = inv_ex(a);
  const Tensor product = mul(op.decompose({a}), op.decompose({f[0]}));
  return where(ne(f[1], 0), std::numeric_limits<double>::infinity(), product);
}
}  // namespace
Tensor Cond::decompose(const Inputs& in) const {
  need_matrix(in[0], "input");
  const Tensor& a = in[0];
  if (a.numel() == 0) return full(batch_of(a.shape()), 0, a.dtype(), a.device());
  if (p && std::abs(*p) != 2) return condition(a, MatrixNorm{.ord = *p});
  const Tensor s = svdvals(a);
  const Tensor first = select(s, {-1, 0}), last = select(s, {-1, s.shape(-1) - 1});
  return p && *p < 0 ? div(last, first) : div(first, last);
}
Tensor CondNamed::decompose(const Inputs& in) const {
  need_matrix(in[0], "input");
  const Tensor& a = in[0];
  if (p != "fro" && p != "nuc") throw Error("p is a number, 'fro' or 'nuc', got '{}'", p);
  if (a.numel() == 0) return full(batch_of(a.shape()), 0, a.dtype(), a.device());
  return condition(a, MatrixNormNamed{.ord = p});
}

Tensor LinalgDiagonal::decompose(const Inputs& in) const { return luth::diagonal(in[0], {{offset, dim1, dim2}}); }
Tensor Vander::decompose(const Inputs& in) const {
  Tensor x = in[0];
  if (x.dtype() == Dtype::boolean) throw Error("there are no powers of bool; convert with :to() first");
  if (x.dim() == 0) x = unsqueeze(x, {0});
  const int64_t count = N.value_or(x.shape(-1));
  if (count < 1) throw Error("N must be at least 1, got {}", count);
  const Dtype dtype = is_integral(x.dtype()) ? Dtype::i64 : x.dtype();
  const Tensor ones = full(with_extents(x.shape(), {1}), 1, dtype, x.device());
  if (count == 1) return ones;
  const Tensor wide = expand_to(unsqueeze(x, {-1}), with_extents(x.shape(), {count - 1}));
  return cat({ones, cumprod(wide, {.dim = x.dim()})}, {-1});
}
Tensor VanderDescending::decompose(const Inputs& in) const {
  Tensor x = in[0];
  if (x.dim() != 1) throw Error("x must have one dim, but has shape {}", to_string(x.shape()));
  if (x.dtype() == Dtype::boolean) x = cast_to(x, Dtype::i64);
  const int64_t count = N.value_or(x.numel());
  if (count < 0) throw Error("N must be at least 0, got {}", count);
  if (count == 0) return full({x.numel(), 0}, 0, is_integral(x.dtype()) ? Dtype::i64 : x.dtype(), x.device());
  const Tensor powers = Vander{count}.decompose({x});
  return increasing ? powers : flip(powers, {.dims = {1}});
}

namespace {
using matrix::sample;
Inputs one_matrix() { return {sample({3, 2})}; }
Inputs batch_of_matrices() { return {sample({2, 3, 3})}; }
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Op>
Case<Op> with(Inputs (*make)(), decltype(Op::ord) ord, decltype(Op::dim) dim, bool keepdim = false) {
  return {{.ord = ord, .dim = dim, .keepdim = keepdim}, {}, 0, 0, make};
}
}  // namespace

Cases<VectorNorm> VectorNorm::samples() {
  return {with<VectorNorm>(one_matrix, 2, {}), with<VectorNorm>(one_matrix, 3.5, Ints{0}, true),
          with<VectorNorm>(one_matrix, infinity, Ints{-1}), with<VectorNorm>(batch_of_matrices, 1, Ints{0, 2})};
}
Cases<MatrixNormNamed> MatrixNormNamed::samples() {
  return {with<MatrixNormNamed>(one_matrix, "fro", {-2, -1}),
          with<MatrixNormNamed>(batch_of_matrices, "nuc", {2, 0}, true)};
}
Cases<MatrixNorm> MatrixNorm::samples() {
  return {with<MatrixNorm>(batch_of_matrices, 2, {-2, -1}), with<MatrixNorm>(batch_of_matrices, -2, {0, 1}, true),
          with<MatrixNorm>(batch_of_matrices, 1, {2, 0}),
          with<MatrixNorm>(batch_of_matrices, -infinity, {-2, -1}, true)};
}
Cases<LinalgNorm> LinalgNorm::samples() {
  return {with<LinalgNorm>(batch_of_matrices, {}, {}), with<LinalgNorm>(one_matrix, Scalar(2), {}, true),
          with<LinalgNorm>(batch_of_matrices, Scalar(3), Ints{1}),
          with<LinalgNorm>(batch_of_matrices, Scalar(1), Ints{0, 2})};
}
Cases<LinalgNormNamed> LinalgNormNamed::samples() {
  return {with<LinalgNormNamed>(one_matrix, "nuc", {}),
          with<LinalgNormNamed>(batch_of_matrices, "fro", Ints{0, 1}, true)};
}

namespace {
const DefineAll<VectorNorm, MatrixNormNamed, MatrixNorm, LinalgNorm, LinalgNormNamed, NamedNorm, LinalgDiagonal, Vander,
                VanderDescending>
    define_all_;
}  // namespace

}  // namespace luth::ops
