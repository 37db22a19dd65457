// Tensor: a handle to storage, shape, strides, offset, dtype and a slot for autograd.
#pragma once
#include <memory>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/scalar.h"
#include "core/base/shape.h"
#include "core/base/small.h"
#include "core/memory/free_list.h"
#include "core/tensor/storage.h"

namespace luth {

class Tensor;
class Node;
struct GradMeta;  // what autograd keeps with a tensor (core/autograd/autograd.h)
struct ViewOf;    // the base of a view and how to make it again (core/autograd/autograd.h)

enum class MemoryFormat : uint8_t { contiguous, channels_last, preserve };

struct TensorImpl final : Counted, FreeListed<TensorImpl, 0> {
  TensorImpl();
  ~TensorImpl();
  Ref<Storage> storage;
  Shape shape;
  Strides strides;
  int64_t offset = 0;  // in elements
  int64_t numel = 1;
  Dtype dtype = Dtype::f32;
  bool contiguous = true;
  bool parameter = false;          // an nn.Parameter: assigned to a field of a module, it is registered
  std::unique_ptr<GradMeta> meta;  // null for a tensor that autograd has nothing to do with
  std::unique_ptr<ViewOf> view;    // null for a tensor that is no view
};

// Out of line: tensors are released in more places than anything else.
template <>
void Ref<TensorImpl>::destroy(TensorImpl* p);

/// A reference to a tensor; copying it copies the reference. A default-made one is null and tests false.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> p) : p_(std::move(p)) {}
  /// A handle that does not count: it must forget() the tensor, which somebody else holds meanwhile.
  Tensor uncounted() const { return Tensor(Ref<TensorImpl>::uncounted(p_.get())); }
  void forget() { p_.forget(); }
  /// Uninitialised memory in row-major order, or with the given dense strides.
  static Tensor empty(const Shape& shape, Dtype dtype, Device& device, const Strides* strides = nullptr);
  /// Another view of the storage. No autograd: operators record, this does not.
  static Tensor alias(const Ref<Storage>& storage, const Shape& shape, const Strides& strides, int64_t offset,
                      Dtype dtype);
  /// A 0-dimensional CPU tensor.
  static Tensor scalar(const Scalar& v, Dtype dtype);
  /// A CPU tensor with a copy of `values`, row-major.
  template <class T>
  static Tensor from(const Shape& shape, const T* values);

  explicit operator bool() const { return bool(p_); }
  const Shape& shape() const { return p_->shape; }
  const Strides& strides() const { return p_->strides; }
  int64_t shape(int64_t dim) const { return p_->shape[wrap_dim(dim, p_->shape.size())]; }
  int dim() const { return p_->shape.size(); }
  int64_t numel() const { return p_->numel; }
  int64_t offset() const { return p_->offset; }
  Dtype dtype() const { return p_->dtype; }
  Device& device() const { return p_->storage->device(); }
  bool is_contiguous() const { return p_->contiguous; }
  bool is_channels_last() const { return luth::is_channels_last(p_->shape, p_->strides); }
  size_t bytes() const { return size_t(p_->numel) * size_of(p_->dtype); }
  const Ref<Storage>& storage() const { return p_->storage; }
  uint32_t version() const { return p_->storage->version(); }

  /// The first element; meaningful to the CPU only where device().on_host().
  void* raw() const { return static_cast<char*>(p_->storage->data()) + p_->offset * int64_t(size_of(p_->dtype)); }
  template <class T>
  T* data() const {
    return static_cast<T*>(raw());
  }
  /// The number in a tensor of one element; waits for the device. Throws for more elements.
  Scalar item() const;
  /// The same memory, without history.
  Tensor detach() const;
  bool same(const Tensor& o) const { return p_ == o.p_; }
  TensorImpl* impl() const { return p_.get(); }
  const Ref<TensorImpl>& ref() const { return p_; }

  // Autograd; see core/autograd/autograd.h for the rest.
  bool requires_grad() const { return (p_->meta || p_->view) && requires_grad_slow(); }
  /// Throws for a dtype without gradients, and when a tensor that is no leaf is to stop requiring one.
  const Tensor& set_requires_grad(bool on = true) const;
  bool is_leaf() const;
  Tensor grad() const;
  void set_grad(const Tensor& g) const;
  Ref<Node> grad_fn() const;
  /// "PowBackward0"; "" for a leaf.
  std::string grad_fn_name() const;
  /// Accumulates d this / d leaf into every leaf's grad. `gradient` may be null for one element (then 1).
  void backward(const Tensor& gradient = {}, bool retain_graph = false, bool create_graph = false) const;

  /// Points this handle's tensor at other memory (`set_`); all holders of the handle see it.
  void set_storage(const Ref<Storage>& storage, const Shape& shape, const Strides& strides, int64_t offset) const;
  /// Changes the shape in place, growing the storage when needed (`resize_`); bytes beyond the storage of before are 0.
  void resize(const Shape& shape) const;

 private:
  bool requires_grad_slow() const;
  Ref<TensorImpl> p_;
};

using Tensors = Small<Tensor, 4>;
extern template class Small<Tensor, 4>;  // compiled once, in the core

/// "float32[2, 3]", "cuda:0 float32[2, 3]", "nil"
std::string describe(const Tensor& t);

template <class T>
Tensor Tensor::from(const Shape& shape, const T* values) {
  Tensor t = empty(shape, dtype_of<T>, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<T>()[i] = values[i];
  return t;
}

}  // namespace luth
