// vmap: a function of single samples, run once for all samples of a batch. Its tensors lie on a batched device
// (core/tensor/batched_device.h), for which the rules of rules.cpp are the kernels. Autograd records the operators of
// the function and, through the functions below, the borders of the batch.
#pragma once
#include "core/tensor/batched_device.h"

namespace luth::func {

/// A vmap that runs on this thread; they nest.
class VmapScope {
 public:
  /// Of `size` samples of tensors on `device`; within another scope, of tensors of that.
  VmapScope(Device& device, int64_t size, Randomness randomness);
  ~VmapScope();
  VmapScope(const VmapScope&) = delete;
  BatchedDevice& device() const { return device_; }
  /// The innermost one, or null.
  static VmapScope* current();

 private:
  BatchedDevice& device_;
  VmapScope* outer_;
};

/// Gives each operator of a general kind its rule, once all libraries are open: elementwise and random ones.
void define_rules();

/// The tensor whose samples lie along `dim` of `t`. Throws where that dim has another extent than `device` has samples.
Tensor add_batch_dim(const Tensor& t, int64_t dim, BatchedDevice& device);
/// The samples of `t` along a new dim `dim`; of a tensor outside of `device`, copies of it.
Tensor remove_batch_dim(const Tensor& t, int64_t dim, BatchedDevice& device);

}  // namespace luth::func
