#include "core/ops/common/checks.h"

namespace luth::ops {

void check_floating(const Value& v, std::string_view what) {
  if (!is_floating(v.dtype()))
    throw Error("{} must be of a floating dtype, but is {}; convert it first, e.g. with :float()", what,
                name(v.dtype()));
}

void check_same_dtype(const char* a, const Value& x, const char* b, const Value& y) {
  if (x.dtype() != y.dtype())
    throw Error("{} is {} and {} {}; they must have one dtype", a, name(x.dtype()), b, name(y.dtype()));
}

Spec same_as(const Value& input) {
  Spec s{input.shape(), input.dtype()};
  if (is_dense(s.shape, input.tensor().strides())) s.strides = input.tensor().strides();
  return s;
}

Specs elements_and_positions(const Value& input, int64_t dim) {
  wrap_dim(dim, input.dim());
  return {Spec{input.shape(), input.dtype()}, Spec{input.shape(), Dtype::i64}};
}

void check_not_bool(Dtype d) {
  if (d == Dtype::boolean) throw Error("not implemented for bool; convert first, e.g. with :to(torch.uint8)");
}

void check_parts(int64_t parts) {
  constexpr int64_t most = 1'000'000;
  if (parts > most) throw Error("{} parts are too many; a tensor can be split into at most {}", parts, most);
}

bool is_readable(const Tensor& x) { return x.device().on_host() && x.device().has_data() && x.numel() > 0; }

Dtype wide(Dtype d) { return d == Dtype::f64 ? d : Dtype::f32; }

}  // namespace luth::ops
