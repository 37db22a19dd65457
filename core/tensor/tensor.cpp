#include "core/tensor/tensor.h"

namespace luth {

template class Small<Tensor, 4>;

Tensor Tensor::empty(const Shape& shape, Dtype dtype, Device& device, const Strides* strides) {
  const int64_t numel = check_shape(shape, size_of(dtype));
  Ref<TensorImpl> p = make<TensorImpl>();
  p->shape = shape;
  p->numel = numel;
  p->dtype = dtype;
  if (strides) {
    p->strides = *strides;
    p->contiguous = luth::is_contiguous(shape, *strides);
  } else {
    set_contiguous_strides(p->strides, shape);
  }
  p->storage = make<Storage>(device, size_t(numel) * size_of(dtype));
  return Tensor(std::move(p));
}

Tensor Tensor::alias(const Ref<Storage>& storage, const Shape& shape, const Strides& strides, int64_t offset,
                     Dtype dtype) {
  Ref<TensorImpl> p = make<TensorImpl>();
  p->storage = storage;
  p->shape = shape;
  p->strides = strides;
  p->offset = storage->bytes() ? offset : 0;  // nothing is addressed by null and an offset
  p->numel = shape.numel();
  p->dtype = dtype;
  p->contiguous = luth::is_contiguous(shape, strides);
  return Tensor(std::move(p));
}

Tensor Tensor::scalar(const Scalar& v, Dtype dtype) {
  Tensor t = empty({}, dtype, host());
  dispatch(AllTypes{}, dtype, [&]<class T>(Type<T>) { *t.data<T>() = v.to<T>(); });
  return t;
}

Scalar Tensor::item() const {
  if (numel() != 1)
    throw Error("item() needs a tensor of one element, this one has shape {}; use tolist() for all",
                to_string(shape()));
  alignas(8) char bytes[8];
  const void* p = raw();
  if (!device().on_host()) {
    if (!device().has_data())
      throw Error("item() has no value on the {} device, whose tensors have no data", device().kind());
    copy_bytes(bytes, host(), p, device(), size_of(dtype()));
    p = bytes;
  }
  Scalar v;
  dispatch(AllTypes{}, dtype(), [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, bool>)
      v = Scalar(*static_cast<const bool*>(p));
    else if constexpr (is_float<T>)
      v = Scalar(cast<double>(*static_cast<const T*>(p)));
    else
      v = Scalar(int64_t(*static_cast<const T*>(p)));
  });
  return v;
}

Tensor Tensor::detach() const { return alias(storage(), shape(), strides(), offset(), dtype()); }

void Tensor::set_storage(const Ref<Storage>& storage, const Shape& shape, const Strides& strides,
                         int64_t offset) const {
  refuse_while_relieving();
  check_shape(shape, size_of(dtype()));
  if (shape.size() != strides.size())
    throw Error("{} strides for {} dims: {} and {}", strides.size(), shape.size(), to_string(strides),
                to_string(shape));
  const auto elements = int64_t(storage->bytes() / size_of(dtype()));
  if (const int64_t end = reach(shape, strides, offset); shape.numel() > 0 && end > elements)
    throw Error("shape {} with strides {} and offset {} reaches beyond a storage of {} elements", to_string(shape),
                to_string(strides), offset, elements);
  p_->storage = storage;
  p_->shape = shape;
  p_->strides = strides;
  p_->offset = offset;
  p_->numel = shape.numel();
  p_->contiguous = luth::is_contiguous(shape, strides);
}

void Tensor::resize(const Shape& shape) const {
  if (shape == this->shape()) return;  // strides stay, as in PyTorch
  check_shape(shape, size_of(dtype()));
  size_t need = size_t(offset() + shape.numel()) * size_of(dtype());
  if (need > storage()->bytes()) storage()->resize(need);
  set_storage(storage(), shape, contiguous_strides(shape), offset());
}

std::string describe(const Tensor& t) {
  if (!t) return "nil";
  std::string where = t.device().kind() == "cpu" ? "" : t.device().name() + " ";
  return where + std::string(name(t.dtype())) + to_string(t.shape());
}

}  // namespace luth
