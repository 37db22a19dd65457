#include "core/ops/window/pad.h"

#include <algorithm>

#include "core/ops/elementwise/copy.h"
#include "core/ops/shape/view.h"
#include "core/ops/window/resample.h"

namespace luth::ops {
namespace {

Border border_of(const std::string& mode) {
  constexpr const char* modes[] = {"constant", "reflect", "replicate", "circular"};
  for (int i = 0; i < 4; ++i)
    if (mode == modes[i]) return Border(i);
  throw Error("mode '{}' is unknown; it is 'constant', 'reflect', 'replicate' or 'circular'", mode);
}

// Padding of one dim, counted from the last.
int64_t before(const Ints& pad, int from_last) { return pad[2 * from_last]; }
int64_t after(const Ints& pad, int from_last) { return pad[2 * from_last + 1]; }

// PyTorch converts the number as soon as something is padded with it, and takes no negative one for unsigned integers.
void check_value(Dtype d, const Ints& pad, const Scalar& value) {
  if (std::none_of(pad.begin(), pad.end(), [](int64_t n) { return n > 0; })) return;
  check_holds(d, value);
  if (d == Dtype::u8 && value.value() < 0) throw Error("the number {} does not fit into uint8", value.value());
}

// Pads dims [first, last], three at a time from the last on.
Tensor pad_dims(Tensor t, const Ints& pad, Border border, const Scalar& value) {
  const int n = t.dim();
  int last = n - 1, first = n - pad.size() / 2;
  auto none = [&](int d) { return before(pad, n - 1 - d) == 0 && after(pad, n - 1 - d) == 0; };
  while (last >= first && none(last)) --last;
  while (first <= last && none(first)) ++first;
  if (first > last) return clone(t);
  if (border == Border::constant) check_value(t.dtype(), pad, value);
  while (last >= first) {
    PadNd op;
    op.border = border, op.value = value;
    op.dims.dim = std::max(first, last - 2);
    for (int d = int(op.dims.dim); d <= last; ++d) {
      const int64_t m = t.shape()[d], add = before(pad, n - 1 - d) + after(pad, n - 1 - d);
      op.dims.from.push_back(m);
      op.dims.to.push_back(m + add);
      op.before.push_back(before(pad, n - 1 - d));
    }
    t = pad_nd(t, op);
    last = int(op.dims.dim) - 1;
  }
  return t;
}

void check_pad(const Tensor& t, const Ints& pad) {
  if (pad.size() % 2) throw Error("pad must have two numbers for each dim, got {}", to_string(pad));
  if (pad.size() / 2 > t.dim())
    throw Error("pad of {} numbers is for {} dims, and input of shape {} has {}", pad.size(), pad.size() / 2,
                to_string(t.shape()), t.dim());
  for (int k = 0; k < pad.size() / 2; ++k) {
    const int64_t m = t.shape()[t.dim() - 1 - k];
    for (int64_t p : {before(pad, k), after(pad, k)})
      if (p > INT64_MAX / 4 || p < -m) throw Error("padding of {} does not fit a dim of {} elements", p, m);
    if (m + before(pad, k) + after(pad, k) < 0)
      throw Error("padding of {} and {} leaves less than nothing of a dim of {} elements", before(pad, k),
                  after(pad, k), m);
  }
}

// What the modes that repeat the input allow.
void check_repeating(const Tensor& t, const Ints& pad, const std::string& mode) {
  const int k = pad.size() / 2, n = t.dim();
  if (k < 1 || k > 3 || (n != k + 1 && n != k + 2))
    throw Error("mode '{}' pads the last 1, 2 or 3 dims of inputs with 1 or 2 dims more; got {} numbers and shape {}",
                mode, pad.size(), to_string(t.shape()));
  if (t.dtype() == Dtype::boolean && mode != "circular")
    throw Error("there is no padding by mode '{}' of bool; convert with :to() first", mode);
  check_elements("input", t.shape(), n - k - 1);
  for (int i = 0; i < k; ++i) {
    const int64_t m = t.shape()[n - 1 - i], most = std::max(before(pad, i), after(pad, i));
    if (mode == "reflect" && most >= m)
      throw Error("padding {} must be smaller than the {} elements that it reflects", most, m);
    if (mode == "circular" && most > m)
      throw Error("padding {} goes around a dim of {} elements more than once", most, m);
    if (m + before(pad, i) + after(pad, i) < 1)
      throw Error("padding {} leaves nothing of a dim of {} elements", to_string(pad), m);
  }
}

// The input less what negative numbers of `pad` cut off; these become 0.
Tensor cut(Tensor t, Ints& pad) {
  for (int k = 0; k < pad.size() / 2; ++k) {
    const int64_t front = std::max<int64_t>(-before(pad, k), 0), back = std::max<int64_t>(-after(pad, k), 0);
    const int d = t.dim() - 1 - k;
    if (front || back) t = narrow(t, {.dim = d, .start = front, .length = t.shape()[d] - front - back});
    pad[2 * k] += front, pad[2 * k + 1] += back;
  }
  return t;
}

}  // namespace

Tensor Pad::decompose(const Inputs& in) const {
  const Tensor& t = in[0];
  const Border border = border_of(mode);
  check_pad(t, pad);
  if (border == Border::constant) return pad_dims(t, pad, border, value.value_or(Scalar(0)));
  if (value && value->value() != 0) throw Error("mode '{}' does not take a value", mode);
  check_repeating(t, pad, mode);
  if (border != Border::circular) return pad_dims(t, pad, border, 0);
  Ints around = pad;  // what is cut off does not come back at the other end
  const Tensor rest = cut(t, around);
  check_repeating(rest, around, mode);
  return pad_dims(rest, around, border, 0);
}
Cases<Pad> Pad::samples() {
  return {{{{1, 2}, "constant", Scalar(1.5)}, {{2, 3}}},
          {{{1, 1, 0, 2, -1, 1, 1, 0}, "constant", {}}, {{2, 3, 2, 2}}},
          {{{2, 1, -1, 1}, "reflect", {}}, {{2, 4, 3}}},
          {{{1, 3, 1, 0, 0, 1}, "replicate", {}}, {{1, 2, 2, 3, 2}}},
          {{{3, 1}, "circular", {}}, {{2, 2, 3}}}};
}
Tensor ConstantPad::decompose(const Inputs& in) const {
  check_pad(in[0], pad);
  return pad_dims(in[0], pad, Border::constant, value);
}
Cases<ConstantPad> ConstantPad::samples() { return {{{{1, 0, -1, 2}, 0.5}, {{3, 2}}}, {{{0, 1}, 0}, {{0}}}}; }

namespace {
const DefineAll<Pad, ConstantPad> define_all_;
}

}  // namespace luth::ops
