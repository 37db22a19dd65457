// The bytes behind tensors: on one device, shared by views, with a version that counts writes.
#pragma once
#include "core/base/ref_count.h"
#include "core/device/device.h"
#include "core/memory/free_list.h"

namespace luth {

struct OpInfo;

/// `bytes` bytes of `device`'s memory. Views share one Storage, and with it its version.
class Storage final : public Counted, public FreeListed<Storage, 1> {
 public:
  Storage(Device& device, size_t bytes);
  /// Memory of somebody else, which `release(owner)` gives back.
  Storage(Device& device, void* data, size_t bytes, void (*release)(void*), void* owner);
  ~Storage();

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  Device& device() const { return *device_; }
  /// Where the memory was asked for, and where it is given back, whatever thread does it.
  Stream* stream() const { return stream_; }
  /// Grows or shrinks in place: the common prefix is kept, what is new is 0, views see the new memory.
  void resize(size_t bytes);

  /// Counts writes, so that autograd can tell whether a saved value is still the one it saved.
  uint32_t version() const { return version_; }
  /// Notes a write by `writer` (null: not by an operator).
  void written(const OpInfo* writer) {
    ++version_;
    writer_ = writer;
  }
  const OpInfo* writer() const { return writer_; }

 private:
  Device* device_;
  Stream* stream_ = nullptr;
  void* data_ = nullptr;
  size_t bytes_;
  void (*release_)(void*) = nullptr;
  void* owner_ = nullptr;
  uint32_t version_ = 0;
  const OpInfo* writer_ = nullptr;
};

// ---- Inference mode: what is made in it can never take part in a graph, and so needs none of autograd's care -----

/// While it is on, on this thread, new storage belongs to inference tensors. Whoever turns it on turns grad mode off.
bool inference_mode();
/// Returns the mode before.
bool set_inference_mode(bool on);

/// The versions of such storage start here. Ordinary storage gets there by three thousand million writes.
constexpr uint32_t inference_version = 0xC0000000;
inline bool is_inference(const Storage& s) { return s.version() >= inference_version; }
/// Throws where an operator outside of the mode may not write.
void check_writable(const Storage& s);

}  // namespace luth
