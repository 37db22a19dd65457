#include "core/dispatch/write_out.h"

#include "core/base/warn.h"
#include "core/op/basics.h"

namespace luth {
namespace {

// PyTorch's rule for results that are given: float results do not go into integers, nor anything but bool into bool.
void check_castable(Dtype from, Dtype to) {
  auto rank = [](Dtype d) { return d == Dtype::boolean ? 0 : is_floating(d) ? 2 : 1; };
  if (rank(from) > rank(to)) throw Error("the result is {} and cannot be written into {}", name(from), name(to));
}

// PyTorch's rule: what computes element by element or sums converts its results, the others want the dtype that they
// give.
void check_out_dtype(const OpInfo& info, const Inputs& in, Dtype result, Dtype out) {
  const bool positions =
      is_integral(result) && result != Dtype::boolean && !in.empty() && in[0].is_tensor() && is_floating(in[0].dtype());
  const bool converts = info.traits.elementwise || !info.infer || info.inputs.empty() || info.traits.casts_out;
  if (out == result || (converts && !positions)) return check_castable(result, out);
  throw Error("out= has dtype {} and the result {}; give it a tensor of {}", name(out), name(result), name(result));
}

void check_result(const OpInfo& info, const Inputs& in, const Tensor& result, const Tensor& out) {
  if (&out.device() != &result.device())
    throw Error("all tensors must be on one device, but out= is on {} and the result on {}; give out= a tensor there",
                out.device().name(), result.device().name());
  check_out_dtype(info, in, result.dtype(), out.dtype());
  for (auto& v : in)
    if (v.is_tensor() && !(out.shape() == result.shape()) && v.tensor().storage() == out.storage())
      throw Error("out= of shape {} would become {}, and shares memory with an input; give it a tensor of its own",
                  to_string(out.shape()), to_string(result.shape()));
}

void give_shape_of(const OpInfo& info, const Tensor& result, const Tensor& out) {
  if (out.shape() == result.shape()) return;
  if (out.numel() > 0)
    warn(fmt::format("{}: out= of shape {} becomes {}, and loses what it held: give it this shape, or no elements",
                     info.lua_name, to_string(out.shape()), to_string(result.shape())));
  out.resize(result.shape());
}

}  // namespace

Tensor write_back(const Tensor& self, const Tensor& result) {
  check_castable(result.dtype(), self.dtype());
  if (!(result.shape() == self.shape()))
    throw Error("the result has shape {} and does not fit into {}", to_string(result.shape()), to_string(self.shape()));
  return basic::copy_into(self, result);
}

void write_out(const Call& call, const Tensors& out) {
  const OpInfo& info = *call.info;
  const Tensors& results = call.out;
  if (results.size() != out.size()) throw Error("out= expects {} tensors, got {}", results.size(), out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (!results[i]) throw Error("has no result {} with these arguments, so that it takes no out=", info.outputs[i]);
    check_result(info, call.in, results[i], out[i]);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    give_shape_of(info, results[i], out[i]);
    write_back(out[i], results[i]);
  }
}

}  // namespace luth
