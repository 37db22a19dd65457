// Copies, casts and fills on the CPU.
#include "core/ops/elementwise/copy.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/ops/common/expanded.h"
#include "devices/cpu/kernels/common/indices.h"
#include "devices/cpu/kernels/common/kernels.h"

namespace luth::cpu {
namespace {

/// Floats as int64 for processors without an instruction for it.
struct ToInt64 {
  int64_t operator()(auto x) const { return cast<int64_t>(x); }
  int64_t quick(auto x) const { return math::double_to_int(std::trunc(double(x))); }
  bool is_quick(auto x) const { return std::abs(x) < 0x1p51; }
};
template <class To, class From>
inline constexpr bool by_bits = (vector_bytes < 64) && is_float<From>&& std::is_same_v<To, int64_t>;
template <class To, class From>
using Conversion = std::conditional_t<by_bits<To, From>, ToInt64, Converts>;

template <class T>
void fill_all(Tensor& out, T value) {
  using Word = std::conditional_t<is_half<T>, uint16_t, T>;  // a loop over halves does not vectorise
  auto* p = reinterpret_cast<Word*>(out.data<T>());
  const Word word = std::bit_cast<Word>(value);
  parallel_for(out.numel(), grain_elements, [=](int64_t begin, int64_t end) { std::fill(p + begin, p + end, word); });
}

// out = in converted; any layouts.
void convert(Tensor& out, const Value& in) {
  if (in.is_scalar() && out.is_contiguous())
    return dispatch(AllTypes{}, out.dtype(), [&]<class T>(Type<T>) { fill_all(out, in.scalar().template to<T>()); });
  if (in.is_tensor() && in.dtype() == out.dtype()) {
    const Tensor& t = in.tensor();
    if (copy_small(out, t)) return;
    // Same dtype: only the width matters.
    switch (size_of(out.dtype())) {
      case 1: return elementwise_loop<uint8_t, uint8_t>(out, Converts(), in);
      case 2: return elementwise_loop<int16_t, int16_t>(out, Converts(), in);
      case 4: return elementwise_loop<int32_t, int32_t>(out, Converts(), in);
      default: return elementwise_loop<int64_t, int64_t>(out, Converts(), in);
    }
  }
  Dtype from = in.is_tensor() ? in.dtype() : out.dtype();
  dispatch(AllTypes{}, out.dtype(), [&]<class To>(Type<To>) {
    dispatch(AllTypes{}, from,
             [&]<class From>(Type<From>) { elementwise_loop<To, From>(out, Conversion<To, From>(), in); });
  });
}

void cast_kernel(const ops::Cast&, Tensor& y, const Value& x) { convert(y, x); }
void clone(const ops::Clone&, Tensor& y, const Value& x) { convert(y, x); }
void fill(const ops::Fill&, Tensor& y, const Value&, const Value& value) {
  if (value.is_scalar()) return convert(y, value);
  Tensor v = value.tensor().device().on_host() ? value.tensor() : Tensor::scalar(value.tensor().item(), value.dtype());
  convert(y, Tensor::alias(v.storage(), y.shape(), Strides(y.dim(), 0), v.offset(), v.dtype()));
}
void zero(const ops::Zero&, Tensor& y, const Value&) { convert(y, Scalar(0)); }
void copy(const ops::Copy& op, Tensor& y, const Value&, const Value& src) {
  if (src.is_scalar()) return convert(y, src);
  Tensor t = src.tensor();
  if (!t.device().on_host()) t = to_device(t, {&y.device(), op.non_blocking});
  convert(y, expanded(t, y.shape()));
}

const Kernel<cast_kernel> cast_;
const Kernel<clone> clone_;
const Kernel<fill> fill_;
const Kernel<zero> zero_;
const Kernel<copy> copy_;

}  // namespace
}  // namespace luth::cpu
