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
template <int n>
ops::ConvWindow window_of(const ConvSpec<n>& s) {
  return {s.stride, s.padding.sizes, s.dilation, s.groups};
}
bool all_are(const Ints& v, int64_t x) {
  return std::all_of(v.begin(), v.end(), [x](int64_t e) { return e == x; });
}
}  // namespace

// ---- Conv ---------------------------------------------------------------------------------------------------------

template <int n>
void Conv<n>::check() const {
  const std::string name = this->type();
  if (spec.in_channels < 0 || spec.out_channels < 1 || spec.groups < 1)
    throw Error("{} needs channels and groups of at least 1", name);
  if (spec.in_channels % spec.groups || spec.out_channels % spec.groups)
    throw Error("{}: {} and {} channels do not both divide into {} groups", name, spec.in_channels, spec.out_channels,
                spec.groups);
  ops::check_list("kernel_size", spec.kernel_size, n, 1);
  window_of(spec).check(n);
  if (spec.padding.word == "same" && !all_are(spec.stride, 1))
    throw Error("{}: padding 'same' needs a stride of 1, got {}", name, to_string(spec.stride));
  for (const char* mode : {"zeros", "reflect", "replicate", "circular"})
    if (spec.padding_mode == mode) return;
  throw Error("{}: padding_mode is 'zeros', 'reflect', 'replicate' or 'circular', got '{}'", name, spec.padding_mode);
}

template <int n>
Shape Conv<n>::weight_shape() const {
  Shape s{spec.out_channels, spec.in_channels / spec.groups};
  for (int d = 0; d < n; ++d) s.push_back(at_or_all(spec.kernel_size, d));
  return s;
}

template <int n>
void Conv<n>::build() {
  check();
  this->register_parameter("weight", spec.factory.parameter(weight_shape()));
  this->register_parameter("bias", spec.bias ? spec.factory.parameter({spec.out_channels}) : Tensor());
  reset_parameters();
}

// PyTorch writes it as kaiming_uniform with a = √5.
template <int n>
void Conv<n>::reset_parameters() {
  if (this->lazy()) return;
  const Tensor &weight = this->parameter(0), &bias = this->parameter(1);
  double bound = 1 / std::sqrt(double(init::fans(weight).in));
  init::uniform(weight, -bound, bound);
  if (bias) init::uniform(bias, -bound, bound);
}

template <int n>
std::string Conv<n>::extra_repr() const {
  std::string s = fmt::format("{}, {}, kernel_size={}, stride={}", spec.in_channels, spec.out_channels,
                              py_tuple(spec.kernel_size, n), py_tuple(spec.stride, n));
  if (!spec.padding.word.empty())
    s += ", padding=" + spec.padding.word;
  else if (!all_are(spec.padding.sizes, 0))
    s += ", padding=" + py_tuple(spec.padding.sizes, n);
  if (!all_are(spec.dilation, 1)) s += ", dilation=" + py_tuple(spec.dilation, n);
  if (spec.groups != 1) s += fmt::format(", groups={}", spec.groups);
  if (!spec.bias) s += ", bias=False";
  if (spec.padding_mode != "zeros") s += ", padding_mode=" + spec.padding_mode;
  return s;
}

template <int n>
Tensor Conv<n>::run(const Tensor& x) {
  const Tensor &weight = this->parameter(0), &bias = this->parameter(1);
  ops::ConvWindow window = window_of(spec);
  const std::string& word = spec.padding.word;
  if (spec.padding_mode == "zeros" && !word.empty())
    return Fn<ops::ConvPadding<n>>()(x, weight, bias, {spec.stride, word, spec.dilation, spec.groups});
  if (spec.padding_mode == "zeros") return Fn<ops::Conv<n>>()(x, weight, bias, {window});
  if (!word.empty()) window.pad_as(word, ops::spatial(weight.shape(), n));
  ops::Pad around{{}, spec.padding_mode, {}};
  for (int d = n - 1; d >= 0; --d) {
    const ops::WindowDim w = window.dim(d, 1);
    around.pad.push_back(w.padding_lo), around.pad.push_back(w.padding_hi);
  }
  window.padding = {0}, window.padding_hi.reset();
  return Fn<ops::Conv<n>>()(all_are(around.pad, 0) ? x : pad(x, around), weight, bias, {window});
}

// ---- LazyConv -----------------------------------------------------------------------------------------------------

template <int n>
void LazyConv<n>::build() {
  this->check();
  this->register_parameter("weight", spec.factory.parameter({0}));
  this->register_parameter("bias", spec.bias ? spec.factory.parameter({0}) : Tensor());
}

template <int n>
void LazyConv<n>::materialize(int64_t in_channels) {
  spec.in_channels = in_channels;
  this->check();
  const Tensor &weight = this->parameter(0), &bias = this->parameter(1);
  replace_data(weight, Tensor::empty(this->weight_shape(), weight.dtype(), weight.device()));
  if (bias) replace_data(bias, Tensor::empty({spec.out_channels}, weight.dtype(), weight.device()));
  this->reset_parameters();
}

template <int n>
void LazyConv<n>::materialize_like(const StateDict& own) {
  for (auto& e : own)
    if (e.name == "weight" && e.value.dim() == n + 2) materialize(e.value.shape(1) * spec.groups);
}

template <int n>
Values LazyConv<n>::forward(const Values& in) {
  if (lazy() && in.size() == 1 && in[0].is_tensor()) {
    if (in[0].dim() != n + 1 && in[0].dim() != n + 2)
      throw Error("{} needs an input of {} or {} dims, got shape {}", Spec::name, n + 1, n + 2,
                  to_string(in[0].shape()));
    materialize(in[0].tensor().shape(-n - 1));
  }
  return Conv<n>::forward(in);
}

namespace {
const DefineModule<Conv2d> conv2d_;
const DefineModule<LazyConv2d> lazy_conv2d_;
}  // namespace

}  // namespace luth::nn
