#include "core/ops/linalg/matmul.h"

#include "core/ops/common/checks.h"
#include "core/ops/elementwise/activation.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

Tensor swapped(const Tensor& t) { return transpose(t, {-2, -1}); }
Tensor times(const Tensor& t, const Scalar& factor) { return factor.value() == 1 ? t : mul(t, factor); }

void check_dim(const Inputs& in, int i, const char* name, int dim) {
  static constexpr const char* kinds[] = {"a number", "a vector", "a matrix", "a batch of matrices (3 dims)"};
  if (!in[i].is_tensor() || in[i].dim() != dim)
    throw Error("{} must be {}, got shape {}", name, kinds[dim], to_string(in[i].shape()));
}
void check_dtypes(const Inputs& in) {
  check_one_dtype(in, [](const Value& v) {
    if (v.dtype() == Dtype::boolean) throw Error("there is no matrix product of bool; convert with :to() first");
  });
}
void check_product(const Shape& a, const Shape& b) {
  int64_t k = a.back(), rows = b[b.size() > 1 ? b.size() - 2 : 0];
  if (k != rows)
    throw Error("shapes {} and {} cannot be multiplied: rows of the first have {} elements, columns of the second {}",
                to_string(a), to_string(b), k, rows);
}
// What is added must broadcast to the product's shape.
void check_added(const Value& input, const Shape& shape) {
  bool fits = input.dim() <= shape.size();
  for (int i = 1; fits && i <= input.dim(); ++i) {
    int64_t n = input.shape()[input.dim() - i];
    fits = n == 1 || n == shape[shape.size() - i];
  }
  if (!fits)
    throw Error("input of shape {} does not broadcast to {}, the shape of the product", to_string(input.shape()),
                to_string(shape));
}

Shape mm_shape(const Inputs& in, int first, const char* a, const char* b) {
  check_dim(in, first, a, 2);
  check_dim(in, first + 1, b, 2);
  check_dtypes(in);
  check_product(in[first].shape(), in[first + 1].shape());
  return {in[first].shape()[0], in[first + 1].shape()[1]};
}
Shape bmm_shape(const Inputs& in, int first, const char* a, const char* b) {
  check_dim(in, first, a, 3);
  check_dim(in, first + 1, b, 3);
  check_dtypes(in);
  Shape x = in[first].shape(), y = in[first + 1].shape();
  if (x[0] != y[0]) throw Error("batches must have one size, got {} and {}", x[0], y[0]);
  check_product(x, y);
  return {x[0], x[1], y[2]};
}

Shape joined(const Shape& batch, std::initializer_list<int64_t> more) {
  Shape s = batch;
  for (int64_t n : more) s.push_back(n);
  return s;
}
Shape leading(const Shape& s, int drop) { return Shape(s.begin(), s.end() - drop); }

// [..., m, k] @ [..., k, n] with at least 3 dims on one side
Tensor batched(const Tensor& a, const Tensor& b) {
  check_product(a.shape(), b.shape());
  int64_t m = a.shape(-2), k = a.shape(-1), n = b.shape(-1);
  if (b.dim() == 2) {  // one matrix for the whole batch: one product
    Tensor y = mm(reshape(a, {{leading(a.shape(), 1).numel(), k}}), b);
    return reshape(y, {joined(leading(a.shape(), 1), {n})});
  }
  Shape batch = broadcast(leading(a.shape(), 2), leading(b.shape(), 2));
  auto flat = [&](const Tensor& t, int64_t rows, int64_t cols) {
    Shape whole = joined(batch, {rows, cols});
    return reshape(t.shape() == whole ? t : expand_to(t, whole), {{batch.numel(), rows, cols}});
  };
  return reshape(bmm(flat(a, m, k), flat(b, k, n)), {joined(batch, {m, n})});
}

}  // namespace

static Tensors product_vjp(const auto& product, const Call& c, const Tensor& dy) {
  return {c.wants(0) ? product(dy, swapped(c.in[1])) : Tensor(), c.wants(1) ? product(swapped(c.in[0]), dy) : Tensor()};
}
Spec Mm::infer(const Inputs& in) const { return {mm_shape(in, 0, "input", "mat2"), in[0].dtype()}; }
Tensors Mm::vjp(const Call& c, const Tensor& dy) const { return product_vjp(mm, c, dy); }

Spec Bmm::infer(const Inputs& in) const { return {bmm_shape(in, 0, "input", "mat2"), in[0].dtype()}; }
Tensors Bmm::vjp(const Call& c, const Tensor& dy) const { return product_vjp(bmm, c, dy); }

Spec Mv::infer(const Inputs& in) const {
  check_dim(in, 0, "input", 2);
  check_dim(in, 1, "vec", 1);
  check_dtypes(in);
  check_product(in[0].shape(), in[1].shape());
  return {{in[0].shape()[0]}, in[0].dtype()};
}
Tensors Mv::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? outer(dy, c.in[1]) : Tensor(), c.wants(1) ? mv(swapped(c.in[0]), dy) : Tensor()};
}

Spec Dot::infer(const Inputs& in) const {
  check_dim(in, 0, "input", 1);
  check_dim(in, 1, "tensor", 1);
  check_dtypes(in);
  if (in[0].numel() != in[1].numel())
    throw Error("the vectors have {} and {} elements; they must have equally many", in[0].numel(), in[1].numel());
  return {{}, in[0].dtype()};
}
Tensors Dot::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? mul(c.in[1], dy) : Tensor(), c.wants(1) ? mul(c.in[0], dy) : Tensor()};
}

Tensor Vdot::decompose(const Inputs& in) const { return dot(in[0], in[1]); }

Tensor Outer::decompose(const Inputs& in) const {
  check_dim(in, 0, "input", 1);
  check_dim(in, 1, "vec2", 1);
  return mul(unsqueeze(in[0], {1}), unsqueeze(in[1], {0}));
}

Tensor Inner::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  if (!a.dim() || !b.dim()) return mul(a, b);
  if (a.shape(-1) != b.shape(-1))
    throw Error("the last dims must have one extent, got {} and {}", a.shape(-1), b.shape(-1));
  int64_t k = a.shape(-1);
  Shape shape = leading(a.shape(), 1);
  for (int64_t n : leading(b.shape(), 1)) shape.push_back(n);
  auto rows = [&](const Tensor& t) { return reshape(t, {{leading(t.shape(), 1).numel(), k}}); };
  return reshape(mm(rows(a), swapped(rows(b))), {shape});
}

Tensor Matmul::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  if (!a.dim() || !b.dim())
    throw Error("both inputs need at least one dim, got shapes {} and {}; use * for numbers", to_string(a.shape()),
                to_string(b.shape()));
  if (a.dim() == 1 && b.dim() == 1) return dot(a, b);
  if (a.dim() == 2 && b.dim() == 1) return mv(a, b);
  if (a.dim() == 2 && b.dim() == 2) return mm(a, b);
  check_product(a.shape(), b.shape());
  if (a.dim() == 1) return squeeze(matmul(unsqueeze(a, {0}), b), {Ints{-2}});
  if (b.dim() == 1) return squeeze(batched(a, unsqueeze(b, {1})), {Ints{-1}});
  return batched(a, b);
}

Spec Addmm::infer(const Inputs& in) const {
  Shape shape = mm_shape(in, 1, "mat1", "mat2");
  check_added(in[0], shape);
  return {shape, in[1].dtype()};
}
namespace {
Tensors addmm_gradients(const Blend& op, const Call& c, const Tensor& dy) {
  return {c.wants(0) ? sum_to(mul(dy, op.beta), c.in[0].shape()) : Tensor(),
          c.wants(1) ? times(mm(dy, swapped(c.in[2])), op.alpha) : Tensor(),
          c.wants(2) ? times(mm(swapped(c.in[1]), dy), op.alpha) : Tensor()};
}
}  // namespace
Tensors Addmm::vjp(const Call& c, const Tensor& dy) const { return addmm_gradients(*this, c, dy); }

Spec AddmmActivation::infer(const Inputs& in) const {
  if (!is_floating(in[1].dtype())) throw Error("wants floating inputs, got {}", name(in[1].dtype()));
  return Addmm{*this}.infer(in);
}
Tensor AddmmActivation::decompose(const Inputs& in) const {
  infer(in);
  Tensor y = addmm(in[0], in[1], in[2], {*this});
  return use_gelu ? gelu(y, {{}, {.approximate = "tanh"}}) : relu(y);
}
// gelu's own input was never stored: it is computed again.
Tensors AddmmActivation::vjp(const Call& c, const Tensor& dy) const {
  if (!use_gelu) return addmm_gradients(*this, c, relu_backward(dy, c.out[0]));
  const Tensor x = addmm(c.in[0], c.in[1], c.in[2], {*this});
  return addmm_gradients(*this, c, gelu_backward(dy, x, {{}, {.approximate = "tanh"}}));
}

Spec Baddbmm::infer(const Inputs& in) const {
  Shape shape = bmm_shape(in, 1, "batch1", "batch2");
  check_added(in[0], shape);
  return {shape, in[1].dtype()};
}
Tensors Baddbmm::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? sum_to(mul(dy, beta), c.in[0].shape()) : Tensor(),
          c.wants(1) ? times(bmm(dy, swapped(c.in[2])), alpha) : Tensor(),
          c.wants(2) ? times(bmm(swapped(c.in[1]), dy), alpha) : Tensor()};
}

Tensor Addmv::decompose(const Inputs& in) const {
  check_dim(in, 1, "mat", 2);
  check_dim(in, 2, "vec", 1);
  Tensor column = in[0].dim() ? unsqueeze(in[0], {-1}) : in[0].tensor();
  return squeeze(addmm(column, in[1], unsqueeze(in[2], {1}), {*this}), {Ints{1}});
}
Tensor Addbmm::decompose(const Inputs& in) const {
  Shape shape = bmm_shape(in, 1, "batch1", "batch2");
  // the sum over the batch is part of one product: [n, b k] @ [b k, m]
  const Tensor &a = in[1], &b = in[2];
  Tensor wide = reshape(transpose(a, {0, 1}), {{a.shape(1), a.shape(0) * a.shape(2)}});
  return addmm(in[0], wide, reshape(b, {{b.shape(0) * b.shape(1), shape[2]}}), {*this});
}
Tensor Addr::decompose(const Inputs& in) const {
  check_dim(in, 1, "vec1", 1);
  check_dim(in, 2, "vec2", 1);
  if (result_type(in) == Dtype::boolean) {
    Tensor product = logical_and(unsqueeze(in[1], {1}), unsqueeze(in[2], {0}));
    Tensor given = alpha.value() != 0 ? product : zeros_of(product);
    return beta.value() != 0 ? logical_or(given, in[0]) : given;
  }
  return addmm(in[0], unsqueeze(in[1], {1}), unsqueeze(in[2], {0}), {*this});
}

Spec Linear::infer(const Inputs& in) const {
  const Value &x = in[0], &w = in[1];
  if (!x.dim()) throw Error("input needs at least one dim");
  if (w.dim() != 1 && w.dim() != 2) throw Error("weight must have 1 or 2 dims, got shape {}", to_string(w.shape()));
  check_dtypes(in);
  int64_t k = w.shape().back();
  if (x.shape().back() != k)
    throw Error("the last dim of input has {} elements, and weight of shape {} wants {}", x.shape().back(),
                to_string(w.shape()), k);
  Shape shape = leading(x.shape(), 1);
  if (w.dim() == 2) shape.push_back(w.shape()[0]);
  if (in.size() > 2 && in[2]) check_added(in[2], shape);
  return {shape, x.dtype()};
}
Tensors Linear::vjp(const Call& c, const Tensor& dy) const {
  Tensors grads(c.in.size());
  if (c.wants(0)) {
    const Tensor& w = c.in[1];
    grads[0] = w.dim() == 1 ? mul(unsqueeze(dy, {-1}), w) : matmul(dy, w);
  }
  if (c.wants(1)) {
    const Tensor& x = c.in[0];
    Shape shape = c.in[1].shape();
    int64_t rows = leading(x.shape(), 1).numel();
    auto flat = [&](const Tensor& t, int64_t cols) { return t.dim() == 2 ? t : reshape(t, {{rows, cols}}); };
    Tensor dw = shape.size() == 1 ? mm(reshape(dy, {{1, rows}}), flat(x, shape[0]))
                                  : mm(swapped(flat(dy, shape[0])), flat(x, shape[1]));
    grads[1] = shape.size() == 1 ? reshape(dw, {shape}) : dw;
  }
  if (grads.size() > 2 && c.wants(2)) grads[2] = sum_to(dy, c.in[2].shape());
  return grads;
}

namespace {
const DefineAll<Mm, Bmm, Mv, Dot, Vdot, Outer, Inner, Matmul, Addmm, AddmmActivation, Baddbmm, Addmv, Addbmm, Addr,
                Linear>
    define_all_;
}  // namespace

}  // namespace luth::ops
