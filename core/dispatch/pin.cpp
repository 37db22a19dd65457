#include "core/dispatch/pin.h"

#include <map>
#include <mutex>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"

namespace luth {
namespace {

struct Block {
  Device* device;
  char* data;
  size_t bytes;
};
std::mutex pinned_lock;
std::map<const char*, Block>&
blocks() {  // by first address; never destroyed: tensors in static variables may outlive it
  static auto& b = *new std::map<const char*, Block>;
  return b;
}

void release(void* data) {
  Block block;
  {
    std::lock_guard hold(pinned_lock);
    auto it = blocks().find(static_cast<char*>(data));
    if (it == blocks().end()) return;
    block = it->second;
    blocks().erase(it);
  }
  block.device->free_pinned(block.data, block.bytes);
}

}  // namespace

bool is_pinned(const void* p) {
  std::lock_guard hold(pinned_lock);
  auto it = blocks().upper_bound(static_cast<const char*>(p));
  if (it == blocks().begin()) return false;
  const Block& b = std::prev(it)->second;
  return static_cast<const char*>(p) < b.data + b.bytes;
}

Tensor empty_pinned(const Shape& shape, Dtype dtype, Device& device) {
  check_shape(shape, size_of(dtype));
  const size_t bytes = size_t(shape.numel()) * size_of(dtype);
  if (!bytes) return Tensor::empty(shape, dtype, host());
  auto* data = static_cast<char*>(device.allocate_pinned(bytes));
  {
    std::lock_guard hold(pinned_lock);
    blocks()[data] = {&device, data, bytes};
  }
  return Tensor::alias(make<Storage>(host(), data, bytes, release, data), shape, contiguous_strides(shape), 0, dtype);
}

Tensor pin_memory(const Tensor& t, Device& device) {
  if (!t.device().on_host())
    throw Error("pin_memory expects a tensor of the CPU, this one is on {}; pin it before it is moved",
                t.device().name());
  if (is_pinned(t.raw())) return t;
  NoGrad no_grad;
  return basic::copy_into(empty_pinned(t.shape(), t.dtype(), device), t);
}

}  // namespace luth
