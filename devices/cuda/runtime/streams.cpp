#include "devices/cuda/runtime/streams.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "devices/cuda/runtime/index_check.h"
#include "devices/cuda/runtime/wait.h"

namespace luth::cuda {
namespace {

constexpr int most_devices = 64;
// Null: the device's default stream.
constinit thread_local std::array<CudaStream*, most_devices> current_{};

}  // namespace

// ---- events ----

CudaEvent::CudaEvent(int device, bool timing) : device_(device) {
  OnDevice on(device);
  check(cudaEventCreateWithFlags(&handle_, timing ? cudaEventDefault : cudaEventDisableTiming), "cudaEventCreate");
}
CudaEvent::~CudaEvent() try {
  OnDevice on(device_);
  cudaEventDestroy(handle_);
} catch (const Error&) {}  // a device that is lost has nothing to give back

void CudaEvent::record(Stream& stream) {
  if (stream.device().index() != device_)
    throw Error("an event of cuda:{} cannot be recorded in a stream of {}", device_, stream.device().name());
  OnDevice on(device_);
  check(cudaEventRecord(handle_, static_cast<CudaStream&>(stream).handle()), "cudaEventRecord");
}

bool CudaEvent::done() {
  OnDevice on(device_);
  cudaError_t e = cudaEventQuery(handle_);
  if (e == cudaErrorNotReady) return cudaGetLastError(), false;
  check(e, "cudaEventQuery");
  return true;
}

void CudaEvent::synchronize() {
  wait_until(device_, [&] { return done(); });
  raise_reports(device_);
}

double CudaEvent::elapsed(Event& later) {
  OnDevice on(device_);
  float ms = 0;
  check(cudaEventElapsedTime(&ms, handle_, static_cast<CudaEvent&>(later).handle()), "cudaEventElapsedTime");
  return ms;
}

// ---- streams ----

CudaStream::CudaStream(Device& device, int priority) : device_(device) {
  OnDevice on(device.index());
  check(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking, priority), "cudaStreamCreate");
}

bool CudaStream::done() {
  OnDevice on(device_.index());
  cudaError_t e = cudaStreamQuery(handle_);
  if (e == cudaErrorNotReady) return cudaGetLastError(), false;
  check(e, "cudaStreamQuery");
  return true;
}

void CudaStream::synchronize() {
  wait_until(device_.index(), [&] { return done(); });
  raise_reports(device_.index());
}

void CudaStream::wait(Event& event) {
  OnDevice on(device_.index());
  check(cudaStreamWaitEvent(handle_, static_cast<CudaEvent&>(event).handle(), 0), "cudaStreamWaitEvent");
}

CudaStream& Streams::default_stream() {
  if (CudaStream* s = default_.load(std::memory_order_acquire)) return *s;
  std::lock_guard hold(lock_);
  if (!default_) default_ = new CudaStream(device_, 0);
  return *default_;
}

CudaStream& Streams::next(int priority) {
  std::lock_guard hold(lock_);
  auto pool = std::find_if(pools_.begin(), pools_.end(), [&](Pool& p) { return p.priority == priority; });
  if (pool == pools_.end()) pool = pools_.insert(pool, Pool{priority});
  if (pool->streams.size() < shared) {
    pool->streams.push_back(new CudaStream(device_, priority));
    return *pool->streams.back();
  }
  return *pool->streams[pool->next++ % shared];
}

CudaStream& Streams::current() {
  CudaStream* s = current_[size_t(device_.index())];
  return s ? *s : default_stream();
}

void Streams::set_current(Stream* stream) {
  if (stream && &stream->device() != &device_)
    throw Error("a stream of {} cannot be the current one of {}", stream->device().name(), device_.name());
  current_[size_t(device_.index())] = static_cast<CudaStream*>(stream);
}

std::vector<CudaStream*> Streams::all() {
  std::lock_guard hold(lock_);
  std::vector<CudaStream*> list;
  if (default_) list.push_back(default_);
  for (auto& p : pools_) list.insert(list.end(), p.streams.begin(), p.streams.end());
  return list;
}

void Streams::synchronize() {
  wait_until(device_.index(), [list = all()] {
    for (CudaStream* s : list)
      if (!s->done()) return false;
    return true;
  });
  raise_reports(device_.index());
}

cudaStream_t stream_of(Device& d) { return static_cast<CudaStream*>(d.current_stream())->handle(); }

bool exact_errors() {
  static const bool exact = [] {
    const char* v = std::getenv("LUTH_CUDA_SYNC");
    return v && *v && std::string_view(v) != "0";
  }();
  return exact;
}

void wait_if_exact(Device& device) {
  if (!exact_errors()) return;
  check(cudaStreamSynchronize(stream_of(device)), "cudaStreamSynchronize");
  raise_reports(device.index(), true);
}

}  // namespace luth::cuda
