#include "core/ops/shape/repeat.h"

#include "core/op/basics.h"
#include "core/op/memory_order.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::ops {
namespace {

const DefineAll<Repeat, Tile, RepeatInterleave, RepeatInterleaveEach, RepeatedPositions, Flip, Roll> define_all_;

// A tensor that shares no memory with x: t, or a copy of it.
Tensor own(const Tensor& t, const Tensor& x) {
  return t.storage() == x.storage() ? clone(t, {MemoryFormat::contiguous}) : t;
}

// Dim d of x `times` over: as blocks, or each position by itself.
Tensor repeated(const Tensor& x, int d, int64_t times, bool blocks) {
  if (times == 1) return x;
  Shape shape = x.shape(), wide = x.shape();
  int at = blocks ? d : d + 1;
  wide.insert(at, times);
  Tensor y = expand(unsqueeze(x, {at}), {wide});  // refuses more elements than there can be
  shape[d] *= times;
  return reshape(y, {shape});
}

// Each position i of n, counted from `base`, repeats[i] times; `repeats` may be one number for all positions.
Tensor spread(const Tensor& repeats, int64_t n, std::optional<int64_t> output_size, int64_t base) {
  if (repeats.dim() > 1)
    throw Error("repeats must be a number or a list of them, but has shape {}", to_string(repeats.shape()));
  if (repeats.dtype() != Dtype::i64 && repeats.dtype() != Dtype::i32)
    throw Error("repeats must be int64 or int32, but is {}", name(repeats.dtype()));
  if (repeats.numel() != n && repeats.numel() != 1)
    throw Error("repeats has {} numbers for {} positions", repeats.numel(), n);
  Tensor counts = cast_to(repeats.device().on_host() ? repeats : to_device(repeats, {&host()}), Dtype::i64);
  if (!counts.is_contiguous()) counts = dense_copy(counts);
  auto times = [&](int64_t i) { return counts.data<int64_t>()[counts.numel() == 1 ? 0 : i]; };
  int64_t total = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (times(i) < 0) throw Error("repeats holds {}; it must not be negative", times(i));
    if (__builtin_add_overflow(total, times(i), &total))
      throw Error("repeats make more positions than there can be: {} and more", times(i));
  }
  if (output_size && *output_size != total) throw Error("output_size is {}, but repeats make {}", *output_size, total);
  check_shape({total}, sizeof(int64_t));
  // how many positions begin at each place, and the sums of these: a loop for each position would be guessed wrongly
  Tensor list = full({total}, 0, Dtype::i64, host());
  int64_t *to = list.data<int64_t>(), begin = 0, at = base;
  for (int64_t i = 0; i + 1 < n; ++i)
    if (begin += times(i); begin < total) ++to[begin];
  for (int64_t i = 0; i < total; ++i) to[i] = at += to[i];
  return repeats.device().on_host() ? list : to_device(list, {&repeats.device()});
}

}  // namespace

Tensor Repeat::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  int lead = repeats.size() - x.dim();
  if (lead < 0)
    throw Error("repeats {} has {} numbers for {} dims; each dim needs one", to_string(repeats), repeats.size(),
                x.dim());
  for (int64_t n : repeats)
    if (n < 0) throw Error("repeats {} holds a negative number", to_string(repeats));
  Tensor y = x;
  for (int d = 0; d < x.dim(); ++d) y = repeated(y, d, repeats[lead + d], true);
  if (!lead) return own(y, x);
  Shape wide = y.shape();
  for (int i = 0; i < lead; ++i) wide.insert(i, repeats[i]);
  return clone(expand(y, {wide}), {MemoryFormat::contiguous});
}
Tensor Tile::decompose(const Inputs& in) const {
  Ints repeats = dims;
  while (repeats.size() < in[0].dim()) repeats.insert(0, 1);
  return repeat(in[0], {repeats});
}

// The input, flat where no dim is given; of at least one dim.
static Tensor with_dim(const Tensor& t, const std::optional<int64_t>& dim) {
  return dim && t.dim() ? t : reshape(t, {Shape{t.numel()}});
}
Tensor RepeatInterleave::decompose(const Inputs& in) const {
  if (repeats < 0) throw Error("repeats is {}; it must not be negative", repeats);
  const Tensor x = with_dim(in[0], dim);
  Tensor y = repeated(x, wrap_dim(dim.value_or(0), x.dim()), repeats, false);
  int64_t made = y.shape()[wrap_dim(dim.value_or(0), x.dim())];
  if (output_size && *output_size != made) throw Error("output_size is {}, but repeats make {}", *output_size, made);
  return own(y, in[0]);
}
Cases<RepeatInterleave> RepeatInterleave::samples() {
  return {{{.repeats = 2}, {{2, 3}}},
          {{.repeats = 2, .dim = -1}, {{2, 3}}},
          {{.dim = 0}, {{2, 3}}},
          {{.repeats = 2}, {{}}}};
}

Tensor RepeatInterleaveEach::decompose(const Inputs& in) const {
  const Tensor x = with_dim(in[0], dim);
  int d = wrap_dim(dim.value_or(0), x.dim());
  return basic::index_select(x, spread(in[1], x.shape()[d], output_size, 0), d);
}
Cases<RepeatInterleaveEach> RepeatInterleaveEach::samples() {
  auto make = []() -> Inputs {
    constexpr int64_t repeats[] = {2, 0, 1};
    constexpr double values[] = {1, -2, 0.5, 3, 0.25, -1};
    return {Tensor::from<double>({3, 2}, values), Tensor::from<int64_t>({3}, repeats)};
  };
  return {{{.dim = 0}, {}, -2, 2, make}};
}

Tensor RepeatedPositions::decompose(const Inputs& in) const { return spread(in[0], in[0].numel(), output_size, base); }
Cases<RepeatedPositions> RepeatedPositions::samples() {
  auto make = []() -> Inputs {
    constexpr int64_t repeats[] = {2, 0, 1};
    return {Tensor::from<int64_t>({3}, repeats)};
  };
  return {{{}, {}, -2, 2, make}};
}

// The copy of a view whose strides have the other sign: copies walk them as any others. Channels stay last.
Tensor Flip::decompose(const Inputs& in) const {
  const Tensor& x = in[0];
  Strides strides = x.strides();
  int64_t offset = x.offset();
  if (!dims.empty() && x.dim()) dim_mask(dims, x.dim());  // refuses one that is named twice
  for (int64_t dim : dims) {
    const int d = wrap_dim(dim, x.dim());
    if (x.dim() == 0 || x.numel() == 0) continue;
    offset += (x.shape()[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  const MemoryFormat format = only_channels_last(x) ? MemoryFormat::channels_last : MemoryFormat::contiguous;
  return clone(Tensor::alias(x.storage(), x.shape(), strides, offset, x.dtype()), {format});
}
Tensors Flip::vjp(const Call&, const Tensor& dy) const { return {flip(dy, {dims})}; }

Tensor Roll::decompose(const Inputs& in) const {
  Tensor x = in[0];
  if (dims.empty() && shifts.size() == 1) {
    Ints first{0};
    return reshape(roll(reshape(x, {Shape{x.numel()}}), {shifts, first}), {x.shape()});
  }
  if (shifts.empty() || shifts.size() != dims.size())
    throw Error("{} shifts for {} dims; each dim needs one", shifts.size(), dims.size());
  if (x.numel() == 0) return clone(x);
  if (x.dim() == 0) throw Error("a tensor without dims has no dim {} to roll along; leave dims out", shown(dims[0]));
  for (int i = 0; i < dims.size(); ++i) {
    int d = wrap_dim(dims[i], x.dim());
    int64_t n = x.dim() ? x.shape()[d] : 1, by = n ? (shifts[i] % n + n) % n : 0;
    if (by) x = cat({narrow(x, {d, n - by, by}), narrow(x, {d, 0, n - by})}, {d});
  }
  return own(x, in[0]);
}
Tensors Roll::vjp(const Call&, const Tensor& dy) const {
  Ints back = shifts;
  for (int i = 0; i < back.size(); ++i) {
    const int64_t n = dims.empty() ? dy.numel() : dy.dim() ? dy.shape(dims[i]) : 1;
    back[i] = n ? -(back[i] % n) : 0;
  }
  return {roll(dy, {back, dims})};
}

}  // namespace luth::ops
