#include "core/dispatch/prepare.h"

#include <algorithm>

#include "core/autograd/autograd.h"
#include "core/dispatch/half_numbers.h"
#include "core/op/basics.h"
#include "core/tensor/batched_device.h"

namespace luth {
namespace {

const InputSpec& spec_of(const OpInfo& info, size_t i) { return info.inputs[std::min(i, info.inputs.size() - 1)]; }

bool may_miss(const OpInfo& info, size_t i) { return spec_of(info, i).optional || spec_of(info, i).list; }

/// "input on cuda:0, tensors[2] on cpu": of a list the first element on each device.
std::string places_of(const OpInfo& info, const Inputs& in) {
  std::string text;
  std::vector<const Device*> listed;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in[i].is_tensor()) continue;
    const InputSpec& spec = spec_of(info, i);
    const Device& dev = in[i].tensor().device();
    std::string number;
    if (spec.list) {
      if (std::find(listed.begin(), listed.end(), &dev) != listed.end()) continue;
      listed.push_back(&dev);
      number = fmt::format("[{}]", shown(int64_t(i + 1 - info.inputs.size())));
    }
    text += fmt::format("{}{}{} on {}", text.empty() ? "" : ", ", spec.name, number, dev.name());
  }
  return text;
}

// Within vmap: tensors that do not differ between samples join those that do.
void share_with_samples(Inputs& in) {
  BatchedDevice* dev = nullptr;
  for (auto& v : in)
    if (v.is_tensor())
      if (auto* d = as_batched(v.tensor().device()); d && (!dev || d->encloses(*dev))) dev = d;
  for (auto& v : in)
    if (dev && v.is_tensor() && &v.tensor().device() != dev) v = basic::share_samples(v.tensor(), *dev);
}

/// The device of the tensors; 0-dimensional CPU tensors mix with any where inputs broadcast, or where a number would
/// do. Null when there is no tensor.
Device* common_device(const OpInfo& info, Inputs& in) {
  Device* dev = nullptr;
  share_with_samples(in);
  for (auto& v : in)
    if (v.is_tensor() && (!dev || (dev->on_host() && &v.tensor().device() != dev && v.dim() > 0)))
      dev = &v.tensor().device();
  for (size_t i = 0; i < in.size(); ++i) {
    const Value& v = in[i];
    if (!v.is_tensor() || &v.tensor().device() == dev) continue;
    if (v.dim() == 0 && v.tensor().device().on_host() && (info.traits.broadcast || spec_of(info, i).number)) continue;
    throw Error("all tensors must be on one device, but {}; move them with :to('{}')", places_of(info, in),
                dev->name());
  }
  return dev;
}

bool promotes(const OpInfo& info) { return info.traits.promote > Promote::none; }
bool has_bool(const Inputs& in) {
  return std::any_of(in.begin(), in.end(), [](const Value& v) { return v && v.dtype() == Dtype::boolean; });
}

void promote_inputs(const OpInfo& info, Inputs& in) {
  const Value* first = nullptr;
  bool mixed = false;
  for (size_t i = info.traits.promote_from; i < in.size(); ++i) {
    const Value& v = in[i];
    if (v.is_tensor() && !first) first = &v;
    if (v.is_scalar() || (v.is_tensor() && v.dtype() != first->dtype())) mixed = true;
  }
  if (!first && info.traits.promote_from == 0) throw Error("expects at least one tensor");
  if (!mixed && (info.traits.promote != Promote::floating || is_floating(first->dtype()))) return;
  if (info.traits.check_bool.given && has_bool(in)) info.traits.check_bool.run(in);
  Dtype d = result_type(Inputs(in.begin() + info.traits.promote_from, in.end()));
  if (info.traits.promote == Promote::floating && !is_floating(d)) d = default_dtype();
  const bool kept = keep_number(info, d, in);
  for (size_t i = info.traits.promote_from; i < in.size(); ++i)
    if (in[i].is_tensor() && in[i].dtype() != d && !(kept && i == 1)) in[i] = cast_to(in[i].tensor(), d);
}

void broadcast_inputs(Inputs& in) {
  const Tensor* first = nullptr;
  bool same = true;
  for (auto& v : in)
    if (v.is_tensor()) {
      if (!first) first = &v.tensor();
      same = same && v.tensor().shape() == first->shape();
    }
  if (same) return;
  Shape shape = first->shape();
  for (auto& v : in)
    if (v.is_tensor()) shape = broadcast(shape, v.tensor().shape());
  for (auto& v : in)
    if (v.is_tensor() && !(v.tensor().shape() == shape)) v = expand_to(v.tensor(), shape);
}

// Numbers alone make a 0-dimensional tensor, as in PyTorch: add(1, 2).
void make_one_a_tensor(const OpInfo& info, Inputs& in) {
  if (!promotes(info) || info.traits.promote_from != 0 || in.empty() || !in[0].is_scalar()) return;
  for (auto& v : in)
    if (v.is_tensor()) return;
  in[0] = Tensor::scalar(in[0].scalar(), result_type(in));
}

// The device of the ordinary call, whose inputs need no preparation: tensors of one device, and of one dtype and shape
// where that matters. Numbers change no float dtype. Null for any other call.
Device* uniform_device(const OpInfo& info, const Inputs& in) {
  if (in.empty() || !in[0].is_tensor() || info.traits.promote_from != 0) return nullptr;
  const Tensor& first = in[0].tensor();
  const bool promoted = promotes(info), floating = is_floating(first.dtype());
  if (info.traits.promote == Promote::floating && !floating) return nullptr;
  for (size_t i = 1; i < in.size(); ++i) {
    const Value& v = in[i];
    if (v.is_scalar() && promoted && !floating) return nullptr;
    if (!v.is_tensor()) {
      if (!v && !may_miss(info, i)) return nullptr;
      continue;
    }
    const Tensor& t = v.tensor();
    if (&t.device() != &first.device()) return nullptr;
    if (promoted && t.dtype() != first.dtype()) return nullptr;
    if (info.traits.broadcast && !(t.shape() == first.shape())) return nullptr;
  }
  return &first.device();
}

}  // namespace

void check_given(const OpInfo& info, const Inputs& in) {
  for (size_t i = 0; i < in.size(); ++i)
    if (!in[i] && !may_miss(info, i)) throw MissingInput(spec_of(info, i).name);
}

Device* prepare(const OpInfo& info, Inputs& in) {
  if (Device* dev = uniform_device(info, in)) return dev;
  check_given(info, in);
  make_one_a_tensor(info, in);
  Device* dev = common_device(info, in);
  if (promotes(info)) promote_inputs(info, in);
  // 0-dimensional CPU tensors go along, and their gradients come back
  const bool handed_on = hands_number_on(info);
  for (auto& v : in)
    if (v.is_tensor() && &v.tensor().device() != dev && !handed_on) v = basic::to_device(v.tensor(), *dev);
  if (info.traits.broadcast) broadcast_inputs(in);
  return dev;
}

Dtype result_type(const Inputs& in) {
  constexpr int none = -1;
  int dimmed = none, zero_dim = none, number = none;
  auto merge = [](int& into, Dtype d) { into = into == none ? int(d) : int(promote(Dtype(into), d)); };
  for (auto& v : in) {
    if (v.is_scalar())
      merge(number, v.dtype());
    else if (v.is_tensor())
      merge(v.dim() ? dimmed : zero_dim, v.dtype());
  }
  auto category = [](int d) { return d == none ? -1 : d == int(Dtype::boolean) ? 0 : is_floating(Dtype(d)) ? 2 : 1; };
  auto combine = [&](int strong, int weak) {
    if (weak == none || category(strong) >= category(weak)) return strong == none ? weak : strong;
    return strong == none ? weak : int(promote(Dtype(strong), Dtype(weak)));
  };
  // A weaker operand counts only where its category is higher, and then brings its own dtype (a float number: the
  // default).
  int d = combine(combine(dimmed, zero_dim), number);
  return d == none ? default_dtype() : Dtype(d);
}

}  // namespace luth
