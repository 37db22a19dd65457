#include "devices/cuda/runtime/index_check.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/error_context.h"
#include "core/ops/common/positions.h"
#include "devices/cuda/runtime/failure.h"
#include "devices/cuda/runtime/retry.h"
#include "devices/cuda/runtime/runtime.h"

namespace luth::cuda {

/// Of one device: its report, and which launches it can come from. Lives as long as the process, since kernels write
/// to it whenever they run.
class IndexErrors {
 public:
  explicit IndexErrors(Device& device) : device_(device.index()), launches_(remembered) {
    OnDevice on(device_);
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    check(cudaHostAlloc(&report_, sizeof *report_, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
    with_memory(device, [&] { check(cudaMalloc(&claim_, sizeof *claim_), "cudaMalloc"); });
    *report_ = {};
    open_claim();
  }

  IndexCheck add(const Shape& shape, int base, bool wrap, std::string_view what) {
    std::string line = script_line();
    std::lock_guard hold(lock_);
    collect();  // before the launch that it names is forgotten: a stream holds far fewer launches than are remembered
    const unsigned long long number = next_++;
    launches_[number % remembered] = {number, running_name(), std::move(line), what, shape, base, wrap};
    IndexCheck c;
    c.report_ = report_;
    c.claim_ = claim_;
    c.launch_ = number;
    c.base_ = base;
    c.wrap_ = wrap;
    return c;
  }

  void raise(bool running) {
    if (!waiting_ && launch_reported() == 0) return;
    std::unique_lock hold(lock_);
    collect();
    if (!failure_) return;
    Failure f = *std::exchange(failure_, {});
    waiting_ = false;
    hold.unlock();
    try {
      const Launch& l = f.launch;
      throw_bad_position(l.what, l.shape, f.position, f.value, f.bound, l.base, l.wrap);
    } catch (Error& e) {
      if (running && f.launch.name == running_name()) throw;
      if (!f.launch.name.empty()) e.add_context(std::string(f.launch.name) + ": ");
      e.add_context("").add_module(f.launch.line.empty() ? "" : " (" + f.launch.line + ")");
      throw;
    }
  }

 private:
  struct Launch {
    unsigned long long number = 0;
    std::string_view name;
    std::string line;
    std::string_view what = "index";
    Shape shape;
    int base = 0;
    bool wrap = false;
  };
  struct Failure {
    Launch launch;
    int64_t value, bound, position;
  };
  static constexpr size_t remembered = 4096;  // more than the driver queues

  unsigned long long launch_reported() const { return static_cast<volatile IndexReport*>(report_)->launch; }

  // Takes the report, if there is one, and lets kernels write the next. Of several the first is kept.
  void collect() {
    const unsigned long long number = launch_reported();
    if (number == 0) return;
    std::atomic_thread_fence(std::memory_order_acquire);
    const Launch& l = launches_[number % remembered];
    if (!failure_)
      failure_ = Failure{l.number == number ? l : unknown(), report_->value, report_->bound, report_->position};
    waiting_ = true;
    *report_ = {};
    OnDevice on(device_);
    open_claim();
  }
  static Launch unknown() {
    Launch l;
    l.name = "an earlier operator";
    l.shape = {INT64_MAX};
    return l;
  }
  void open_claim() {
    check(cudaMemsetAsync(claim_, 0, sizeof *claim_, stream_), "cudaMemsetAsync");
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  std::mutex lock_;
  int device_;
  cudaStream_t stream_ = nullptr;
  IndexReport* report_ = nullptr;
  unsigned* claim_ = nullptr;
  unsigned long long next_ = 1;
  std::vector<Launch> launches_;
  std::optional<Failure> failure_;
  std::atomic<bool> waiting_ = false;  // failure_ is there
};

namespace {

std::array<std::atomic<IndexErrors*>, 64> errors_{};
std::mutex making_;

IndexErrors& errors_of(Device& device) {
  auto& slot = errors_[size_t(device.index())];
  if (IndexErrors* e = slot.load(std::memory_order_acquire)) return *e;
  std::lock_guard hold(making_);
  if (!slot) slot = new IndexErrors(device);
  return *slot;
}

}  // namespace

IndexCheck check_indices(const Tensor& index, int base, bool wrap, std::string_view what) {
  return errors_of(index.device()).add(index.shape(), base, wrap, what);
}
IndexCheck check_indices(Device& device, int base, bool wrap, std::string_view what) {
  return errors_of(device).add({INT64_MAX}, base, wrap, what);
}

void raise_reports(int device, bool running) {
  raise_failure(device);
  if (IndexErrors* e = errors_[size_t(device)].load(std::memory_order_acquire)) e->raise(running);
}

}  // namespace luth::cuda
