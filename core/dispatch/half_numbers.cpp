#include "core/dispatch/half_numbers.h"

#include "core/autograd/autograd.h"

namespace luth {

bool keep_number(const OpInfo& info, Dtype d, Inputs& in) {
  if (!is_half_float(d) || !(info.traits.exact_numbers & 0b10)) return false;
  if (!in[0].is_tensor() || in[0].dtype() != d || !in[1].is_tensor() || in[1].dim() > 0) return false;
  const Tensor& t = in[1].tensor();
  if (t.dtype() == d || !t.device().on_host()) return false;
  if (in[0].tensor().device().on_host())
    in[1] = cast_to(t, Dtype::f32);
  else if (!t.requires_grad() || !grad_enabled())
    in[1] = t.item();
  else
    return false;
  return true;
}

uint32_t numbers_beside_half(const Call& call) {
  uint32_t numbers = 0;
  for (size_t i = 0; i < call.in.size(); ++i) {
    const Value& v = call.in[i];
    if (v.is_scalar())
      numbers |= ~call.info->traits.exact_numbers & 1u << i;
    else if (v.is_tensor() && i == 1 && !is_half_float(v.dtype()))
      numbers |= call.info->traits.exact_numbers & 0b10;  // kept
  }
  return numbers;
}

Call with_half_numbers(const Call& call, uint32_t numbers) {
  Call rounded = call;
  Dtype d = Dtype::f32;
  for (auto& v : call.in)
    if (v.is_tensor() && is_half_float(v.dtype())) d = v.dtype();
  for (size_t i = 0; i < call.in.size(); ++i) {
    if (!(numbers >> i & 1)) continue;
    const Value& v = call.in[i];
    rounded.in[i] = v.is_scalar() ? rounded_to(d, v.scalar()) : Scalar(double(*v.tensor().data<float>()));
  }
  return rounded;
}

}  // namespace luth
