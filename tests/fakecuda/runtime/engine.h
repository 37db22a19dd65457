// The state of the runtime: devices, streams as queues, events, and who runs what is queued.
//
// Nothing runs by itself. Whoever waits runs queued work until what it waits for is done: the next stream is drawn
// from the seed among those whose next entry may run. Now and then work also runs when it is queued. So with one host
// thread the whole order follows from the seed. Host functions run on a thread of their own, as in CUDA; while one is
// queued and nobody waits, that thread runs other work too, lest a program that waits for the function by other means
// hang.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fakecuda.h"
#include "tests/fakecuda/runtime/memory.h"
#include "tests/fakecuda/runtime/random.h"
#include "tests/fakecuda/runtime/worker.h"

struct CUevent_st {
  int device = 0;
  bool timing = true;
  uint64_t recorded = 0, completed = 0;  // numbers of entries: of the last record, and of the last that ran
  std::chrono::steady_clock::time_point when{};
  bool done() const { return completed >= recorded; }
};

namespace fake {

/// One entry of a stream.
struct Entry {
  enum class Kind { work, record, wait, host } kind = Kind::work;
  std::function<Failure()> run;       // work, host
  std::function<bool()> ready;        // work: it runs no earlier than this says; asked under the lock
  uint32_t memory = 0;                // work: the devices whose memory it may touch
  std::shared_ptr<CUevent_st> event;  // record, wait
  uint64_t version = 0;               // wait: the record that must have run
  uint64_t number = 0;                // in the order of all calls
};

}  // namespace fake

struct CUstream_st {
  int device = 0;
  bool blocking = true, legacy = false;
  std::deque<fake::Entry> queue;
  bool busy = false;                  // an entry of it is running
  uint64_t running = 0;               // its number
  uint64_t queued = 0, finished = 0;  // numbers of the last entry that was queued, and of the last that has run
  int priority = 0;
  /// Whether an entry from before `number` has not run yet.
  bool behind(uint64_t number) const {
    return busy ? running < number : !queue.empty() && queue.front().number < number;
  }
  bool idle() const { return !busy && queue.empty(); }
};

namespace fake {

using Lock = std::unique_lock<std::mutex>;
using Stream = std::shared_ptr<CUstream_st>;

struct Device {
  cudaDeviceProp properties{};
  size_t limit = 0, used = 0;
  bool context = false;
  uint32_t peers = 0;                // whose memory its kernels may touch
  cudaError_t sticky = cudaSuccess;  // after a fault every call answers this
  cudaError_t next_failure = cudaSuccess;
  Stream legacy;
};

struct Pinned {
  size_t bytes;
  bool registered;  // memory of the user's
};

class Engine {
 public:
  static Engine& one();
  void reset(const Machine& machine);
  /// cudaSuccess once there are devices to use; else why there are none.
  cudaError_t start();

  /// The stream of a handle, by the current device for the default one; null for an unknown handle.
  Stream stream(cudaStream_t handle);
  std::shared_ptr<CUevent_st> event(cudaEvent_t handle) const;
  void submit(Lock& lock, const Stream& stream, Entry entry);
  /// Runs queued work until `done`. Counts as a wait of the host.
  void wait(Lock& lock, const std::function<bool()>& done);
  /// Runs a little of what is queued, or nothing.
  void poll(Lock& lock);
  void wait_for_device(Lock& lock, int device);
  /// Lets host functions that run come to their end; what is queued is left.
  void settle(Lock& lock);
  bool stream_done(const CUstream_st& stream, uint64_t number) const { return stream.finished >= number; }
  bool injected(const char* function, cudaError_t& error);
  void report(const std::string& text);
  /// The pinned block that holds the address, or null.
  const Pinned* pinned(const void* address) const;
  /// Called without the lock, as all work is.
  Failure run_kernel(int device, Grid& grid, const std::vector<const void*>& pointers);

  std::mutex mutex;
  Machine machine;
  Memory memory;
  std::vector<Device> devices;  // the visible ones
  std::map<cudaStream_t, Stream> streams;
  std::map<cudaEvent_t, std::shared_ptr<CUevent_st>> events;
  std::map<uintptr_t, Pinned> pinned_blocks;
  Random random;
  Counters counters;
  std::vector<const Kernel*> kernels;
  std::vector<std::string> reports;
  bool print_reports = true;
  uint64_t generation = 0;  // of the machine
  struct Injection {
    cudaError_t error;
    int times, after;
  };
  std::map<std::string, Injection> injections;

 private:
  Engine();
  bool may_run(const CUstream_st& stream) const;
  bool waits_outside() const;
  bool step(Lock& lock);
  void run(Lock& lock, const Stream& stream, Entry entry);
  void finish(CUstream_st& stream);
  void fail(int device, const Failure& failure);
  void serve_host_functions();

  std::condition_variable changed_;
  std::vector<Stream> all_;  // with those that were destroyed before they were done
  uint64_t number_ = 0, progress_ = 0;
  int in_flight_ = 0, host_entries_ = 0;
  bool started_ = false, serving_ = false;
  std::deque<std::pair<Stream, Entry>> host_;
  friend void add_stream(const Stream&);
};

/// CUDART_VERSION, or FAKECUDA_RUNTIME.
int runtime_version();

/// Makes the stream known to the engine.
void add_stream(const Stream& stream);

/// The current device and last error of the calling thread.
struct ThreadState {
  uint64_t generation = 0;
  int device = 0;
  cudaError_t last = cudaSuccess;
};
ThreadState& thread_state();

/// How each function of the API behaves: it locks, fails as told, answers a device's sticky error, and keeps its own
/// error for cudaGetLastError.
enum class Needs { nothing, devices, health };
template <class F>
cudaError_t call(const char* function, Needs needs, F&& body) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  ThreadState& mine = thread_state();
  cudaError_t error = needs == Needs::nothing ? cudaSuccess : engine.start();
  if (error == cudaSuccess && needs == Needs::health) {
    engine.devices[size_t(mine.device)].context = true;
    error = engine.devices[size_t(mine.device)].sticky;
  }
  if (error == cudaSuccess && !engine.injected(function, error)) {
    uint64_t waits = engine.counters.host_waits;
    error = body(engine, lock);
    // who has waited hears of what went wrong meanwhile; who only queues hears at the next call
    if (error == cudaSuccess && needs == Needs::health && engine.counters.host_waits != waits)
      error = engine.devices[size_t(mine.device)].sticky;
  }
  if (error != cudaSuccess) mine.last = error;
  return error;
}

}  // namespace fake
