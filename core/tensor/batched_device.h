// Batched devices: vmap's tensors live on them. A tensor there stands for `size` tensors of its shape, the samples, on
// an inner device. Its strides and its offset are those of each sample, so that views need no rule.
#pragma once
#include "core/tensor/tensor.h"

namespace luth {

/// Random operators within vmap: an error, other numbers in each sample, or the same ones in all.
enum class Randomness { error, different, same };

class BatchedDevice final : public Device {
 public:
  static constexpr const char* kind_name = "vmap";
  BatchedDevice(Device& inner, int64_t size, Randomness randomness, int index)
      : Device(kind_name, index), inner_(inner), size_(size), randomness_(randomness) {}

  Device& inner() const { return inner_; }
  int64_t size() const { return size_; }
  Randomness randomness() const { return randomness_; }
  /// Whether `d` is the inner device, or within it.
  bool encloses(const Device& d) const;

  void* allocate(size_t bytes, Stream* stream) override;
  void free(void* p, size_t bytes, Stream* stream) noexcept override;
  /// Into a tensor that was just made: all samples become the same. Throws for one to read, whose samples differ.
  void copy(void* dst, Device& to, const void* src, Device& from, size_t bytes, bool async) override;
  void fill_zero(void* dst, size_t bytes) override;

 private:
  Device& inner_;
  int64_t size_;
  Randomness randomness_;
};

/// Null for a device that is not batched.
BatchedDevice* as_batched(Device& d);
/// The one with these properties; made where there is none, kept to the end of the process.
BatchedDevice& batched_device(Device& inner, int64_t size, Randomness randomness);

/// The device of the innermost vmap that runs on this thread, or null.
BatchedDevice*& current_batch();

/// The samples of `t`, which lies on a batched device, as a tensor [size, …] on the inner one. It shares the memory.
Tensor samples_of(const Tensor& t);
/// A tensor on `device` whose samples are those of `samples`, [size, …] on the inner device. It shares the memory.
Tensor of_samples(const Tensor& samples, BatchedDevice& device);
/// Whether `t`, which lies on a batched device, shares the memory of a tensor that of_samples was given.
bool shares_samples(const Tensor& t);
/// Gives `t`, which was just made, these samples: by their memory where the layout fits, else by a copy.
/// `copy(to, from)` writes one tensor into another.
void set_samples(const Tensor& t, const Tensor& samples, void (*copy)(const Tensor& to, const Tensor& from));

}  // namespace luth
