#include "core/ops/index/index.h"

#include "core/op/basics.h"
#include "core/ops/common/checks.h"
#include "core/ops/common/positions.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/index_plan.h"
#include "core/ops/index/picked.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {
const DefineAll<IndexSelect, IndexAdd, IndexCopy, IndexFill, Gather, Scatter, ScatterValue, ScatterAdd, Take, Put,
                Index, IndexPut>
    define_all_;

int64_t extent(const Shape& s, int dim) { return s.size() ? s[dim] : 1; }

/// Checks an index that lists positions; the number of them.
int64_t list_length(const Value& index) {
  check_index_dtype("index", index.dtype());
  if (index.dim() > 1) throw Error("index must have one dim, but has shape {}", to_string(index.shape()));
  return index.numel();
}
void check_source(const Inputs& in, int64_t dim) {
  int d = wrap_dim(dim, in[0].dim());
  int64_t k = list_length(in[1]);
  check_same_dtype("input", in[0], "source", in[2]);
  Shape expected = in[0].shape();
  if (expected.size()) expected[d] = k;
  bool fits = in[2].shape() == expected;
  if (in[2].dim() == 0 && in[0].dim() <= 1) fits = k == 1;  // one number for one position
  if (in[2].dim() == 1 && in[0].dim() == 0) fits = k == 1 && in[2].numel() == 1;
  if (!fits)
    throw Error("source has shape {}; with {} position{} along dim {} of an input of shape {} it must have {}",
                to_string(in[2].shape()), k, k == 1 ? "" : "s", shown(d), to_string(in[0].shape()),
                to_string(expected));
}
/// `dy` at the listed positions, in the shape of source.
Tensor of_source(const Tensor& dy, const Value& index, int64_t dim, int base, const Shape& source) {
  Tensor t = index_select(dy, index, {.dim = dim, .base = base});
  return t.shape() == source ? t : reshape(t, {.shape = source});
}

/// Checks an index with a position for each element: as many dims as `t` (one may stand for none).
void check_elements(const Value& t, const Value& index, const char* what) {
  check_index_dtype("index", index.dtype());
  if (std::max(t.dim(), 1) != std::max(index.dim(), 1) && index.numel() > 0)
    throw Error("index must have as many dims as {}: their shapes are {} and {}", what, to_string(index.shape()),
                to_string(t.shape()));
}
/// Throws unless index's extents are at most t's, but along `skip`.
void check_extents(const Value& t, const Value& index, int skip, const char* what) {
  if (index.numel() == 0) return;
  for (int i = 0; i < std::max(index.dim(), 1); ++i)
    if (i != skip && extent(index.shape(), i) > extent(t.shape(), i))
      throw Error("index of shape {} reaches beyond {} of shape {} in dim {}", to_string(index.shape()), what,
                  to_string(t.shape()), shown(i));
}
Spec scatter_spec(const Inputs& in, int64_t dim) {
  int d = wrap_dim(dim, in[0].dim());
  check_elements(in[0], in[1], "input");
  check_extents(in[0], in[1], d, "input");
  return same_as(in[0]);
}
Spec scatter_src_spec(const Inputs& in, int64_t dim) {
  check_elements(in[2], in[1], "src");
  check_extents(in[2], in[1], -1, "src");
  check_same_dtype("input", in[0], "src", in[2]);
  return scatter_spec(in, dim);
}
/// The gradient of a scattered src.
Tensor of_src(const Tensor& dy, const Call& c, int64_t dim, int base) {
  if (!(c.in[1].shape() == c.in[2].shape()))
    throw Error("the gradient of src wants src and index of one shape; they are {} and {}", to_string(c.in[2].shape()),
                to_string(c.in[1].shape()));
  return gather(dy, c.in[1], {.dim = dim, .base = base});
}
/// The gradients of a scatter; `of_written`: that of what is written.
template <class Op, class F>
Tensors scatter_vjp(const Op& op, const Call& c, const Tensor& dy, F&& of_written) {
  const Join join = op.join();
  if (join > Join::add) throw Error("the gradient of reduce = '{}' is not known; use scatter_reduce", *op.reduce);
  Tensors out(3);
  if (c.wants(0)) out[0] = join == Join::add ? dy : scatter_value(dy, c.in[1], 0, {.dim = op.dim, .base = op.base});
  if (c.wants(2)) out[2] = of_written();
  return out;
}
}  // namespace

// ---- a list of positions along a dim ------------------------------------------------------------------------------

Spec IndexSelect::infer(const Inputs& in) const {
  int d = wrap_dim(dim, in[0].dim());
  int64_t k = list_length(in[1]);
  Shape s = in[0].shape();
  if (s.size())
    s[d] = k;
  else if (k != 1)
    throw Error("a 0-dimensional input has one position, but index lists {}", k);
  return {s, in[0].dtype()};
}
Tensors IndexSelect::vjp(const Call& c, const Tensor& dy) const {
  return {index_add.into(zeros_beside(dy, c.in[0]), c.in[1], dy, {.dim = dim, .base = base})};
}

Spec IndexAdd::infer(const Inputs& in) const {
  check_source(in, dim);
  check_holds(in[0].dtype(), alpha);
  return same_as(in[0]);
}
Tensors IndexAdd::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(3);
  if (c.wants(0)) out[0] = dy;
  if (c.wants(2)) {
    out[2] = of_source(dy, c.in[1], dim, base, c.in[2].shape());
    if (alpha.value() != 1) out[2] = mul(out[2], alpha);
  }
  return out;
}

Spec IndexCopy::infer(const Inputs& in) const {
  check_source(in, dim);
  return same_as(in[0]);
}
/// The gradients of writing to listed positions; `of_written`: that of what is written.
template <class Op, class F>
static Tensors index_write_vjp(const Op& op, const Call& c, const Tensor& dy, F&& of_written) {
  Tensors out(3);
  if (c.wants(0)) out[0] = index_fill(dy, c.in[1], 0, {.dim = op.dim, .base = op.base});
  if (c.wants(2)) out[2] = of_written();
  return out;
}
Tensors IndexCopy::vjp(const Call& c, const Tensor& dy) const {
  return index_write_vjp(*this, c, dy, [&] { return of_source(dy, c.in[1], dim, base, c.in[2].shape()); });
}

Spec IndexFill::infer(const Inputs& in) const {
  wrap_dim(dim, in[0].dim());
  list_length(in[1]);
  if (in[2].is_tensor() && in[2].dim() > 0) throw Error("value must be a number or a 0-dimensional tensor");
  check_holds(in[0].dtype(), in[2]);
  return same_as(in[0]);
}
Tensors IndexFill::vjp(const Call& c, const Tensor& dy) const {
  return index_write_vjp(*this, c, dy, [&] {  // index_select takes no negative positions
    const Tensor& index = c.in[1];
    const Tensor at = cast_to(index, Dtype::i64);
    const int64_t n = extent(dy.shape(), wrap_dim(dim, dy.dim()));
    return sum_to(index_select(dy, where(lt(at, 0), add(at, n + base), at), {.dim = dim, .base = base}), {});
  });
}

// ---- a position for each element -----------------------------------------------------------------------------------

Spec Gather::infer(const Inputs& in) const {
  int d = wrap_dim(dim, in[0].dim());
  check_elements(in[0], in[1], "input");
  check_extents(in[0], in[1], d, "input");
  return {in[1].shape(), in[0].dtype()};
}
Tensors Gather::vjp(const Call& c, const Tensor& dy) const {
  return {scatter_add.into(zeros_beside(dy, c.in[0]), c.in[1], dy, {.dim = dim, .base = base})};
}

Join join_of(const std::optional<std::string>& reduce) {
  if (!reduce) return Join::write;
  if (*reduce == "add") return Join::add;
  if (*reduce == "multiply") return Join::multiply;
  if (*reduce == "amax") return Join::larger;
  if (*reduce == "amin") return Join::smaller;
  throw Error("reduce must be 'add', 'multiply', 'amax' or 'amin', not '{}'", *reduce);
}

Spec Scatter::infer(const Inputs& in) const {
  join();
  return scatter_src_spec(in, dim);
}
Tensors Scatter::vjp(const Call& c, const Tensor& dy) const {
  return scatter_vjp(*this, c, dy, [&] { return of_src(dy, c, dim, base); });
}
Spec ScatterValue::infer(const Inputs& in) const {
  join();
  if (in[2].is_tensor() && in[2].numel() != 1) throw Error("value must be a number or a tensor of one element");
  check_holds(in[0].dtype(), in[2]);
  return scatter_spec(in, dim);
}
Tensors ScatterValue::vjp(const Call& c, const Tensor& dy) const {
  return scatter_vjp(*this, c, dy, [&] { return sum_to(gather(dy, c.in[1], {.dim = dim, .base = base}), {}); });
}
Spec ScatterAdd::infer(const Inputs& in) const { return scatter_src_spec(in, dim); }
Tensors ScatterAdd::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(3);
  if (c.wants(0)) out[0] = dy;
  if (c.wants(2)) out[2] = of_src(dy, c, dim, base);
  return out;
}

// ---- positions in the flattened tensor -----------------------------------------------------------------------------

Spec Take::infer(const Inputs& in) const {
  check_index_dtype("index", in[1].dtype());
  return {in[1].shape(), in[0].dtype()};
}
Tensors Take::vjp(const Call& c, const Tensor& dy) const {
  return {put.into(zeros_beside(dy, c.in[0]), c.in[1], dy, {.accumulate = true, .base = base})};
}
Spec Put::infer(const Inputs& in) const {
  check_index_dtype("index", in[1].dtype());
  check_same_dtype("input", in[0], "source", in[2]);
  if (in[1].numel() != in[2].numel())
    throw Error("index lists {} positions and source has {} elements", in[1].numel(), in[2].numel());
  return same_as(in[0]);
}
Tensors Put::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(3);
  if (c.wants(0)) out[0] = accumulate ? dy : put(dy, c.in[1], zeros_of(c.in[2]), *this);
  if (c.wants(2)) out[2] = reshape(take(dy, c.in[1], {.base = base}), {.shape = c.in[2].shape()});
  return out;
}

// ---- several index tensors at once ---------------------------------------------------------------------------------

Spec Index::infer(const Inputs& in) const {
  return {plan_index(in[0].shape(), {in.begin() + 1, in.end()}, base).result, in[0].dtype()};
}
Tensors Index::vjp(const Call& c, const Tensor& dy) const {
  Tensors indices;
  for (size_t i = 1; i < c.in.size(); ++i) indices.push_back(c.in[i].tensor());
  Inputs in{zeros_of(c.in[0]), dy};
  for (auto& t : indices) in.push_back(t);
  IndexPut op{.accumulate = true, .base = base};
  return {apply_inplace(info<IndexPut>(), &op, std::move(in))};
}
Spec IndexPut::infer(const Inputs& in) const {
  if (in[1].is_tensor()) check_same_dtype("input", in[0], "values", in[1]);
  return same_as(in[0]);
}
Tensors IndexPut::vjp(const Call& c, const Tensor& dy) const {
  Tensors out(c.in.size()), indices;
  for (size_t i = 2; i < c.in.size(); ++i) indices.push_back(c.in[i].tensor());
  if (c.wants(0)) out[0] = accumulate ? dy : index_put(dy, 0, indices, {.base = base});
  if (c.wants(1)) out[1] = sum_to(index(dy, indices, {.base = base}), c.in[1].shape());
  return out;
}

}  // namespace luth::ops

namespace luth {

Tensor index(const Tensor& input, const Tensors& indices, const ops::Index& op) {
  Inputs in{input};
  for (auto& t : indices) in.push_back(t);
  return apply(info<ops::Index>(), &op, std::move(in))[0];
}
Tensor index_put(const Tensor& input, const Value& values, const Tensors& indices, const ops::IndexPut& op) {
  Inputs in{input, values};
  for (auto& t : indices) in.push_back(t);
  return apply(info<ops::IndexPut>(), &op, std::move(in))[0];
}

Tensor basic::index_select(const Tensor& t, const Tensor& index, int64_t dim) {
  return luth::index_select(t, index, {.dim = dim});
}
Tensor basic::index_add_into(const Tensor& t, const Tensor& index, const Tensor& source) {
  return index_add.into(t, index, source);
}

}  // namespace luth
