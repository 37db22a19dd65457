#include "core/tensor/batched_device.h"

#include <mutex>

namespace luth {
namespace {

// What `data()` of a storage on a batched device points to: where the samples lie. No memory: nothing was written yet.
struct SampleMemory {
  size_t bytes;  // of one sample
  Ref<Storage> memory{};
  int64_t stride = 0, offset = 0;  // from sample to sample, and of the first one; in bytes
  bool shared = false;             // with a tensor that of_samples was given
};

SampleMemory& samples_in(const Storage& s) { return *static_cast<SampleMemory*>(s.data()); }

BatchedDevice& device_of(const Tensor& t) { return static_cast<BatchedDevice&>(t.device()); }

Ref<Storage>& memory_of(SampleMemory& s, const BatchedDevice& d) {
  if (!s.memory) {
    s.memory = Ref<Storage>(new Storage(d.inner(), s.bytes * size_t(d.size())));
    s.stride = int64_t(s.bytes);
  }
  return s.memory;
}

Shape with_samples(const Shape& shape, int64_t size) {
  Shape all{size};
  for (int64_t n : shape) all.push_back(n);
  return all;
}

}  // namespace

bool BatchedDevice::encloses(const Device& d) const {
  if (&d == &inner_) return true;
  const BatchedDevice* within = as_batched(inner_);
  return within && within->encloses(d);
}

void* BatchedDevice::allocate(size_t bytes, Stream*) { return new SampleMemory{bytes}; }
void BatchedDevice::free(void* p, size_t, Stream*) noexcept { delete static_cast<SampleMemory*>(p); }
void BatchedDevice::copy(void* dst, Device& to, const void* src, Device& from, size_t bytes, bool) {
  if (&to != this || as_batched(from))
    throw Error(
        "a tensor within vmap has another value in each sample, so that none can be read or written into a tensor from "
        "outside, and no branch can depend on it; torch.where chooses by element, and x:new_zeros() makes a tensor to "
        "write to");
  auto& s = *static_cast<SampleMemory*>(dst);  // the same for all samples
  s.memory = Ref<Storage>(new Storage(inner_, bytes));
  copy_bytes(s.memory->data(), inner_, src, from, bytes);
}
void BatchedDevice::fill_zero(void* dst, size_t) {
  auto& s = *static_cast<SampleMemory*>(dst);
  Storage& memory = *memory_of(s, *this);
  inner_.fill_zero(memory.data(), memory.bytes());
}

BatchedDevice*& current_batch() {
  static thread_local BatchedDevice* current = nullptr;
  return current;
}

BatchedDevice* as_batched(Device& d) { return dynamic_cast<BatchedDevice*>(&d); }

BatchedDevice& batched_device(Device& inner, int64_t size, Randomness randomness) {
  static std::mutex lock;
  static auto& all = *new std::vector<BatchedDevice*>;
  std::lock_guard hold(lock);
  for (auto* d : all)
    if (&d->inner() == &inner && d->size() == size && d->randomness() == randomness) return *d;
  all.push_back(new BatchedDevice(inner, size, randomness, int(all.size())));
  add_device(all.back());  // so that its name, which x.device gives, is one
  return *all.back();
}

Tensor samples_of(const Tensor& t) {
  BatchedDevice& d = device_of(t);
  const Shape shape = with_samples(t.shape(), d.size());
  if (!t.storage()->bytes()) return Tensor::empty(shape, t.dtype(), d.inner());
  SampleMemory& s = samples_in(*t.storage());
  const Ref<Storage>& memory = memory_of(s, d);
  const auto element = int64_t(size_of(t.dtype()));
  if (s.stride % element || s.offset % element)
    throw Error("a view as {} does not fit vmap's samples", name(t.dtype()));
  Strides strides{s.stride / element};
  for (int64_t n : t.strides()) strides.push_back(n);
  return Tensor::alias(memory, shape, strides, s.offset / element + t.offset(), t.dtype());
}

Tensor of_samples(const Tensor& samples, BatchedDevice& device) {
  Shape shape;
  Strides strides;
  for (int i = 1; i < samples.dim(); ++i) {
    shape.push_back(samples.shape(i));
    strides.push_back(samples.strides()[i]);
  }
  const auto element = int64_t(size_of(samples.dtype()));
  const size_t bytes = size_t(reach(shape, strides, 0) * element);
  Ref<Storage> storage(new Storage(device, bytes));
  if (bytes) {
    SampleMemory& s = samples_in(*storage);
    s.memory = samples.storage();
    s.stride = samples.strides()[0] * element;
    s.offset = samples.offset() * element;
    s.shared = true;
  }
  return Tensor::alias(storage, shape, strides, 0, samples.dtype());
}

bool shares_samples(const Tensor& t) { return t.storage()->bytes() && samples_in(*t.storage()).shared; }

void set_samples(const Tensor& t, const Tensor& samples, void (*copy)(const Tensor& to, const Tensor& from)) {
  if (!t.storage()->bytes()) return;
  SampleMemory& s = samples_in(*t.storage());
  Strides inner;
  for (int i = 1; i < samples.dim(); ++i) inner.push_back(samples.strides()[i]);
  if (s.memory || t.offset() != 0 || !(inner == t.strides()) || samples.dtype() != t.dtype())
    return copy(samples_of(t), samples);
  const auto element = int64_t(size_of(t.dtype()));
  s.memory = samples.storage();
  s.stride = samples.strides()[0] * element;
  s.offset = samples.offset() * element;
}

}  // namespace luth
