#include "core/tensor.h"
namespace luth {
Tensor cast_to(const Tensor& t, Dtype) { return t; }
Tensor expand_to(const Tensor& t, const Shape&) { return t; }
}
