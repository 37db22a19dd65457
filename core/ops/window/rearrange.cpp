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
// Images of any batch dims.
struct ImageShape {
  Shape s;
  int lead;  // how many dims come before C, H, W
  int64_t c, h, w;
};
ImageShape image_shape(const Value& v) {
  const Shape& s = v.shape();
  if (v.dim() < 3) throw Error("input must have at least 3 dims (C, H, W), got shape {}", to_string(s));
  const int lead = s.size() - 3;
  return {s, lead, s[lead], s[lead + 1], s[lead + 2]};
}
void check_factor(const char* name, int64_t factor) {
  if (factor < 1) throw Error("{} must be at least 1, got {}", name, factor);
}

}  // namespace

void PixelShuffle::check() const { check_factor("upscale_factor", upscale_factor); }
Tensor PixelShuffle::decompose(const Inputs& in) const {
  const int64_t r = upscale_factor;
  const auto [s, lead, c, h, w] = image_shape(in[0]);
  check();
  if (r > (1 << 20) || c % (r * r))
    throw Error("the {} channels of shape {} do not divide by upscale_factor * upscale_factor = {}", c, to_string(s),
                double(r) * double(r));
  const Tensor t = reshape(in[0], {ending(s, {c / (r * r), r, r, h, w})});
  return reshape(reordered(t, lead, {0, 3, 1, 4, 2}), {ending(s, {c / (r * r), h * r, w * r})});
}
void PixelUnshuffle::check() const { check_factor("downscale_factor", downscale_factor); }
Tensor PixelUnshuffle::decompose(const Inputs& in) const {
  const int64_t r = downscale_factor;
  const auto [s, lead, c, h, w] = image_shape(in[0]);
  check();
  if (r > (1 << 20) || h % r || w % r)
    throw Error("height and width of shape {} do not divide by downscale_factor = {}", to_string(s), r);
  const Tensor t = reshape(in[0], {ending(s, {c, h / r, r, w / r, r})});
  return reshape(reordered(t, lead, {0, 2, 4, 1, 3}), {ending(s, {c * r * r, h / r, w / r})});
}
void ChannelShuffle::check() const { check_factor("groups", groups); }
Tensor ChannelShuffle::decompose(const Inputs& in) const {
  const Shape s = in[0].shape();
  if (s.size() < 3) throw Error("input must have at least 3 dims (N, C, …), got shape {}", to_string(s));
  check();
  if (s[1] % groups)
    throw Error("the {} channels of shape {} do not divide into {} groups", s[1], to_string(s), groups);
  Shape split{s[0], groups, s[1] / groups};
  for (int d = 2; d < s.size(); ++d) split.push_back(s[d]);
  return reshape(transpose(reshape(in[0], {split}), {1, 2}), {s});
}

// ---- Windows -------------------------------------------------------------------------------------------------------

void SlidingWindow::check() const {
  check_list("kernel_size", kernel_size, 2, 1);
  check_list("dilation", dilation, 2, 1);
  check_list("padding", padding, 2, 0);
  check_list("stride", stride, 2, 1);
}
UnfoldNd SlidingWindow::over(const Ints& image) const {
  check();
  UnfoldNd r{{-2, image, {}}, kernel_size, stride, padding, dilation};
  for (int d = 0; d < 2; ++d) r.dims.to.push_back(r.window(d).positions(image[d]) * r.window(d).kernel);
  return r;
}

void UnfoldImages::check() const { window.check(); }
Tensor UnfoldImages::decompose(const Inputs& in) const {
  check_spatial("input", in[0], 2);
  if (!is_floating(in[0].dtype()) && in[0].dtype() != Dtype::boolean) throw_unsupported(in[0].dtype());
  const Shape s = in[0].shape();
  const UnfoldNd r = window.over(spatial(s, 2));
  const int64_t c = s[s.size() - 3], kh = at_or_all(r.kernel, 0), kw = at_or_all(r.kernel, 1);
  const int64_t h = r.dims.to[0] / kh, w = r.dims.to[1] / kw;
  const Tensor t =
      reordered(reshape(unfold_nd(in[0], r), {ending(s, {c, kh, h, kw, w})}), s.size() - 3, {0, 1, 3, 2, 4});
  Shape columns = ending(s, {c * kh * kw, h * w});
  return reshape(t, {columns});
}
Cases<UnfoldImages> UnfoldImages::samples() {
  return {{{{{2}}}, {{2, 2, 3, 4}}}, {{{{2, 3}, {2, 1}, {1, 2}, {1, 2}}}, {{2, 4, 3}}}};
}

void FoldImages::check() const {
  check_list("output_size", output_size, 2, 1);
  window.check();
}
Tensor FoldImages::decompose(const Inputs& in) const {
  const Shape s = in[0].shape();
  if (s.size() != 2 && s.size() != 3)
    throw Error("input must have 3 dims (N, C kh kw, windows) or 2, got shape {}", to_string(s));
  check();
  const Ints image{at_or_all(output_size, 0), at_or_all(output_size, 1)};
  if (in[0].dtype() == Dtype::boolean)  // true where any is
    return cast_to(fold_images(cast_to(in[0], Dtype::f32), *this), Dtype::boolean);
  if (!is_floating(in[0].dtype())) throw_unsupported(in[0].dtype());
  UnfoldNd r = window.over(image);
  const int64_t kh = at_or_all(r.kernel, 0), kw = at_or_all(r.kernel, 1), h = r.dims.to[0] / kh, w = r.dims.to[1] / kw,
                rows = s[s.size() - 2];
  if (rows == 0 || rows % (kh * kw))
    throw Error("the {} rows of shape {} do not divide by the {} elements of a window", rows, to_string(s), kh * kw);
  if (s[s.size() - 1] != h * w)
    throw Error("images of {} have {} * {} = {} windows, and input of shape {} has {}", to_string(image), h, w, h * w,
                to_string(s), s[s.size() - 1]);
  r.dims.transposed = true;
  const int lead = s.size() - 2;
  auto shape = [&](std::initializer_list<int64_t> tail) {
    Shape out;
    if (lead) out.push_back(s[0]);
    for (int64_t n : tail) out.push_back(n);
    return out;
  };
  const int64_t c = rows / (kh * kw);
  const Tensor t = reordered(reshape(in[0], {shape({c, kh, kw, h, w})}), lead, {0, 1, 3, 2, 4});
  return unfold_nd(reshape(t, {shape({c, kh * h, kw * w})}), r);
}
Cases<FoldImages> FoldImages::samples() {
  return {{{{3, 4}, {{2}}}, {{2, 8, 6}}}, {{{4, 3}, {{2, 3}, {2, 1}, {1, 2}, {1, 2}}}, {{12, 12}}}};
}

namespace {
const DefineAll<PixelShuffle, PixelUnshuffle, ChannelShuffle, UnfoldImages, FoldImages> define_all_;
}

}  // namespace luth::ops
