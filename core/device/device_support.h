// What a device library says of its devices beyond core/device/device.h.
#pragma once
#include "core/device/device.h"

namespace luth {

struct DeviceSupport {
  std::string trouble;  // a sentence: why it cannot be used; empty where it can
  std::string code;     // what the library has code for: "sm_90, PTX 9.0"
};
/// Of an open device; empty where its library says nothing. A library exports
/// `extern "C" void luth_support(const luth::Device&, luth::DeviceSupport&)`.
DeviceSupport device_support(const Device& d);

/// Bytes of a device's memory that no process holds now; 0 where its library does not say. From
/// `extern "C" int64_t luth_free_memory(const luth::Device&)`.
int64_t free_memory(const Device& d);

/// What the device's own interface calls the current stream of this thread, a cudaStream_t; null where there is none.
/// From `extern "C" void* luth_native_stream(luth::Device&)`.
void* native_stream(Device& d);

/// A library that devices of a kind compute with where it is there.
struct DeviceLibrary {
  std::string name;     // "cuDNN"
  int64_t version = 0;  // as the library gives it; 0: missing
  std::string text;     // "9.1.0", or why it is missing
};
/// Of a kind that is open; opens them. From `extern "C" void luth_libraries(std::vector<luth::DeviceLibrary>&)`.
std::vector<DeviceLibrary> device_libraries(std::string_view kind);

/// What "cuda" without a number means to this thread: the first one until another was set, or under `luth launch` the
/// one of the process's number on its machine. Opens the library, and throws as device() does.
Device& current_device(std::string_view kind);
void set_current_device(const Device& d);
/// Of the kind with that slot; returns the number before, -1 where none was set.
int set_current_device(int slot, int index);
/// Whether device() has tried to open devices of this kind, with success or without.
bool asked_for(std::string_view kind);

}  // namespace luth
