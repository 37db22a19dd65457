#include "core/io/elements.h"

#include <algorithm>
#include <cstring>

namespace luth::io {
namespace {

// The elements in row-major order, copied with their strides from `from`, the address of the first.
void pack_strided(const Tensor& t, const char* from, char* to) {
  const int n = t.dim();
  const size_t size = size_of(t.dtype());
  Shape at(static_cast<size_t>(n));
  const int64_t length = n ? t.shape()[n - 1] : 1, step = n ? t.strides()[n - 1] * int64_t(size) : 0;
  for (int64_t row = 0, rows = length ? t.numel() / length : 0; row < rows; ++row) {
    const char* p = from;
    for (int d = 0; d + 1 < n; ++d) p += at[d] * t.strides()[d] * int64_t(size);
    for (int64_t i = 0; i < length; ++i, p += step, to += size) std::memcpy(to, p, size);
    for (int d = n - 2; d >= 0 && ++at[d] == t.shape()[d]; --d) at[d] = 0;
  }
}

}  // namespace

void TensorBudget::spend(uint64_t elements, const std::string& name, const std::string& path) {
  if (!max_bytes_) return;
  const uint64_t beside = name.size() + 512;
  if (elements > left_ || beside > left_ - elements)
    throw Error(ErrorCode::checkpoint, "cannot use '{}': its tensors take more memory than max_bytes = {}", path,
                max_bytes_);
  left_ -= elements + beside;
}

std::optional<uint64_t> array_bytes(const Shape& shape, Dtype d) {
  int64_t size = int64_t(size_of(d));
  for (int64_t n : shape)
    if (n < 0 || __builtin_mul_overflow(size, std::max<int64_t>(n, 1), &size) || size > int64_t(1) << 62)
      return std::nullopt;
  return uint64_t(shape.numel()) * size_of(d);
}

std::string identity(const Tensor& t) {
  return fmt::format("{} {} {} {} {}", static_cast<const void*>(t.storage().get()), t.offset(), to_string(t.shape()),
                     to_string(t.strides()), name(t.dtype()));
}

const void* host_elements(const Tensor& t, Tensor& kept) {
  if (!t.numel() || (t.is_contiguous() && t.device().on_host())) return t.numel() ? t.raw() : nullptr;
  Device& from = t.device();
  Tensor near;
  const void* first = t.raw();
  if (!from.on_host()) {
    near = Tensor::empty({reach(t.shape(), t.strides(), 0)}, t.dtype(), host());
    copy_bytes(near.raw(), host(), first, from, near.bytes());
    first = near.raw();
  }
  kept = near;
  if (t.is_contiguous()) return first;
  kept = Tensor::empty(t.shape(), t.dtype(), host());
  pack_strided(t, static_cast<const char*>(first), static_cast<char*>(kept.raw()));
  return kept.raw();
}

Tensor on_device(const Tensor& t, Device* to) {
  if (!to || to == &t.device()) return t;
  Tensor there = Tensor::empty(t.shape(), t.dtype(), *to);
  if (to->has_data()) copy_bytes(there.raw(), *to, t.raw(), t.device(), t.bytes());
  return there;
}

void settle_booleans(const Tensor& t) {
  if (t.dtype() != Dtype::boolean) return;
  auto* p = static_cast<unsigned char*>(t.raw());
  for (int64_t i = 0, n = t.numel(); i < n; ++i) p[i] = p[i] != 0;
}

void swap_bytes(void* data, int64_t n, size_t size) {
  auto* p = static_cast<char*>(data);
  for (int64_t i = 0; size > 1 && i < n; ++i, p += size) std::reverse(p, p + size);
}

}  // namespace luth::io
