// A device is a place with memory, order and copies; it knows no operator. Includes only the vocabulary.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace luth {

/// Bumped whenever a type that crosses into kernel or device libraries changes; checked when one is opened.
inline constexpr int abi_version = 1;
/// Device kinds (cpu, meta, cuda, …) get small integers, which index OpInfo::kernels.
inline constexpr int max_kinds = 8;

/// An order of execution on one device. The CPU has one, which runs at once.
class Stream {
 public:
  virtual ~Stream();
};
/// A point in a stream.
class Event {
 public:
  virtual ~Event();
};

/// All in bytes, but `allocations`, which counts calls.
struct MemoryStats {
  int64_t allocated = 0, peak = 0, reserved = 0, allocations = 0;
};
struct DeviceProperties {
  std::string name;
  int64_t total_memory = 0;  // bytes
  std::string capability;    // instruction set or compute capability
};

class Device {
 public:
  Device(std::string_view kind, int index);
  virtual ~Device();
  Device(const Device&) = delete;

  const std::string& kind() const { return kind_; }
  int index() const { return index_; }
  int slot() const { return slot_; }
  /// "cpu", "cuda:0"
  std::string name() const;

  /// Memory of at least `bytes`, aligned to 64; never null for bytes > 0. Throws ErrorCode::memory.
  virtual void* allocate(size_t bytes, Stream* stream) = 0;
  virtual void free(void* p, size_t bytes, Stream* stream) noexcept = 0;
  /// Copies between this device and `from` (which may be this one); returns before it is done when `async` and
  /// possible.
  virtual void copy(void* dst, const void* src, size_t bytes, Device& from, Stream* stream, bool async) = 0;
  virtual void fill_zero(void* dst, size_t bytes, Stream* stream) = 0;
  virtual Stream* current_stream() { return nullptr; }
  virtual Event* record(Stream*) { return nullptr; }
  virtual void wait(Stream*, Event*) {}
  /// Waits until all work is done and raises what kernels have reported since.
  virtual void synchronize() {}
  virtual MemoryStats memory() const { return {}; }
  virtual void reset_peak() {}
  /// Returns cached blocks to the system.
  virtual void empty_cache() {}
  virtual DeviceProperties properties() const { return {kind_, 0, ""}; }
  /// False for a device whose tensors have shapes and no data.
  virtual bool has_data() const { return true; }
  /// True where the CPU can read the memory directly.
  virtual bool on_host() const { return false; }

 private:
  std::string kind_;
  int index_, slot_;
};

/// The stable small integer of a device kind; throws when there are too many.
int kind_slot(std::string_view kind);
/// Finds "cpu", "meta", "cuda:1", …, opening the device's library on first use; throws with the reason when it cannot.
Device& device(std::string_view name);
/// The CPU device, which opens the best kernel library for this machine on first use (`luth::cpu` is the namespace of
/// its kernels).
Device& host();
/// The device of new tensors where nothing says otherwise; per thread.
Device& default_device();
void set_default_device(Device& d);
/// Called by a device library when it is opened. The registry keeps the object to the end of the process.
void add_device(Device* d);
/// All devices opened so far.
const std::vector<Device*>& open_devices();

/// "" once the library libluth_<stem>.so is open, else why not. Looked for beside the core, then along
/// LUTH_DEVICE_PATH.
std::string open_library(const std::string& stem);
/// The folder that holds libluth_core.so.
std::string library_dir();
/// The CPU kernel library in use or to be used: "v2", "v3", "v4", "generic". LUTH_CPU_ISA overrides; throws for one
/// that is unknown or that this machine cannot run.
std::string cpu_isa();

/// Called when an allocation fails, before the one retry; the language hangs its collector here.
void set_memory_pressure_hook(void (*hook)());
void relieve_memory_pressure();

}  // namespace luth
