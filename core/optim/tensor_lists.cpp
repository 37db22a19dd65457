#include "core/optim/tensor_lists.h"

#include "core/autograd/autograd.h"
#include "core/op/basics.h"

namespace luth::optim {

void MultiTensor::head(const Tensor& param) {
  head_ = Tensor();
  head_ = laid_out(param, true);
  list_.push_back(head_);
}
void MultiTensor::add(const Tensor& t, bool written) { list_.push_back(laid_out(t, written)); }

// The layout is that of the head; a head with holes or overlaps becomes row-major.
Tensor MultiTensor::laid_out(const Tensor& t, bool written) {
  if (written) written_.push_back(t);
  bool fits = head_ ? t.strides() == head_.strides() && t.dtype() == head_.dtype() : is_dense(t.shape(), t.strides());
  if (fits) return t.detach();
  const Tensor& like = head_ ? head_ : t;
  Tensor copy = Tensor::empty(like.shape(), like.dtype(), like.device(), head_ ? &head_.strides() : nullptr);
  basic::copy_into(copy, t);
  if (written) copied_.push_back({t, copy});
  return copy;
}

void MultiTensor::run(const OpInfo& info, const void* op) {
  NoGrad no_grad;
  apply(info, op, std::move(list_));
  for (auto& [original, copy] : copied_) basic::copy_into(original, copy);
  for (auto& t : written_) t.storage()->written(&info);
  list_ = {};
  written_.clear();
  copied_.clear();
}

}  // namespace luth::optim
