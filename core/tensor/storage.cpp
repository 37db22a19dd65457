#include "core/tensor/storage.h"

#include <algorithm>
#include <utility>

namespace luth {
namespace {

thread_local bool inference = false;

void* allocate(Device& device, size_t bytes, Stream* stream) {
  if (!bytes) return nullptr;
  try {
    return device.allocate(bytes, stream);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::memory) throw;
  }
  relieve_memory_pressure();
  device.empty_cache();
  return device.allocate(bytes, stream);
}

}  // namespace

bool inference_mode() { return inference; }
bool set_inference_mode(bool on) { return std::exchange(inference, on); }
void check_writable(const Storage& s) {
  if (is_inference(s) && !inference)
    throw Error(
        "an inference tensor cannot be written outside of torch.inference_mode(); clone() gives an ordinary one");
}

Storage::Storage(Device& device, size_t bytes)
    : device_(&device), stream_(device.current_stream()), data_(allocate(device, bytes, stream_)), bytes_(bytes) {
  if (inference) version_ = inference_version;
}
Storage::Storage(Device& device, void* data, size_t bytes, void (*release)(void*), void* owner)
    : device_(&device), data_(data), bytes_(bytes), release_(release), owner_(owner) {
  if (inference) version_ = inference_version;
}

Storage::~Storage() {
  if (release_)
    release_(owner_);
  else if (data_)
    device_->free(data_, bytes_, stream_);
}

void Storage::resize(size_t bytes) {
  refuse_while_relieving();
  if (release_) throw Error("cannot resize memory that luth does not own; clone the tensor first");
  // the copy runs in the current stream, which need not be the one that the old memory is given back to
  Stream* now = device_->current_stream();
  void* fresh = allocate(*device_, bytes, now);
  size_t keep = std::min(bytes, bytes_);
  copy_bytes(fresh, *device_, data_, *device_, keep);
  if (bytes > keep && device_->has_data()) device_->fill_zero(static_cast<char*>(fresh) + keep, bytes - keep);
  if (data_ && now != stream_) device_->record_stream(data_, now);
  if (data_) device_->free(data_, bytes_, stream_);
  stream_ = now;
  data_ = fresh;
  bytes_ = bytes;
}

}  // namespace luth
