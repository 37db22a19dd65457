// The reductions of the fake NCCL.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/base/dtype.h"
#include "devices/cuda/libraries/nccl_api.h"
#include "tests/fakecuda/nccl/hub.h"

namespace fakenccl {
namespace {

using luth::cuda::nccl::Op;
using NcclType = luth::cuda::nccl::Type;

template <class T>
using Wide = std::conditional_t<sizeof(T) == 2, float, T>;

template <class A>
A step(A a, A b, Op op) {
  if (op == Op::max) return std::max(a, b);
  if (op == Op::min) return std::min(a, b);
  if constexpr (std::is_integral_v<A>)  // wraps
    return op == Op::product ? A(uint64_t(a) * uint64_t(b)) : A(uint64_t(a) + uint64_t(b));
  else
    return op == Op::product ? a * b : a + b;
}

template <class T>
std::vector<char> combine_as(const std::vector<const std::vector<char>*>& parts, Op op, size_t count) {
  std::vector<char> out(count * sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    const auto element = [&](const std::vector<char>* part) {
      T x;
      std::memcpy(&x, part->data() + i * sizeof(T), sizeof(T));
      return Wide<T>(x);
    };
    Wide<T> sum = element(parts[0]);
    for (size_t r = 1; r < parts.size(); ++r) sum = step(sum, element(parts[r]), op);
    if (op == Op::avg) sum = sum / Wide<T>(parts.size());
    const T x = T(sum);
    std::memcpy(out.data() + i * sizeof(T), &x, sizeof(T));
  }
  return out;
}

}  // namespace

std::vector<char> combine(const std::vector<const std::vector<char>*>& parts, int type, int op, size_t count) {
  switch (NcclType(type)) {
    case NcclType::i8: return combine_as<int8_t>(parts, Op(op), count);
    case NcclType::u8: return combine_as<uint8_t>(parts, Op(op), count);
    case NcclType::i32: return combine_as<int32_t>(parts, Op(op), count);
    case NcclType::u32: return combine_as<uint32_t>(parts, Op(op), count);
    case NcclType::i64: return combine_as<int64_t>(parts, Op(op), count);
    case NcclType::u64: return combine_as<uint64_t>(parts, Op(op), count);
    case NcclType::f16: return combine_as<luth::half>(parts, Op(op), count);
    case NcclType::f32: return combine_as<float>(parts, Op(op), count);
    case NcclType::f64: return combine_as<double>(parts, Op(op), count);
    case NcclType::bf16: return combine_as<luth::bfloat16>(parts, Op(op), count);
  }
  return {};
}

}  // namespace fakenccl
