// What tests ask of the fake CUDA runtime beyond CUDA: machines to pretend, faults to make, and what happened.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda_runtime.h"

namespace fake {

/// A machine. `reset` takes one; what the environment names (in brackets) is the default.
struct Machine {
  int devices = -1;  // [FAKECUDA_DEVICES, else 1]; CUDA_VISIBLE_DEVICES then chooses among them
  int driver = -1;   // its version, as cudaDriverGetVersion has it; 0: none [FAKECUDA_DRIVER, else 13000]
  size_t memory = size_t(1) << 30;  // bytes of each device
  uint64_t seed = 0;                // 0: [FAKECUDA_SEED, else 1]
  bool guards = false;              // [or FAKECUDA_GUARDS=1] end each allocation at a page that nobody may touch
  bool late_reads = false;          // [or FAKECUDA_LATE_READS=1] copies read pageable memory when they run, as with HMM
  bool protect = true;              // the host cannot touch device memory outside kernels and copies
  double eagerness = 0.25;          // how often work runs when it is queued, rather than when somebody waits
  double two_threads = 0.25;        // how often the blocks of a grid run on two OS threads
};

// All names are exported, so that a device library and its test share one runtime.
#pragma GCC visibility push(default)

/// Drops all work, memory, streams, events, errors and counts, and starts a new machine. The handles of the old one are
/// invalid afterwards. No other thread may be using the runtime.
void reset(const Machine& machine = {});
/// Restarts the random choices; 0 is taken as 1.
void seed(uint64_t value);
/// To be changed before first use of the device: name, capability, multiProcessorCount, … (memory: set_memory).
cudaDeviceProp& properties(int device);
/// From now on the device has this many bytes; what is allocated stays.
void set_memory(int device, size_t bytes);
/// Guards for allocations made from now on.
void set_guards(bool on);
/// Makes the API function of this name fail, `times` times, after letting `after` calls pass. Kernels:
/// "cudaLaunchKernel".
void fail(const char* function, cudaError_t error, int times = 1, int after = 0);
/// Whether the device has a context: whatever works with a thread's current device makes one there.
bool has_context(int device);
/// Makes the next kernel (or copy) that runs on the device end with this error, which then sticks as on a GPU.
void fail_when_run(int device, cudaError_t error);

struct Counters {
  uint64_t launches = 0, blocks = 0, barriers = 0, copies = 0, copied_bytes = 0, memsets = 0, host_functions = 0,
           allocations = 0, frees = 0,
           host_waits = 0;  // calls that may hold up the host until a device has done something
};
Counters counters();
void reset_counters();

/// What a library of its own does in a stream: `begin` runs in the stream's order, then the stream stands still until
/// `ready`, then `end` runs. `begin` and `end` may touch the memory of the stream's device; none of them may wait.
cudaError_t queue_outside_work(cudaStream_t stream, std::function<void()> begin, std::function<bool()> ready,
                               std::function<void()> end);

/// The kernels that ran since the last call, demangled, in the order in which they started; the list is emptied.
std::vector<std::string> take_kernels();
/// What went wrong in kernels since the last call: one text each, which names kernel, block and thread.
std::vector<std::string> take_reports();
/// Whether reports also go to stderr at once (they do, unless a test expects them).
void print_reports(bool on);

#pragma GCC visibility pop

}  // namespace fake
