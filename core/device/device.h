// A device is a place with memory, order and copies; it knows no operator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace luth {

/// Bumped whenever a type that crosses into kernel or device libraries changes; checked when one is opened.
inline constexpr int abi_version = 3;
/// Device kinds (cpu, meta, cuda, …) get small integers, which index OpInfo::kernels.
inline constexpr int max_kinds = 8;

class Device;
class Stream;

/// A point in a stream, once record() has set it.
class Event {
 public:
  virtual ~Event();
  virtual void record(Stream& stream) = 0;
  /// True when what was given to the stream before the point is done.
  virtual bool done() = 0;
  /// Waits until then.
  virtual void synchronize() = 0;
  /// Milliseconds from this to `later`; both were made with timing and are done.
  virtual double elapsed(Event& later) = 0;
};

/// An order of execution on one device: what is given to it runs in that order, after the call that gave it.
class Stream {
 public:
  virtual ~Stream();
  virtual Device& device() = 0;
  /// True when nothing that was given is still to run.
  virtual bool done() = 0;
  /// Waits until then, and raises what kernels have reported (an Error whose place is set).
  virtual void synchronize() = 0;
  /// What is given from now on runs after the event.
  virtual void wait(Event& event) = 0;
};

/// All in bytes, but `allocations`, which counts calls.
struct MemoryStats {
  int64_t allocated = 0, peak = 0, reserved = 0, allocations = 0;
  int64_t peak_reserved = 0, retries = 0;  // retries: allocations that succeeded only after memory was given back
};
struct DeviceProperties {
  std::string name;
  int64_t total_memory = 0;     // bytes
  std::string capability;       // instruction set, or compute capability as "9.0"
  std::string bus_id = {};      // PCI, where the device has one
  std::string driver = {};      // its version, where there is one
  int64_t multiprocessors = 0;  // 0: unknown
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

  // ---- memory ----

  /// Memory of at least `bytes` for use in `stream`, aligned to 64; never null for bytes > 0. Throws ErrorCode::memory.
  virtual void* allocate(size_t bytes, Stream* stream) = 0;
  /// `stream` is that of the allocation; what it and recorded streams were given before may still use the memory.
  virtual void free(void* p, size_t bytes, Stream* stream) noexcept = 0;
  /// Another stream than that of its allocation uses the memory at `p`.
  virtual void record_stream(void* /*p*/, Stream* /*stream*/) {}
  /// Copies between `to` and `from`, of which this is one (the one that is not on the host, if any): in order with the
  /// current streams of both; returns before it is done where `async` and both sides allow it. See copy_bytes().
  virtual void copy(void* dst, Device& to, const void* src, Device& from, size_t bytes, bool async) = 0;
  /// In the current stream.
  virtual void fill_zero(void* dst, size_t bytes) = 0;
  /// Memory of the host that copies to and from this device need not wait for; throws where there is none.
  virtual void* allocate_pinned(size_t bytes);
  /// What copies were given before may still use the memory.
  virtual void free_pinned(void* /*p*/, size_t /*bytes*/) noexcept {}
  virtual MemoryStats memory() const { return {}; }
  virtual void reset_peak() {}
  /// Returns cached blocks to the system.
  virtual void empty_cache() {}

  // ---- order ----

  /// The stream that this thread gives its work to. Null for a device with one order that runs at once, as the CPU's.
  virtual Stream* current_stream() { return nullptr; }
  /// For this thread; null: the device's default stream.
  virtual void set_current_stream(Stream* /*stream*/) {}
  /// Of the device's own, which live as long as it does: memory remembers its stream. Lower priorities run first.
  /// Throws where the device has one order.
  virtual Stream* new_stream(int priority);
  virtual std::unique_ptr<Event> new_event(bool timing);
  /// Waits until all work of all streams is done, and raises what kernels have reported.
  virtual void synchronize() {}
  /// How often the host has waited for this device: in synchronize() of any kind, and for copies.
  virtual int64_t host_waits() const { return 0; }

  virtual DeviceProperties properties() const { return {kind_, 0, ""}; }
  /// False for a device whose tensors have shapes and no data.
  virtual bool has_data() const { return true; }
  /// True where the CPU can read the memory directly.
  virtual bool on_host() const { return false; }

 private:
  std::string kind_;
  int index_, slot_;
};

/// Copies between any two devices, in order with the current streams of both. Returns when it is done, or before where
/// `async` and possible.
void copy_bytes(void* dst, Device& to, const void* src, Device& from, size_t bytes, bool async = false);

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
std::vector<Device*> open_devices();

/// "" once the library libluth_<stem>.so is open, else why not. Looked for in
/// library_folders().
std::string open_library(const std::string& stem);
/// The folder that holds libluth_core.so.
std::string library_dir();
/// Where libraries are looked for, in order, each ending in '/': the folders of LUTH_DEVICE_PATH, then library_dir().
std::vector<std::string> library_folders();
/// The CPU kernel library in use or to be used: "v2", "v3", "v4", "generic". LUTH_CPU_ISA overrides; throws for one
/// that is unknown or that this machine cannot run.
std::string cpu_isa();

/// Called when an allocation fails, before the one retry; the language hangs its collector here.
void set_memory_pressure_hook(void (*hook)());
void relieve_memory_pressure();
/// Throws within the hook, as scripts' finalizers run there: the operator that waits for memory borrows its inputs, so
/// no tensor may come to lie elsewhere.
void refuse_while_relieving();

}  // namespace luth
