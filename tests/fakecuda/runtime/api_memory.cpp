// The API: memory and copies.
//
// As in CUDA, an asynchronous copy from pageable memory has read it when the call returns; one to pageable memory waits
// until it is done; with pinned memory and between devices, it runs with its stream. A synchronous copy waits, except
// from device to device.
#include <cstdlib>
#include <cstring>

#include "tests/fakecuda/runtime/engine.h"

using namespace fake;

namespace {

// Where one end of a copy lies.
struct Place {
  int device = -1;  // -1: the host
  bool pinned = false;
  bool fits = true;  // the whole range is in one allocation
  bool on_device() const { return device >= 0; }
};

Place place_of(Engine& e, const void* address, size_t bytes) {
  Place p;
  p.device = e.memory.device_of(address);
  if (p.on_device()) {
    const Allocation* a = e.memory.find(address);
    p.fits = a && uintptr_t(address) + bytes <= a->start + a->bytes;
  } else if (const Pinned* block = e.pinned(address)) {
    p.pinned = true;
    p.fits = block != nullptr;
  }
  return p;
}

bool right_direction(cudaMemcpyKind kind, bool from_device, bool to_device) {
  switch (kind) {
    case cudaMemcpyHostToHost: return !from_device && !to_device;
    case cudaMemcpyHostToDevice: return !from_device && to_device;
    case cudaMemcpyDeviceToHost: return from_device && !to_device;
    case cudaMemcpyDeviceToDevice: return from_device && to_device;
    case cudaMemcpyDefault: return true;
  }
  return false;
}

uint32_t mask(const Place& p) { return p.on_device() ? 1u << p.device : 0; }

cudaError_t copy(Engine& e, Lock& lock, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t handle, bool asynchronous) {
  Stream stream = e.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return cudaErrorInvalidValue;
  Place source = place_of(e, from, bytes), target = place_of(e, to, bytes);
  if (!source.fits || !target.fits) return cudaErrorInvalidValue;
  if (!right_direction(kind, source.on_device(), target.on_device())) return cudaErrorInvalidMemcpyDirection;
  ++e.counters.copies;
  e.counters.copied_bytes += bytes;
  Entry entry;
  entry.memory = mask(source) | mask(target);
  bool pageable_source = !source.on_device() && !source.pinned, pageable_target = !target.on_device() && !target.pinned;
  if (pageable_source && asynchronous && !pageable_target && !e.machine.late_reads) {
    auto bytes_now = static_cast<const char*>(from);
    entry.run = [to, staged = std::vector<char>(bytes_now, bytes_now + bytes)] {
      std::memcpy(to, staged.data(), staged.size());
      return Failure();
    };
  } else {
    entry.run = [to, from, bytes] {
      std::memmove(to, from, bytes);
      return Failure();
    };
  }
  e.submit(lock, stream, std::move(entry));
  uint64_t number = stream->queued;
  bool waits = asynchronous ? pageable_target : !(source.on_device() && target.on_device());
  if (waits) e.wait(lock, [&] { return e.stream_done(*stream, number); });
  return cudaSuccess;
}

cudaError_t set(Engine& e, Lock& lock, void* to, int byte, size_t bytes, cudaStream_t handle) {
  Stream stream = e.stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  Place target = place_of(e, to, bytes);
  if (!target.fits || (!target.on_device() && !target.pinned)) return cudaErrorInvalidValue;
  ++e.counters.memsets;
  Entry entry;
  entry.memory = mask(target);
  entry.run = [to, byte, bytes] {
    std::memset(to, byte, bytes);
    return Failure();
  };
  e.submit(lock, stream, std::move(entry));
  return cudaSuccess;
}

void wait_for_all(Engine& e, Lock& lock) {
  for (int d = 0; d < int(e.devices.size()); ++d) e.wait_for_device(lock, d);
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call("cudaMalloc", Needs::health, [&](Engine& e, Lock&) {
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    int index = thread_state().device;
    Device& device = e.devices[size_t(index)];
    if (bytes > device.limit || device.used > device.limit - bytes) return cudaErrorMemoryAllocation;
    *pointer = e.memory.allocate(index, bytes, e.machine.guards);
    if (!*pointer) return cudaErrorMemoryAllocation;
    device.used += bytes;
    ++e.counters.allocations;
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* pointer) {
  return call("cudaFree", Needs::health, [&](Engine& e, Lock& lock) {
    if (!pointer) return cudaSuccess;
    int device = e.memory.device_of(pointer);
    const Allocation* a = e.memory.find(pointer);
    if (!a || a->start != uintptr_t(pointer)) return cudaErrorInvalidValue;
    e.wait_for_device(lock, device);
    e.devices[size_t(device)].used -= a->bytes;
    e.memory.free(pointer);
    ++e.counters.frees;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call("cudaMemGetInfo", Needs::health, [&](Engine& e, Lock&) {
    const Device& device = e.devices[size_t(thread_state().device)];
    *total = device.limit;
    *free = device.limit - std::min(device.limit, device.used);
    return cudaSuccess;
  });
}

// ---- pinned memory ----

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return call("cudaHostAlloc", Needs::health, [&](Engine& e, Lock&) {
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!*pointer) return cudaErrorMemoryAllocation;
    std::memset(*pointer, 0xff, bytes);
    e.pinned_blocks[uintptr_t(*pointer)] = {bytes, false};
    return cudaSuccess;
  });
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault); }

cudaError_t cudaFreeHost(void* pointer) {
  return call("cudaFreeHost", Needs::health, [&](Engine& e, Lock& lock) {
    if (!pointer) return cudaSuccess;
    auto found = e.pinned_blocks.find(uintptr_t(pointer));
    if (found == e.pinned_blocks.end() || found->second.registered) return cudaErrorInvalidValue;
    wait_for_all(e, lock);
    e.pinned_blocks.erase(uintptr_t(pointer));
    std::free(pointer);
    return cudaSuccess;
  });
}
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  return call("cudaHostRegister", Needs::health, [&](Engine& e, Lock&) {
    if (!pointer || bytes == 0) return cudaErrorInvalidValue;
    if (e.pinned(pointer)) return cudaErrorHostMemoryAlreadyRegistered;
    e.pinned_blocks[uintptr_t(pointer)] = {bytes, true};
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return call("cudaHostUnregister", Needs::health, [&](Engine& e, Lock& lock) {
    auto found = e.pinned_blocks.find(uintptr_t(pointer));
    if (found == e.pinned_blocks.end() || !found->second.registered) return cudaErrorHostMemoryNotRegistered;
    wait_for_all(e, lock);
    e.pinned_blocks.erase(uintptr_t(pointer));
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call("cudaPointerGetAttributes", Needs::health, [&](Engine& e, Lock&) {
    void* address = const_cast<void*>(pointer);
    if (int device = e.memory.device_of(pointer); device >= 0 && e.memory.find(pointer))
      *attributes = {cudaMemoryTypeDevice, device, address, nullptr};
    else if (e.pinned(pointer))
      *attributes = {cudaMemoryTypeHost, thread_state().device, address, address};
    else
      *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, address};
    return cudaSuccess;
  });
}

// ---- copies ----

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call("cudaMemcpy", Needs::health,
              [&](Engine& e, Lock& lock) { return copy(e, lock, to, from, bytes, kind, nullptr, false); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpyAsync", Needs::health,
              [&](Engine& e, Lock& lock) { return copy(e, lock, to, from, bytes, kind, stream, true); });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  return call("cudaMemcpyPeerAsync", Needs::health, [&](Engine& e, Lock& lock) {
    int count = int(e.devices.size());
    if (to_device < 0 || to_device >= count || from_device < 0 || from_device >= count) return cudaErrorInvalidDevice;
    if (bytes && (e.memory.device_of(to) != to_device || e.memory.device_of(from) != from_device))
      return cudaErrorInvalidValue;
    return copy(e, lock, to, from, bytes, cudaMemcpyDeviceToDevice, stream, true);
  });
}
cudaError_t cudaMemset(void* to, int byte, size_t bytes) {
  return call("cudaMemset", Needs::health,
              [&](Engine& e, Lock& lock) { return set(e, lock, to, byte, bytes, nullptr); });
}
cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream) {
  return call("cudaMemsetAsync", Needs::health,
              [&](Engine& e, Lock& lock) { return set(e, lock, to, byte, bytes, stream); });
}
