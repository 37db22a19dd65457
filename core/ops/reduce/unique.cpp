#include "core/ops/reduce/unique.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/index/index.h"
#include "core/ops/index/mask.h"
#include "core/ops/index/search.h"
#include "core/ops/index/sort.h"
#include "core/ops/reduce/histogram.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/reduce/scan.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<UniqueConsecutive, Unique, IsIn> define_all_;

/// What is compared: `n` lines of `m` elements.
struct Lines {
  Tensor x;  // [n, m]
  int64_t n;
};
void check_data(const Tensor& t) {
  if (!t.device().has_data()) throw Error("the shape of the result depends on data, which the meta device has not");
}
Lines lines_of(const Tensor& t, const std::optional<int64_t>& dim) {
  check_data(t);
  if (dim && t.dim() == 0) throw Error("a 0-dimensional tensor has no dim {}", shown(*dim));
  if (!dim) return {reshape(t, {Shape{t.numel(), 1}}), t.numel()};
  const int d = wrap_dim(*dim, t.dim());
  const int64_t n = t.shape()[d];
  int64_t m = 1;
  for (int i = 0; i < t.dim(); ++i)
    if (i != d) m *= t.shape()[i];
  if (m == 0)
    throw Error("input has shape {}: where other dims than {} are empty, positions cannot be compared",
                to_string(t.shape()), shown(d));
  return {reshape(movedim(t, {{d}, {0}}), {Shape{n, m}}), n};
}

// The lines before and after each other: t[1:] and t[:-1].
Tensor after(const Tensor& t) { return narrow(t, {0, 1, t.shape(0) - 1}); }
Tensor before(const Tensor& t) { return narrow(t, {0, 0, t.shape(0) - 1}); }

/// For each of n >= 1 lines whether it differs from the one before; the first one does.
Tensor starts(const Tensor& lines) {
  Tensor differs = ne(after(lines), before(lines));
  differs = lines.shape(1) == 1 ? reshape(differs, {Shape{-1}}) : any_dims(differs, {.dim = {1}});
  return cat({full({1}, true, Dtype::boolean, lines.device()), cast_to(differs, Dtype::boolean)});
}
/// Numbers from 0 that have the order of each column's elements; equal elements have the same.
Tensor column_ranks(const Tensor& x) {
  Tensors ordered = sort(x, {.dim = 0, .stable = true});
  Tensor change = cast_to(ne(after(ordered[0]), before(ordered[0])), Dtype::i64);
  Tensor group = cumsum(cat({zeros_of(narrow(ordered[1], {0, 0, 1})), change}), {.dim = 0});
  return scatter(zeros_of(group), ordered[1], group);
}
/// The same for whole lines in lexicographic order: two neighbouring columns of ranks become one, until one is left.
Tensor line_ranks(const Tensor& lines) {
  Tensor r = column_ranks(lines);
  const int64_t n = r.shape(0);
  while (r.shape(1) > 1) {
    Tensor first = slice(r, {1, 0, INT64_MAX, 2}), second = slice(r, {1, 1, INT64_MAX, 2});
    if (second.shape(1) < first.shape(1)) second = cat({second, zeros_of(narrow(first, {1, 0, 1}))}, {1});
    r = column_ranks(add(mul(first, n), second));
  }
  return reshape(r, {Shape{n}});
}

bool is_flat(const Tensor& input, const std::optional<int64_t>& dim) { return !dim || input.dim() == 0; }
/// The lines at these positions.
Tensor lines_at(const Tensor& input, const std::optional<int64_t>& dim, const Tensor& at) {
  if (is_flat(input, dim)) return index_select(reshape(input, {Shape{input.numel()}}), at);
  return index_select(input, at, {.dim = *dim});
}
/// The results where `lines` are those of the groups, and line i of the input belongs to group[i].
Tensors results(const Tensor& input, const std::optional<int64_t>& dim, const Tensor& lines, const Tensor& group,
                bool inverse, bool counts, int base) {
  const bool flat = is_flat(input, dim);
  Tensors out{lines};
  if (inverse) {
    Tensor to = base ? add(group, base) : group;
    out.push_back(flat ? reshape(to, {input.shape()}) : to);
  }
  if (counts) out.push_back(count_positions(group, {lines.shape(flat ? 0 : *dim)}));
  return out;
}
Tensors of_nothing(const Tensor& input, const std::optional<int64_t>& dim, bool inverse, bool counts) {
  Tensor none = full({0}, 0, Dtype::i64, input.device());
  return results(input, dim, lines_at(input, dim, none), none, inverse, counts, 0);
}
Tensor places_of(const Tensor& mask) { return reshape(nonzero(mask), {Shape{-1}}); }

}  // namespace

Tensors UniqueConsecutive::decompose(const Inputs& in) const {
  NoGrad no_grad;
  const Tensor x = in[0].tensor().detach();
  if (dim && x.dim() && x.shape(*dim) == 0 && x.numel() == 0 && x.dim() == 1)
    return of_nothing(x, dim, return_inverse, return_counts);
  const Lines lines = lines_of(x, dim);
  if (lines.n == 0) return of_nothing(x, dim, return_inverse, return_counts);
  Tensor start = starts(lines.x), group;
  if (return_inverse || return_counts) group = sub(cumsum(start, {.dim = 0}), 1);
  const Tensor unique =
      is_flat(x, dim) ? masked_select(reshape(lines.x, {Shape{lines.n}}), start) : lines_at(x, dim, places_of(start));
  return results(x, dim, unique, group, return_inverse, return_counts, base);
}
Tensors Unique::decompose(const Inputs& in) const {
  NoGrad no_grad;
  const Tensor x = in[0].tensor().detach();
  const Lines lines = lines_of(x, dim);
  if (lines.n == 0) return of_nothing(x, dim, return_inverse, return_counts);
  const bool one = lines.x.shape(1) == 1;
  const Tensor keys = one ? reshape(lines.x, {Shape{lines.n}}) : line_ranks(lines.x);
  Tensors ordered = sort(keys, {.dim = 0, .stable = true});
  Tensor start = starts(reshape(ordered[0], {Shape{lines.n, 1}}));
  const bool are_lines = one && is_flat(x, dim);  // what is sorted: no need to find them again
  Tensor unique = masked_select(ordered[are_lines ? 0 : 1], start), group;
  if (!are_lines) unique = lines_at(x, dim, unique);
  if (return_inverse || return_counts)
    group = scatter(zeros_of(ordered[1]), ordered[1], sub(cumsum(start, {.dim = 0}), 1));
  return results(x, dim, unique, group, return_inverse, return_counts, base);
}

// Few test elements are compared one by one. Many are sorted, and each element of input is searched among them.
Tensor IsIn::decompose(const Inputs& in) const {
  NoGrad no_grad;
  constexpr int64_t few = 8;
  const Tensor& where_from = in[0].is_tensor() ? in[0].tensor() : in[1].tensor();
  if (!where_from) throw Error("expects a tensor among its arguments");
  auto tensor = [&](const Value& v) {
    return v.is_tensor() ? v.tensor().detach() : full({}, v.scalar(), v.dtype(), where_from.device());
  };
  Dtype common = result_type({in[0], in[1]});
  check_not_bool(common);
  const Tensor x = cast_to(tensor(in[0]), common), test = cast_to(reshape(tensor(in[1]), {Shape{-1}}), common);
  Tensor found;
  if (test.numel() == 0 || x.numel() == 0) {
    found = full(x.shape(), false, Dtype::boolean, x.device());
  } else if (test.numel() <= few) {
    for (int64_t i = 0; i < test.numel(); ++i) {
      Tensor same = eq(x, select(test, {0, i}));
      found = found ? logical_or(found, same) : same;
    }
  } else {
    const Tensor ordered = sort(test)[0];
    Tensor place = reshape(minimum(searchsorted(ordered, x, Value()), test.numel() - 1), {Shape{-1}});
    found = eq(x, reshape(index_select(ordered, place), {x.shape()}));
  }
  return invert ? logical_not(found) : found;
}

namespace {

Tensor repeated(const Shape& s) {
  Tensor t = Tensor::empty(s, Dtype::f64, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = double(i / 2 * 5 % 4) - 1;
  return t;
}
template <class Op>
Op unique_op(bool inverse, bool counts, std::optional<int64_t> dim, int base) {
  Op op;
  op.return_inverse = inverse, op.return_counts = counts, op.dim = dim, op.base = base;
  return op;
}
template <class Op>
Cases<Op> unique_samples() {
  return {{{}, {}, 0, 0, [] { return Inputs{repeated({9})}; }},
          {unique_op<Op>(true, true, {}, 1),
           {},
           0,
           0,
           [] {
             return Inputs{repeated({3, 4})};
           }},
          {unique_op<Op>(true, false, 0, 0),
           {},
           0,
           0,
           [] {
             return Inputs{repeated({6, 3})};
           }},
          {unique_op<Op>(false, true, 1, 0),
           {},
           0,
           0,
           [] {
             return Inputs{repeated({1, 8})};
           }},
          {unique_op<Op>(true, true, 1, 1),
           {},
           0,
           0,
           [] {
             return Inputs{repeated({2, 4, 5})};
           }},
          {unique_op<Op>(true, true, {}, 0), {}, 0, 0, [] { return Inputs{repeated({})}; }},
          {unique_op<Op>(true, true, {}, 1), {}, 0, 0, [] { return Inputs{repeated({0})}; }},
          {unique_op<Op>(false, true, 0, 0), {}, 0, 0, [] {
             return Inputs{repeated({0, 3})};
           }}};
}

}  // namespace
Cases<UniqueConsecutive> UniqueConsecutive::samples() { return unique_samples<UniqueConsecutive>(); }
Cases<Unique> Unique::samples() { return unique_samples<Unique>(); }
Cases<IsIn> IsIn::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{repeated({3, 4}), repeated({3})};
           }},
          {{.invert = true},
           {},
           0,
           0,
           [] {
             return Inputs{repeated({3, 4}), Tensor(repeated({20}))};
           }},
          {{},
           {},
           0,
           0,
           [] {
             return Inputs{repeated({5}), 1};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{repeated({5}), repeated({0})};
           }}};
}

}  // namespace luth::ops
