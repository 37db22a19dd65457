#include "core/ops/index/search.h"

#include "core/autograd/autograd.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/copy.h"

namespace luth::ops {
namespace {
const DefineAll<Searchsorted, Bucketize, SearchSame> define_all_;
}

Spec SearchSame::infer(const Inputs& in) const {
  const Tensor &rows = in[0], &x = in[1], &sorter = in[2].tensor();
  const Dtype d = rows.dtype();
  if (d != x.dtype() || (d != Dtype::f32 && d != Dtype::f64 && d != Dtype::i64))
    throw Error("searches in float32, float64 or int64, not {} in {}", name(x.dtype()), name(d));
  if (rows.dim() == 0) throw Error("the sorted sequence must have at least one dim");
  bool fits = rows.dim() == 1 || rows.dim() == x.dim();
  for (int i = 0; fits && rows.dim() > 1 && i < rows.dim() - 1; ++i) fits = rows.shape()[i] == x.shape()[i];
  if (!fits)
    throw Error(
        "the sorted sequence has shape {} and input {}; it must have one dim, or all dims but the last the same",
        to_string(rows.shape()), to_string(x.shape()));
  if (sorter && (!(sorter.shape() == rows.shape()) || sorter.dtype() != Dtype::i64))
    throw Error("sorter must be int64 of the sorted sequence's shape {}, but is {}", to_string(rows.shape()),
                luth::describe(sorter));
  return {x.shape(), Dtype::i64};
}

namespace {

Tensor found_in(const Tensor& rows, const Value& input, const Value& sorter, bool right, const Searching& op) {
  NoGrad no_grad;
  if (input.is_scalar() && rows.dim() != 1)
    throw Error("where input is a number, the sorted sequence must have one dim, but has shape {}",
                to_string(rows.shape()));
  Dtype d = result_type({rows, input});
  check_not_bool(d);
  d = !is_floating(d) ? Dtype::i64 : d == Dtype::f64 ? d : Dtype::f32;
  const Tensor x = input.is_tensor() ? input.tensor().detach() : full({}, input.scalar(), d, rows.device());
  Tensor y = search_same(cast_to(rows.detach(), d), cast_to(x, d), sorter, {.right = right, .base = op.base});
  return op.out_int32 ? cast_to(y, Dtype::i32) : y;
}

}  // namespace

Tensor Searchsorted::decompose(const Inputs& in) const {
  if (side && *side != "left" && *side != "right") throw Error("side is 'left' or 'right', not '{}'", *side);
  if (side && *side == "left" && right) throw Error("side = 'left' and right = true contradict each other");
  return found_in(in[0], in[1], in[2], right || (side && *side == "right"), *this);
}
Tensor Bucketize::decompose(const Inputs& in) const {
  const Tensor& boundaries = in[1];
  if (boundaries.dim() != 1)
    throw Error("boundaries must have one dim, but have shape {}", to_string(boundaries.shape()));
  return found_in(boundaries, in[0], Value(), right, *this);
}

namespace {

Tensor integers(const Shape& s, std::initializer_list<int64_t> v) { return Tensor::from<int64_t>(s, v.begin()); }
Tensor numbers(const Shape& s, std::initializer_list<double> v) { return Tensor::from<double>(s, v.begin()); }
Tensor ascending() { return numbers({5}, {-1, 0, 0, 0.5, 2}); }
Tensor spread_out() { return numbers({2, 3}, {-2, 0, 0.25, 0.5, 3, -1}); }

}  // namespace
Cases<Searchsorted> Searchsorted::samples() {
  Searchsorted after, sided;
  after.right = true, after.base = 1;
  sided.side = "right", sided.out_int32 = true;
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{ascending(), spread_out(), {}};
           }},
          {after,
           {},
           0,
           0,
           [] {
             return Inputs{ascending(), spread_out(), {}};
           }},
          {sided,
           {},
           0,
           0,
           [] {
             return Inputs{spread_out(), numbers({2, 1}, {0, 1}), integers({2, 3}, {0, 1, 2, 2, 0, 1})};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{ascending(), 0.5, {}};
           }}};
}
Cases<Bucketize> Bucketize::samples() {
  Bucketize after;
  after.right = true, after.out_int32 = true, after.base = 1;
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{spread_out(), ascending()};
           }},
          {after,
           {},
           0,
           0,
           [] {
             return Inputs{spread_out(), ascending()};
           }},
          {{}, {}, 0, 0, [] {
             return Inputs{1, ascending()};
           }}};
}
Cases<SearchSame> SearchSame::samples() {
  return {{{},
           {},
           0,
           0,
           [] {
             return Inputs{ascending(), spread_out(), {}};
           }},
          {{.right = true},
           {},
           0,
           0,
           [] {
             return Inputs{spread_out(), numbers({2, 1}, {0, 1}), {}};
           }},
          {{.base = 1}, {}, 0, 0, [] {
             return Inputs{numbers({3}, {2, -1, 0.5}), spread_out(), integers({3}, {2, 3, 1})};
           }}};
}

}  // namespace luth::ops
