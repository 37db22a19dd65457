#include "core/ops/linalg/product.h"

#include <algorithm>
#include <vector>

#include "core/ops/create/factory.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/index/index.h"
#include "core/ops/linalg/cross_product.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

// Integers keep their dtype.
Tensor total(const Tensor& t, const Ints& dims, bool keepdim) {
  Sum over{.dim = dims, .keepdim = keepdim};
  if (is_integral(t.dtype())) over.dtype = t.dtype();
  return sum(t, over);
}

Ints all_but(int n, const Ints& dims) {
  Ints rest;
  for (int i = 0; i < n; ++i)
    if (std::find(dims.begin(), dims.end(), int64_t(i)) == dims.end()) rest.push_back(i);
  return rest;
}
Ints joined(Ints a, const Ints& b) {
  for (int64_t i : b) a.push_back(i);
  return a;
}
Ints wrapped(Ints dims, int n) {
  dim_mask(dims, n);
  for (auto& d : dims) d = wrap_dim(d, n);
  return dims;
}

// Sums of products over the dims `da` of a and `db` of b; an extent of 1 broadcasts.
Tensor dot_over(Tensor a, Tensor b, Ints da, Ints db) {
  da = wrapped(da, a.dim());
  db = wrapped(db, b.dim());
  Shape inner, outer;
  for (int i = 0; i < da.size(); ++i) {
    int64_t n = a.shape()[da[i]], m = b.shape()[db[i]];
    if (n != m && n != 1 && m != 1)
      throw Error("dim {} of a has {} elements and dim {} of b has {}; they must be equal, or one of them 1",
                  shown(da[i]), n, shown(db[i]), m);
    if (n != m && m == 1) a = total(a, {da[i]}, true);
    if (n != m && n == 1) b = total(b, {db[i]}, true);
    inner.push_back(a.shape()[da[i]]);
  }
  Ints rest_a = all_but(a.dim(), da), rest_b = all_but(b.dim(), db);
  for (int64_t i : rest_a) outer.push_back(a.shape()[i]);
  const int64_t rows = outer.numel(), k = inner.numel();
  Shape columns;
  for (int64_t i : rest_b) columns.push_back(b.shape()[i]);
  Tensor y = mm(reshape(permute(a, {joined(rest_a, da)}), {{rows, k}}),
                reshape(permute(b, {joined(db, rest_b)}), {{k, columns.numel()}}));
  return reshape(y, {joined(outer, columns)});
}

// Rows of `columns` positions each, from a function that lists them all.
Tensor positions(const std::vector<int64_t>& list, Device& device) {
  return to_device(Tensor::from({int64_t(list.size())}, list.data()), {&device});
}

// All rows of r ascending positions out of n, one after the other; `repeat`: a position may come again in its row.
std::vector<int64_t> ascending(int64_t n, int64_t r, bool repeat, int64_t about) {
  std::vector<int64_t> list, now(static_cast<size_t>(r));
  list.reserve(static_cast<size_t>(about * r));
  for (int64_t i = 0; i < r; ++i) now[size_t(i)] = repeat ? 0 : i;
  for (int64_t at = 0; at >= 0;) {
    list.insert(list.end(), now.begin(), now.end());
    for (at = r - 1; at >= 0 && now[size_t(at)] == (repeat ? n - 1 : n - (r - at)); --at) {}
    if (at < 0) break;
    const int64_t next = now[size_t(at)] + 1;
    for (int64_t i = at; i < r; ++i) now[size_t(i)] = repeat ? next : next + i - at;
  }
  return list;
}

}  // namespace

Tensor Tensordot::decompose(const Inputs& in) const {
  const int n = in[0].dim();
  if (dims < 0 || dims > n || dims > in[1].dim())
    throw Error("dims is {}; it must be a number of dims that both have, and they have {} and {}", dims, n,
                in[1].dim());
  Ints da, db;
  for (int64_t i = 0; i < dims; ++i) {
    da.push_back(n - dims + i);
    db.push_back(i);
  }
  return dot_over(in[0], in[1], da, db);
}
Tensor TensordotDims::decompose(const Inputs& in) const {
  if (dims.size() % 2) throw Error("dims must be two lists of one length");
  Ints lists[2];
  for (size_t i = 0; i < dims.size(); ++i) lists[i * 2 / dims.size()].push_back(int64_t(dims[i]));
  return dot_over(in[0], in[1], lists[0], lists[1]);
}

namespace {
/// Axis each dim, element i of the result takes a's element i / size of b, and b's i % size of b.
Tensor kron_by_position(Tensor a, Tensor b) {
  const Shape in_a = a.shape(), in_b = b.shape();
  for (int d = 0; d < in_a.size(); ++d) {
    const Shape grid{in_a[d], in_b[d]}, flat{grid.numel()};
    const Tensor of_a = expand_to(unsqueeze(counting(in_a[d], a.device()), {1}), grid);
    const Tensor of_b = expand_to(counting(in_b[d], b.device()), grid);
    a = index_select(a, reshape(of_a, {flat}), {.dim = d});
    b = index_select(b, reshape(of_b, {flat}), {.dim = d});
  }
  return mul(a, b);
}
}  // namespace
Tensor Kron::decompose(const Inputs& in) const {
  Tensor a = in[0], b = in[1];
  const int n = std::max(a.dim(), b.dim());
  while (a.dim() < n) a = unsqueeze(a, {0});
  while (b.dim() < n) b = unsqueeze(b, {0});
  if (2 * n > max_dims) return kron_by_position(a, b);
  Shape wide_a, wide_b, shape;
  for (int i = 0; i < n; ++i) {
    for (int64_t extent : {a.shape()[i], int64_t(1)}) wide_a.push_back(extent);
    for (int64_t extent : {int64_t(1), b.shape()[i]}) wide_b.push_back(extent);
    shape.push_back(a.shape()[i] * b.shape()[i]);
  }
  return reshape(mul(reshape(a, {wide_a}), reshape(b, {wide_b})), {shape});
}

Tensor LinalgCross::decompose(const Inputs& in) const {
  const Tensor &a = in[0], &b = in[1];
  if (a.dim() != b.dim()) throw Error("inputs must have equally many dims, got {} and {}", a.dim(), b.dim());
  const int64_t d = wrap_dim(dim, a.dim());
  if (!a.dim() || a.shape()[d] != 3 || b.shape()[d] != 3)
    throw Error("dim {} must have 3 elements in both, got shapes {} and {}", shown(d), to_string(a.shape()),
                to_string(b.shape()));
  if (a.dtype() != b.dtype() || a.dtype() == Dtype::boolean)
    throw Error("wants tensors of one dtype other than bool, got {} and {}", name(a.dtype()), name(b.dtype()));
  const Shape shape = broadcast(a.shape(), b.shape());
  return cross_product(expand_to(a, shape), expand_to(b, shape), {d});
}
Spec CrossProduct::infer(const Inputs& in) const {
  const Shape& shape = in[0].shape();
  if (!shape.size() || shape[wrap_dim(dim, shape.size())] != 3 || !(shape == in[1].shape()))
    throw Error("wants two tensors of vectors of 3 elements, not of shapes {} and {}", to_string(shape),
                to_string(in[1].shape()));
  return {shape, in[0].dtype()};
}
Tensors CrossProduct::vjp(const Call& c, const Tensor& dy) const {
  return {c.wants(0) ? cross_product(c.in[1], dy, *this) : Tensor(),
          c.wants(1) ? cross_product(dy, c.in[0], *this) : Tensor()};
}
Tensor Cross::decompose(const Inputs& in) const {
  const Shape shape = in[0].shape();
  int64_t d = dim ? *dim : -1;
  if (!dim) {
    for (d = 0; d < shape.size() && shape[d] != 3; ++d) {}
    if (d == shape.size()) throw Error("no dim has 3 elements; the shape is {}", to_string(shape));
  }
  return LinalgCross{d}.decompose(in);
}

Tensor Bilinear::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &y = in[1], &w = in[2];
  if (x.dim() != y.dim() || !x.dim()) throw Error("input1 and input2 must have equally many dims, at least one");
  for (int i = 0; i + 1 < x.dim(); ++i)
    if (x.shape()[i] != y.shape()[i])
      throw Error("input1 and input2 differ in dim {}: {} and {}", shown(i), x.shape()[i], y.shape()[i]);
  if (w.dim() != 3 || w.shape()[1] != x.shape(-1) || w.shape()[2] != y.shape(-1))
    throw Error("weight must be [out, {}, {}] for these inputs, got {}", x.shape(-1), y.shape(-1),
                to_string(w.shape()));
  Shape leading(x.shape().begin(), x.shape().end() - 1);
  const int64_t n = leading.numel(), o = w.shape()[0], i = w.shape()[1], j = w.shape()[2];
  Tensor first = mm(reshape(x, {{n, i}}), reshape(permute(w, {Ints{1, 0, 2}}), {{i, o * j}}));
  Tensor out = bmm(reshape(first, {{n, o, j}}), reshape(y, {{n, j, 1}}));
  leading.push_back(o);
  out = reshape(out, {leading});
  if (in.size() > 3 && in[3]) out = add(out, in[3]);
  return out;
}

namespace {
// Where to split matrices [i, j] of extents n[i] × n[i + 1] … (dynamic programming over the length of the chain).
Tensor chain(const std::vector<Tensor>& t) {
  const size_t count = t.size();
  std::vector<double> n{double(t[0].shape(0))};
  for (auto& m : t) n.push_back(double(m.shape(1)));
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<size_t>> split(count, std::vector<size_t>(count, 0));
  for (size_t length = 1; length < count; ++length)
    for (size_t i = 0; i + length < count; ++i) {
      const size_t j = i + length;
      cost[i][j] = -1;
      for (size_t k = i; k < j; ++k) {
        const double c = cost[i][k] + cost[k + 1][j] + n[i] * n[k + 1] * n[j + 1];
        if (cost[i][j] < 0 || c < cost[i][j]) cost[i][j] = c, split[i][j] = k;
      }
    }
  auto product = [&](auto&& self, size_t i, size_t j) -> Tensor {
    return i == j ? t[i] : mm(self(self, i, split[i][j]), self(self, split[i][j] + 1, j));
  };
  return product(product, 0, count - 1);
}
}  // namespace

Tensor ChainMatmul::decompose(const Inputs& in) const {
  std::vector<Tensor> list;
  for (auto& v : in) {
    if (v.dim() != 2) throw Error("expects matrices, got shape {}", to_string(v.shape()));
    list.push_back(v);
  }
  if (list.empty()) throw Error("expects at least one matrix");
  return chain(list);
}
Tensor MultiDot::decompose(const Inputs& in) const {
  if (in.size() < 2) throw Error("expects at least two tensors, got {}", in.size());
  std::vector<Tensor> list;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool end = i == 0 || i + 1 == in.size();
    const Tensor& t = in[i];
    if (t.dim() != 2 && !(end && t.dim() == 1))
      throw Error("tensor {} must be a matrix{}, got shape {}", shown(int64_t(i)), end ? " or a vector" : "",
                  to_string(t.shape()));
    list.push_back(t.dim() == 2 ? t : unsqueeze(t, {i == 0 ? 0 : 1}));
  }
  Tensor y = chain(list);
  if (in.end()[-1].dim() == 1) y = squeeze(y, {Ints{-1}});
  return in[0].dim() == 1 ? squeeze(y, {Ints{0}}) : y;
}
Tensor Vecdot::decompose(const Inputs& in) const {
  const Tensor &x = in[0], &y = in[1];
  if (x.dim() && y.dim() && x.shape(dim) != y.shape(dim) && x.dim() == y.dim())
    throw Error("the vectors have {} and {} elements; they must have equally many", x.shape(dim), y.shape(dim));
  return total(mul(x, y), {dim}, false);
}

Tensor BlockDiag::decompose(const Inputs& in) const {
  if (in.empty()) throw Error("expects at least one tensor");
  int64_t columns = 0, before = 0;
  std::vector<Tensor> blocks;
  for (auto& v : in) {
    Tensor t = v;
    if (t.dim() > 2) throw Error("expects tensors of at most 2 dims, got shape {}", to_string(t.shape()));
    while (t.dim() < 2) t = unsqueeze(t, {0});
    columns += t.shape(1);
    blocks.push_back(t);
  }
  Tensors rows;
  for (auto& t : blocks) {
    auto zeros = [&](int64_t n) { return full({t.shape(0), n}, Scalar(false), t.dtype(), t.device()); };
    rows.push_back(cat({zeros(before), t, zeros(columns - before - t.shape(1))}, {1}));
    before += t.shape(1);
  }
  return cat(rows, {0});
}

Tensor Combinations::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  if (x.dim() != 1) throw Error("expects a vector, got shape {}", to_string(x.shape()));
  if (r < 0) throw Error("r must not be negative, got {}", r);
  if (r == 0) return full({0}, 0, x.dtype(), x.device());
  const int64_t n = x.numel();
  const double wide = with_replacement ? double(n) + double(r) - 1 : double(n), rest = wide - double(r);
  if (n == 0 || rest < 0) return reshape(index_select(x, positions({}, x.device())), {{0, r}});
  double count = 1;  // wide over r
  for (double i = 1; i <= std::min(double(r), rest) && count < 1e12; ++i) count *= (wide - i + 1) / i;
  if (count * double(r) > 1e8) throw Error("{} elements have {:.3g} combinations of {}, too many to list", n, count, r);
  const std::vector<int64_t> list = ascending(n, r, with_replacement, int64_t(count));
  return reshape(index_select(x, positions(list, x.device())), {{int64_t(list.size()) / r, r}});
}
// Not drawn from shapes, which tests let grow: there would be too many combinations.
Cases<Combinations> Combinations::samples() {
  auto make = []() -> Inputs {
    const double values[] = {0.5, -1.25, 2, 0.75};
    return {Tensor::from({4}, values)};
  };
  return {{{}, {}, 0, 0, make}, {{3, true}, {}, 0, 0, make}, {{5}, {}, 0, 0, make}, {{0}, {}, 0, 0, make}};
}

Tensor CartesianProd::decompose(const Inputs& in) const {
  if (in.empty()) throw Error("expects at least one tensor");
  int64_t total = 1, inner = 1;
  for (auto& v : in) {
    if (v.dim() != 1) throw Error("expects vectors, got shape {}", to_string(v.shape()));
    if (v.numel() == 0) total = 0;
  }
  for (auto& v : in) {
    check_shape({total, v.numel(), int64_t(in.size())}, sizeof(double));
    total *= v.numel();
  }
  if (in.size() == 1) return in[0];
  Tensors columns(in.size());
  for (size_t i = in.size(); i-- > 0;) {
    const int64_t n = in[i].numel();
    const int64_t outer = total ? total / (n * inner) : 0;
    Tensor t = reshape(in[i], {{1, n, 1}});
    columns[i] = reshape(expand_to(t, {outer, n, total ? inner : 0}), {{total}});
    if (total) inner *= n;
  }
  return stack(columns, {1});
}

namespace {
const DefineAll<Tensordot, TensordotDims, Kron, CrossProduct, LinalgCross, Cross, Bilinear, ChainMatmul, MultiDot,
                Vecdot, BlockDiag, Combinations, CartesianProd>
    define_all_;
}  // namespace

}  // namespace luth::ops
