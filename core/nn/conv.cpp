#include "core/nn/conv.h"

#include <cmath>

#include "core/nn/init.h"
#include "core/ops/window/conv.h"
#include "core/ops/window/pad.h"

namespace luth::nn {

Attr to_attr(const Padding& p) { return p.word.empty() ? Attr(p.sizes) : Attr(p.word); }
void from_attr(const Attr& a, Padding& p) {
  if (auto* word = std::get_if<std::string>(&a)) {
    if (*word != "same" && *word != "valid")
      throw Error("padding is a number, two numbers, 'same' or 'valid', got '{}'", *word);
    p = {{0}, *word};
  } else {
    p = {std::get<Ints>(a), ""};
  }
}

namespace {
template <class Spec>
ops::ConvWindow window_of(const Spec& s) {
  return {s.stride, s.padding.sizes, s.dilation, s.groups};
}
bool all_are(const Ints& v, int64_t x) {
  return std::all_of(v.begin(), v.end(), [x](int64_t e) { return e == x; });
}
constexpr const char* layouts[] = {"[N, C, L] or [C, L]", "[N, C, H, W] or [C, H, W]",
                                   "[N, C, D, H, W] or [C, D, H, W]"};
}  // namespace

template <int n, bool transposed>
void Conv<n, transposed>::check() const {
  const std::string name = this->type();
  need_at_least(name, "in_channels", spec.in_channels, 0);
  need_at_least(name, "out_channels", spec.out_channels, 0);
  need_at_least(name, "groups", spec.groups, 1);
  for (auto& [what, channels] : {std::pair{"in_channels", spec.in_channels}, {"out_channels", spec.out_channels}})
    if (channels % spec.groups)
      throw Error("{} needs {} divisible by groups = {}, got {}", name, what, spec.groups, channels);
  ops::check_list("kernel_size", spec.kernel_size, n, 1);
  window_of(spec).check(n);
  ops::check_list("output_padding", spec.output_padding, n, 0);
  if (spec.padding.word == "same" && !all_are(spec.stride, 1))
    throw Error("{} with padding 'same' needs a stride of 1, got {}", name, to_string(spec.stride));
  for (const char* mode : {"zeros", "reflect", "replicate", "circular"})
    if (spec.padding_mode == mode && (!transposed || spec.padding_mode == "zeros")) return;
  throw Error("{} needs a padding_mode of {}, got '{}'", name,
              transposed ? "'zeros'" : "'zeros', 'reflect', 'replicate' or 'circular'", spec.padding_mode);
}

template <int n, bool transposed>
Shape Conv<n, transposed>::weight_shape() const {
  Shape s{spec.out_channels, spec.in_channels / spec.groups};
  if (transposed) s = {spec.in_channels, spec.out_channels / spec.groups};
  for (int d = 0; d < n; ++d) s.push_back(at_or_all(spec.kernel_size, d));
  return s;
}

template <int n, bool transposed>
void Conv<n, transposed>::build() {
  check();
  this->register_parameter("weight", spec.factory.parameter(weight_shape()));
  this->register_parameter("bias", spec.bias ? spec.factory.parameter({spec.out_channels}) : Tensor());
  reset_parameters();
}

// PyTorch writes it as kaiming_uniform with a = √5.
template <int n, bool transposed>
void Conv<n, transposed>::reset_parameters() {
  const Tensor &weight = this->parameter(0), &bias = this->parameter(1);
  const int64_t fan_in = init::fans(weight).in;
  if (!fan_in) return;
  double bound = 1 / std::sqrt(double(fan_in));
  init::uniform(weight, -bound, bound);
  if (bias) init::uniform(bias, -bound, bound);
}

template <int n, bool transposed>
std::string Conv<n, transposed>::extra_repr() const {
  std::string s = fmt::format("{}, {}, kernel_size={}, stride={}", spec.in_channels, spec.out_channels,
                              py_tuple(spec.kernel_size, n), py_tuple(spec.stride, n));
  auto add = [&](const char* what, const Ints& v, int64_t otherwise) {
    if (!all_are(v, otherwise)) s += fmt::format(", {}={}", what, py_tuple(v, n));
  };
  if (!spec.padding.word.empty()) s += ", padding=" + spec.padding.word;
  add("padding", spec.padding.sizes, 0);
  add("dilation", spec.dilation, 1);
  add("output_padding", spec.output_padding, 0);
  if (spec.groups != 1) s += fmt::format(", groups={}", spec.groups);
  if (!spec.bias) s += ", bias=False";
  if (spec.padding_mode != "zeros") s += ", padding_mode=" + spec.padding_mode;
  return s;
}

template <int n, bool transposed>
int64_t Conv<n, transposed>::size_in(const Tensor& x) const {
  if (x.dim() != n + 1 && x.dim() != n + 2)
    throw Error("expects an input {}, got shape {}", layouts[n - 1], to_string(x.shape()));
  return x.shape(-n - 1);
}
template <int n, bool transposed>
int64_t Conv<n, transposed>::size_in(std::string_view name, const Tensor& saved) const {
  if (name != "weight" || saved.dim() != n + 2) return -1;
  return transposed ? saved.shape(0) : saved.shape(1) * spec.groups;
}

// An input without a dim for the batch, or for the channels, is the usual mistake.
template <int n, bool transposed>
void Conv<n, transposed>::check_input(const Tensor& x) const {
  if (size_in(x) == spec.in_channels) return;
  const bool batch = x.dim() == n + 2;
  const std::string place =
      batch ? fmt::format("in dim {}", shown(1)) : fmt::format("in dim {} of an input without batch", shown(0));
  std::string hint;
  if (!batch && spec.in_channels == 1)
    hint = fmt::format("; x:unsqueeze({}) makes it a batch of one channel", shown(1));
  throw Error("expects in_channels = {} {}, got shape {}{}", spec.in_channels, place, to_string(x.shape()), hint);
}

template <int n, bool transposed>
std::vector<std::string> Conv<n, transposed>::argument_names() const {
  std::vector<std::string> names{"input"};
  if (transposed) names.emplace_back("output_size");
  return names;
}
template <int n, bool transposed>
Values Conv<n, transposed>::forward(const Values& in) {
  if (!transposed || in.size() != 2) return Base::forward(in);
  check_tensors(*this, {in[0]}, 1);
  Ints size;
  if (in[1] && !in[1].is_list()) throw Error("output_size expects a table of numbers, got {}", in[1].text());
  for (size_t i = 0; in[1] && i < in[1].items().size(); ++i) {
    const Argument& extent = in[1].items()[i];
    if (!extent.is_scalar() || extent.scalar().is_floating())
      throw Error("output_size expects integers, got {} as number {}", extent.text(), shown(int64_t(i)));
    size.push_back(extent.scalar().integer());
  }
  return {run(in[0].tensor(), size)};
}

// What must be added to the smallest result to have the extents that are asked for.
template <int n, bool transposed>
Ints Conv<n, transposed>::output_padding_for(const Tensor& x, Ints output_size) const {
  if (output_size.empty()) return spec.output_padding;
  const int count = output_size.size();
  if (count == x.dim()) output_size = Ints(output_size.end() - n, output_size.end());
  if (count != n && count != x.dim())
    throw Error("output_size has {} numbers, expected {}, the spatial extents of the result", count, n);
  Ints more;
  for (int d = 0; d < n; ++d) {
    const ops::WindowDim w = window_of(spec).dim(d, at_or_all(spec.kernel_size, d));
    const int64_t least = (x.shape(d - n) - 1) * w.stride - 2 * w.padding_lo + w.span(), most = least + w.stride - 1;
    if (output_size[d] < least || output_size[d] > most)
      throw Error("output_size {} is impossible: number {} must be from {} to {} for an input of shape {}",
                  to_string(output_size), shown(d), least, most, to_string(x.shape()));
    more.push_back(output_size[d] - least);
  }
  return more;
}

template <int n, bool transposed>
Tensor Conv<n, transposed>::run(const Tensor& x, const Ints& output_size) {
  check_input(x);
  const Tensor &weight = this->parameter(0), &bias = this->parameter(1);
  ops::ConvWindow window = window_of(spec);
  if constexpr (transposed) {
    return Fn<ops::ConvTranspose<n>>()(x, weight, bias, {window, output_padding_for(x, output_size)});
  } else {
    const std::string& word = spec.padding.word;
    if (spec.padding_mode == "zeros" && !word.empty())
      return Fn<ops::ConvPadding<n>>()(x, weight, bias, {spec.stride, word, spec.dilation, spec.groups});
    if (spec.padding_mode == "zeros") return Fn<ops::Conv<n>>()(x, weight, bias, {window});
    if (!word.empty() && weight) window.pad_as(word, ops::spatial(weight.shape(), n));  // the convolution refuses none
    ops::Pad around{{}, spec.padding_mode, {}};
    for (int d = n - 1; d >= 0; --d) {
      const ops::WindowDim w = window.dim(d, 1);
      around.pad.push_back(w.padding_lo), around.pad.push_back(w.padding_hi);
    }
    window.padding = {0}, window.padding_hi.reset();
    return Fn<ops::Conv<n>>()(all_are(around.pad, 0) ? x : pad(x, around), weight, bias, {window});
  }
}

template class Conv<1>;
template class Conv<2>;
template class Conv<3>;
template class Conv<1, true>;
template class Conv<2, true>;
template class Conv<3, true>;

namespace {
const DefineModule<Conv<1>, Conv<2>, Conv<3>, ConvTranspose<1>, ConvTranspose<2>, ConvTranspose<3>, LazyConv1d,
                   LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d>
    conv_;
}  // namespace

}  // namespace luth::nn
