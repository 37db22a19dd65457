#include "core/ops/window/rearrange.h"

#include "core/ops/shape/view.h"
#include "core/ops/window/resample.h"

namespace luth::ops {
namespace {

// The dims before the last three, then `tail`.
Shape ending(const Shape& s, std::initializer_list<int64_t> tail) {
  Shape out;
  for (int d = 0; d < s.size() - 3; ++d) out.push_back(s[d]);
  for (int64_t n : tail) out.push_back(n);
  return out;
}
// The dims before `lead` as they are, and those from there on in another order.
Tensor reordered(const Tensor& t, int lead, std::initializer_list<int> order) {
  Ints dims;
  for (int d = 0; d < lead; ++d) dims.push_back(d);
  for (int d : order) dims.push_back(lead + d);
  return permute(t, {dims});
}
void check_factor(const Value& v, const char* what, int64_t r) {
  if (v.dim() < 3) throw Error("input must have at least 3 dims (C, H, W), got shape {}", to_string(v.shape()));
  if (r < 1) throw Error("{} must be at least 1, got {}", what, r);
}

}  // namespace

Tensor PixelShuffle::decompose(const Inputs& in) const {
  check_factor(in[0], "upscale_factor", upscale_factor);
  const Shape s = in[0].shape();
  const int lead = s.size() - 3;
  const int64_t r = upscale_factor, c = s[lead], h = s[lead + 1], w = s[lead + 2];
  if (r > (1 << 20) || c % (r * r))
    throw Error("the {} channels of shape {} do not divide by upscale_factor * upscale_factor = {}", c, to_string(s),
                r * r);
  const Tensor t = reshape(in[0], {ending(s, {c / (r * r), r, r, h, w})});
  return reshape(reordered(t, lead, {0, 3, 1, 4, 2}), {ending(s, {c / (r * r), h * r, w * r})});
}
Tensor PixelUnshuffle::decompose(const Inputs& in) const {
  check_factor(in[0], "downscale_factor", downscale_factor);
  const Shape s = in[0].shape();
  const int lead = s.size() - 3;
  const int64_t r = downscale_factor, c = s[lead], h = s[lead + 1], w = s[lead + 2];
  if (r > (1 << 20) || h % r || w % r)
    throw Error("height and width of shape {} do not divide by downscale_factor = {}", to_string(s), r);
  const Tensor t = reshape(in[0], {ending(s, {c, h / r, r, w / r, r})});
  return reshape(reordered(t, lead, {0, 2, 4, 1, 3}), {ending(s, {c * r * r, h / r, w / r})});
}
Tensor ChannelShuffle::decompose(const Inputs& in) const {
  const Shape s = in[0].shape();
  if (s.size() < 3) throw Error("input must have at least 3 dims (N, C, …), got shape {}", to_string(s));
  if (groups < 1 || s[1] % groups)
    throw Error("the {} channels of shape {} do not divide into {} groups", s[1], to_string(s), groups);
  Shape split{s[0], groups, s[1] / groups};
  for (int d = 2; d < s.size(); ++d) split.push_back(s[d]);
  return reshape(transpose(reshape(in[0], {split}), {1, 2}), {s});
}

// ---- Windows -------------------------------------------------------------------------------------------------------

void SlidingWindow::check() const {
  auto want = [](const char* what, const Ints& v, int64_t least) {
    if (v.size() != 1 && v.size() != 2) throw Error("{} must be one number or two, got {}", what, to_string(v));
    for (int64_t n : v)
      if (n < least || n > INT32_MAX) throw Error("{} must be at least {}, got {}", what, least, to_string(v));
  };
  want("kernel_size", kernel_size, 1);
  want("dilation", dilation, 1);
  want("padding", padding, 0);
  want("stride", stride, 1);
}
int64_t SlidingWindow::positions(int d, int64_t n) const {
  const int64_t span = at_or_all(dilation, d) * (at_or_all(kernel_size, d) - 1) + 1,
                room = n + 2 * at_or_all(padding, d) - span;
  if (room < 0) throw Error("a window of {} elements is larger than the padded input's {}", span, room + span);
  return room / at_or_all(stride, d) + 1;
}

namespace {

// [.., H, W] to [.., kh rows, kw columns].
Resample windows(const SlidingWindow& op, const Ints& image) {
  Resample r;
  r.kind = "windows", r.dim = -2, r.from = image;
  r.padding = r.kernel = r.stride = r.dilation = {};
  for (int d = 0; d < 2; ++d) {
    r.to.push_back(op.positions(d, image[d]) * at_or_all(op.kernel_size, d));
    r.kernel.push_back(at_or_all(op.kernel_size, d));
    r.padding.push_back(at_or_all(op.padding, d));
    r.stride.push_back(at_or_all(op.stride, d));
    r.dilation.push_back(at_or_all(op.dilation, d));
  }
  return r;
}

}  // namespace

Tensor UnfoldImages::decompose(const Inputs& in) const {
  check();
  const Shape s = in[0].shape();
  if (s.size() != 3 && s.size() != 4)
    throw Error("input must have 4 dims (N, C, H, W) or 3 (C, H, W), got shape {}", to_string(s));
  for (int d = s.size() - 3; d < s.size(); ++d)
    if (s[d] == 0) throw Error("input of shape {} has no elements in a dim other than the batch's", to_string(s));
  if (!is_floating(in[0].dtype()) && in[0].dtype() != Dtype::boolean) throw_unsupported(in[0].dtype());
  const Resample r = windows(*this, {s[s.size() - 2], s[s.size() - 1]});
  const int64_t c = s[s.size() - 3], kh = r.kernel[0], kw = r.kernel[1], h = r.to[0] / kh, w = r.to[1] / kw;
  const Tensor t =
      reordered(reshape(resample(in[0], r), {ending(s, {c, kh, h, kw, w})}), s.size() - 3, {0, 1, 3, 2, 4});
  Shape columns = ending(s, {c * kh * kw, h * w});
  return reshape(t, {columns});
}
Cases<UnfoldImages> UnfoldImages::samples() {
  UnfoldImages a, b;
  a.kernel_size = {2};
  b.kernel_size = {2, 3}, b.dilation = {2, 1}, b.padding = {1, 2}, b.stride = {1, 2};
  return {{a, {{2, 2, 3, 4}}}, {b, {{2, 4, 3}}}};
}

Tensor FoldImages::decompose(const Inputs& in) const {
  check();
  const Shape s = in[0].shape();
  if (s.size() != 2 && s.size() != 3)
    throw Error("input must have 3 dims (N, C kh kw, windows) or 2, got shape {}", to_string(s));
  if (output_size.size() != 1 && output_size.size() != 2)
    throw Error("output_size must be one number or two, got {}", to_string(output_size));
  const Ints image{at_or_all(output_size, 0), at_or_all(output_size, 1)};
  if (image[0] < 1 || image[1] < 1) throw Error("output_size must be at least 1, got {}", to_string(output_size));
  if (in[0].dtype() == Dtype::boolean)  // true where any is
    return cast_to(fold_images(cast_to(in[0], Dtype::f32), *this), Dtype::boolean);
  if (!is_floating(in[0].dtype())) throw_unsupported(in[0].dtype());
  Resample r = windows(*this, image);
  const int64_t kh = r.kernel[0], kw = r.kernel[1], h = r.to[0] / kh, w = r.to[1] / kw, rows = s[s.size() - 2];
  if (rows == 0 || rows % (kh * kw))
    throw Error("the {} rows of shape {} do not divide by the {} elements of a window", rows, to_string(s), kh * kw);
  if (s[s.size() - 1] != h * w)
    throw Error("images of {} have {} * {} = {} windows, and input of shape {} has {}", to_string(image), h, w, h * w,
                to_string(s), s[s.size() - 1]);
  r.transposed = true;
  const int lead = s.size() - 2;
  auto shape = [&](std::initializer_list<int64_t> tail) {
    Shape out;
    if (lead) out.push_back(s[0]);
    for (int64_t n : tail) out.push_back(n);
    return out;
  };
  const int64_t c = rows / (kh * kw);
  const Tensor t = reordered(reshape(in[0], {shape({c, kh, kw, h, w})}), lead, {0, 1, 3, 2, 4});
  return resample(reshape(t, {shape({c, kh * h, kw * w})}), r);
}
Cases<FoldImages> FoldImages::samples() {
  FoldImages a, b;
  a.kernel_size = {2}, a.output_size = {3, 4};
  b.kernel_size = {2, 3}, b.dilation = {2, 1}, b.padding = {1, 2}, b.stride = {1, 2}, b.output_size = {4, 3};
  return {{a, {{2, 8, 6}}}, {b, {{12, 12}}}};
}

namespace {
const DefineAll<PixelShuffle, PixelUnshuffle, ChannelShuffle, UnfoldImages, FoldImages> define_all_;
}

}  // namespace luth::ops
