#include "core/ops/linalg/matrix_parts.h"

#include <cmath>

#include "core/autograd/autograd.h"
#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/mask.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"
#include "core/tensor/batched_device.h"

namespace luth::matrix {

void need_matrix(const Value& v, const char* what) {
  if (!v.is_tensor() || v.dim() < 2)
    throw Error("{} must be a matrix or a batch of matrices, got shape {}", what, to_string(v.shape()));
  if (v.dtype() != Dtype::f32 && v.dtype() != Dtype::f64)
    throw Error("{} must be of dtype float32 or float64, got {}; convert with :to()", what, name(v.dtype()));
}
void need_square(const Value& v, const char* what) {
  need_matrix(v, what);
  if (v.tensor().shape(-1) != v.tensor().shape(-2))
    throw Error("{} must be square, got shape {}", what, to_string(v.shape()));
}
void need_same_dtype(const Value& a, const Value& b) {
  if (a.dtype() != b.dtype())
    throw Error("inputs must have one dtype, got {} and {}", name(a.dtype()), name(b.dtype()));
}

Tensor of_all_samples(Tensor t) {
  while (as_batched(t.device())) t = samples_of(t);
  return t;
}

Failure first_failure(const Tensor& info) {
  if (!info.device().has_data() || !info.numel()) return {};
  const Tensor codes = to_device(of_all_samples(info.detach()), {&host()});
  const Tensor dense = dense_copy(codes);
  for (int64_t i = 0; i < dense.numel(); ++i) {
    const int32_t code = dense.data<int32_t>()[i];
    if (!code) continue;
    if (!dense.dim()) return {"the matrix", code};
    Ints place(size_t(dense.dim()));
    int64_t rest = i;
    for (int d = dense.dim(); d-- > 0; rest /= dense.shape()[d]) place[d] = shown(rest % dense.shape()[d]);
    return {"matrix " + (dense.dim() == 1 ? std::to_string(place[0]) : to_string(place)) + " of the batch", code};
  }
  return {};
}

Shape batch_of(const Shape& s, int drop) { return Shape(s.begin(), s.end() - drop); }
Shape with_extents(Shape batch, std::initializer_list<int64_t> more) {
  for (int64_t n : more) batch.push_back(n);
  return batch;
}
Tensor with_batch(const Tensor& t, const Shape& batch, int drop) {
  Shape whole = batch;
  for (int i = drop; i > 0; --i) whole.push_back(t.shape(-i));
  return t.shape() == whole ? t : expand_to(t, whole);
}
Tensor swapped(const Tensor& t) { return transpose(t, {-2, -1}); }

// In the row-major memory of a square matrix the diagonal is every (n + 1)st element.
Tensor main_diagonal(const Tensor& t) {
  const int64_t n = std::min(t.shape(-1), t.shape(-2));
  Tensor square = columns(rows(t, 0, n), 0, n);
  return slice(reshape(square, {with_extents(batch_of(t.shape()), {n * n})}), {.dim = -1, .step = n + 1});
}
Tensor diagonal_matrix(const Tensor& v) {
  const int64_t n = v.shape(-1);
  const Shape batch = batch_of(v.shape(), 1), flat = with_extents(batch, {n * n});
  Tensor wide = slice_backward(v, {.shape = flat, .dim = v.dim() - 1, .start = 0, .end = n * n, .step = n + 1});
  return reshape(wide, {with_extents(batch, {n, n})});
}
Tensor diagonal_mask(int64_t n, Device& device) {
  const Tensor i = counting(n, device);
  return eq(unsqueeze(i, {1}), i);
}
Tensor identity(int64_t n, const Tensor& t) { return cast_to(diagonal_mask(n, t.device()), t.dtype()); }
Tensor rows(const Tensor& t, int64_t from, int64_t n) {
  return from == 0 && n == t.shape(-2) ? t : narrow(t, {-2, from, n});
}
Tensor columns(const Tensor& t, int64_t from, int64_t n) {
  return from == 0 && n == t.shape(-1) ? t : narrow(t, {-1, from, n});
}
Tensor scale_columns(const Tensor& t, const Tensor& v) { return mul(t, unsqueeze(v, {-2})); }
Tensor scale_rows(const Tensor& t, const Tensor& v) { return mul(t, unsqueeze(v, {-1})); }
Tensor sum_over(const Tensor& t, const Ints& dims, bool keepdim) { return sum(t, {.dim = dims, .keepdim = keepdim}); }
Tensor plus(const Tensor& a, const Tensor& b) { return !a ? b : !b ? a : add(a, b); }
bool recorded(const Inputs& in) {
  if (!grad_enabled()) return false;
  for (auto& v : in)
    if (v.is_tensor() && v.tensor().requires_grad()) return true;
  return false;
}
bool holds_everywhere(const Tensor& t) {
  return !t.device().has_data() || all(of_all_samples(t.detach())).item().to<bool>();
}

Tensor sample(const Shape& shape) {
  Tensor t = Tensor::empty(shape, Dtype::f64, host());
  const int64_t n = shape.back(), m = t.shape(-2);
  for (int64_t k = 0; k < t.numel(); ++k) {
    const int64_t j = k % n, i = k / n % m;
    t.data<double>()[k] = 0.4 * std::sin(1.7 * double(k) + 0.3) + (i == j ? 1.5 + 0.75 * double(i) : 0);
  }
  return t;
}
Tensor definite_sample(const Shape& shape) {
  Tensor t = sample(shape);
  return mul(add(t, swapped(t)), 0.5);
}

}  // namespace luth::matrix
