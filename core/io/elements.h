// The elements of tensors as files have them: row-major, in memory that the CPU reads.
#pragma once
#include <optional>

#include "core/io/tree.h"

namespace luth::io {

/// How many times as large as its packed bytes an array may be: deflate packs at most 1032 to 1.
inline constexpr uint64_t most_packing = 1100;

/// Adds up what the tensors of a file take in memory: their elements, their names, and 512 bytes for each.
class TensorBudget {
 public:
  /// The caller's bound; 0: none. Names and the tensors themselves may take a mebibyte beside it.
  explicit TensorBudget(uint64_t max_bytes) : max_bytes_(max_bytes), left_(max_bytes + (uint64_t(1) << 20)) {}
  /// Throws ErrorCode::checkpoint with the path where the bound is exceeded.
  void spend(uint64_t elements, const std::string& name, const std::string& path);

 private:
  uint64_t max_bytes_, left_;
};

/// The bytes of an array of a file; nothing for a shape that no tensor has, as check_shape() says.
std::optional<uint64_t> array_bytes(const Shape& shape, Dtype d);
/// Equal for tensors that are the same memory in the same way, which files keep tied.
std::string identity(const Tensor& t);
/// The row-major elements of a tensor on any device with data; `kept` owns them where they had to be copied. Null for a
/// tensor without elements.
const void* host_elements(const Tensor& t, Tensor& kept);
/// A contiguous tensor on another device; the same tensor where `to` is null or its own device.
Tensor on_device(const Tensor& t, Device* to);
/// Makes the elements of a dense tensor of booleans 0 and 1: other bytes of a file are no bool in C++. Nothing happens
/// to other dtypes.
void settle_booleans(const Tensor& t);
/// Reverses the bytes of each of `n` elements of `size` bytes.
void swap_bytes(void* data, int64_t n, size_t size);

}  // namespace luth::io
