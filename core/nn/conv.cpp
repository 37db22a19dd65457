#include "core/nn/conv.h"

#include <algorithm>
#include <cmath>

#include "core/nn/init.h"
#include "core/ops/index/index.h"
#include "core/ops/window/conv.h"

namespace luth::nn {
namespace {
const DefineModule<Conv2d> conv2d_;
const DefineModule<LazyConv2d> lazy_conv2d_;

void check_list(const char* module, const char* name, const Ints& v, int64_t least) {
  if (v.size() != 1 && v.size() != 2) throw Error("{}: {} takes one number or two, got {}", module, name, to_string(v));
  for (int64_t x : v)
    if (x < least) throw Error("{} needs {} of at least {}, got {}", module, name, least, to_string(v));
}

// Position i of an axis of n elements, outside of which the image goes on in this way.
int64_t source(const std::string& mode, int64_t i, int64_t n) {
  if (mode == "circular") return ((i % n) + n) % n;
  if (mode == "replicate") return std::clamp<int64_t>(i, 0, n - 1);
  return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;  // reflect
}

// The image with `before` and `after` more elements along a dim, which are others of its own.
Tensor extended(const Tensor& x, int dim, int64_t before, int64_t after, const std::string& mode) {
  if (!before && !after) return x;
  int64_t n = x.shape(dim);
  if (mode == "reflect" && std::max(before, after) >= n)
    throw Error("padding_mode 'reflect' needs padding below the extent {}, got {}", n, std::max(before, after));
  if (mode == "circular" && std::max(before, after) > n)
    throw Error("padding_mode 'circular' needs padding of at most the extent {}, got {}", n, std::max(before, after));
  Tensor index = Tensor::empty({n + before + after}, Dtype::i64, host());
  for (int64_t i = 0; i < index.numel(); ++i) index.data<int64_t>()[i] = source(mode, i - before, n);
  ops::IndexSelect op;
  op.dim = dim;
  return index_select(x, converted(index, Dtype::i64, &x.device()), op);
}

}  // namespace

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

// ---- Conv2d -------------------------------------------------------------------------------------------------------

void Conv2d::check() const {
  const std::string name = type();
  if (spec.in_channels < 0 || spec.out_channels < 1 || spec.groups < 1)
    throw Error("{} needs channels and groups of at least 1", name);
  if (spec.in_channels % spec.groups || spec.out_channels % spec.groups)
    throw Error("{}: {} and {} channels do not both divide into {} groups", name, spec.in_channels, spec.out_channels,
                spec.groups);
  check_list(name.c_str(), "kernel_size", spec.kernel_size, 1);
  check_list(name.c_str(), "stride", spec.stride, 1);
  check_list(name.c_str(), "dilation", spec.dilation, 1);
  check_list(name.c_str(), "padding", spec.padding.sizes, 0);
  if (spec.padding.word == "same" && (at_or_all(spec.stride, 0) != 1 || at_or_all(spec.stride, 1) != 1))
    throw Error("{}: padding 'same' needs a stride of 1, got {}", name, to_string(spec.stride));
  for (const char* mode : {"zeros", "reflect", "replicate", "circular"})
    if (spec.padding_mode == mode) return;
  throw Error("{}: padding_mode is 'zeros', 'reflect', 'replicate' or 'circular', got '{}'", name, spec.padding_mode);
}

void Conv2d::build() {
  check();
  Shape shape{spec.out_channels, spec.in_channels / spec.groups, at_or_all(spec.kernel_size, 0),
              at_or_all(spec.kernel_size, 1)};
  register_parameter("weight", spec.factory.parameter(shape));
  register_parameter("bias", spec.bias ? spec.factory.parameter({spec.out_channels}) : Tensor());
  reset_parameters();
}

// PyTorch writes it as kaiming_uniform with a = √5.
void Conv2d::reset_parameters() {
  if (lazy()) return;
  double bound = 1 / std::sqrt(double(init::fans(parameter(0)).in));
  init::uniform(parameter(0), -bound, bound);
  if (parameter(1)) init::uniform(parameter(1), -bound, bound);
}

std::string Conv2d::extra_repr() const {
  std::string s = fmt::format("{}, {}, kernel_size={}, stride={}", spec.in_channels, spec.out_channels,
                              py_tuple(spec.kernel_size, 2), py_tuple(spec.stride, 2));
  bool padding = !spec.padding.word.empty() || at_or_all(spec.padding.sizes, 0) || at_or_all(spec.padding.sizes, 1);
  if (padding) s += ", padding=" + (spec.padding.word.empty() ? py_tuple(spec.padding.sizes, 2) : spec.padding.word);
  if (at_or_all(spec.dilation, 0) != 1 || at_or_all(spec.dilation, 1) != 1)
    s += ", dilation=" + py_tuple(spec.dilation, 2);
  if (spec.groups != 1) s += fmt::format(", groups={}", spec.groups);
  if (!spec.bias) s += ", bias=False";
  if (spec.padding_mode != "zeros") s += ", padding_mode=" + spec.padding_mode;
  return s;
}

// 'same' with an even window pads one more at the end.
Conv2d::Sides Conv2d::sides() const {
  Sides s;
  for (int d = 0; d < 2; ++d) {
    int64_t total = at_or_all(spec.dilation, d) * (at_or_all(spec.kernel_size, d) - 1);
    bool same = spec.padding.word == "same";
    s.before[d] = same ? total / 2 : at_or_all(spec.padding.sizes, d);
    s.after[d] = same ? total - total / 2 : s.before[d];
  }
  return s;
}

Tensor Conv2d::run(const Tensor& x) {
  Sides s = sides();
  ops::Conv2d op;
  op.stride = spec.stride;
  op.dilation = spec.dilation;
  op.groups = spec.groups;
  if (spec.padding_mode == "zeros" || x.dim() < 3) {
    op.padding = {s.before[0], s.before[1]};
    op.behind = {s.after[0] - s.before[0], s.after[1] - s.before[1]};
    return conv2d(x, parameter(0), parameter(1), op);
  }
  Tensor image = x;
  for (int d = 0; d < 2; ++d) image = extended(image, x.dim() - 2 + d, s.before[d], s.after[d], spec.padding_mode);
  return conv2d(image, parameter(0), parameter(1), op);
}

void LazyConv2d::build() {
  check();
  register_parameter("weight", spec.factory.parameter({0}));
  register_parameter("bias", spec.bias ? spec.factory.parameter({0}) : Tensor());
}

void LazyConv2d::materialize(int64_t in_channels) {
  spec.in_channels = in_channels;
  check();
  Shape shape{spec.out_channels, in_channels / spec.groups, at_or_all(spec.kernel_size, 0),
              at_or_all(spec.kernel_size, 1)};
  const Tensor& weight = parameter(0);
  replace_data(weight, Tensor::empty(shape, weight.dtype(), weight.device()));
  if (parameter(1)) replace_data(parameter(1), Tensor::empty({spec.out_channels}, weight.dtype(), weight.device()));
  reset_parameters();
}

void LazyConv2d::materialize_like(const StateDict& own) {
  for (auto& e : own)
    if (e.name == "weight" && e.value.dim() == 4) materialize(e.value.shape(1) * spec.groups);
}

Values LazyConv2d::forward(const Values& in) {
  if (lazy() && in.size() == 1 && in[0].is_tensor()) {
    if (in[0].dim() != 3 && in[0].dim() != 4)
      throw Error("LazyConv2d needs an input of 3 or 4 dims, got shape {}", to_string(in[0].shape()));
    materialize(in[0].tensor().shape(-3));
  }
  return Conv2d::forward(in);
}

}  // namespace luth::nn
