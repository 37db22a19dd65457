#include "core/device/device.h"

namespace luth {

Stream::~Stream() = default;
Event::~Event() = default;

Device::Device(std::string_view kind, int index) : kind_(kind), index_(index), slot_(kind_slot(kind)) {}
Device::~Device() = default;
std::string Device::name() const {
  return kind_ == "cpu" || kind_ == "meta" ? kind_ : kind_ + ":" + std::to_string(index_);
}

void* Device::allocate_pinned(size_t) { throw Error("the {} device has no pinned memory", kind_); }
Stream* Device::new_stream(int) { throw Error("the {} device has one stream, which runs at once", kind_); }
std::unique_ptr<Event> Device::new_event(bool) { throw Error("the {} device has no events: it runs at once", kind_); }

void copy_bytes(void* dst, Device& to, const void* src, Device& from, size_t bytes, bool async) {
  Device& worker = to.on_host() ? from : to;
  if (bytes) worker.copy(dst, to, src, from, bytes, async);
}

}  // namespace luth
