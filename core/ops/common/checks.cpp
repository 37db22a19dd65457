#include "core/ops/common/checks.h"

namespace luth::ops {

void check_floating(const Value& v, std::string_view what) {
  if (!is_floating(v.dtype()))
    throw Error("{} must be of a floating dtype, but is {}; convert it first, e.g. with :float()", what,
                name(v.dtype()));
}

void check_not_bool(Dtype d) {
  if (d == Dtype::boolean) throw Error("not implemented for bool; convert first, e.g. with :to(torch.uint8)");
}

void check_parts(int64_t parts) {
  constexpr int64_t most = 1'000'000;
  if (parts > most) throw Error("{} parts are too many; a tensor can be split into at most {}", parts, most);
}

Dtype wide(Dtype d) { return d == Dtype::f64 ? d : Dtype::f32; }

}  // namespace luth::ops
