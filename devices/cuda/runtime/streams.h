// Streams and events of one CUDA device.
#pragma once
#include <atomic>
#include <mutex>
#include <vector>

#include "core/device/device.h"
#include "devices/cuda/runtime/runtime.h"

namespace luth::cuda {

class CudaEvent final : public Event {
 public:
  CudaEvent(int device, bool timing);
  ~CudaEvent() override;
  void record(Stream& stream) override;
  bool done() override;
  void synchronize() override;
  double elapsed(Event& later) override;
  cudaEvent_t handle() const { return handle_; }

 private:
  int device_;
  cudaEvent_t handle_ = nullptr;
};

class CudaStream final : public Stream {
 public:
  CudaStream(Device& device, int priority);
  Device& device() override { return device_; }
  bool done() override;
  void synchronize() override;
  void wait(Event& event) override;
  cudaStream_t handle() const { return handle_; }

 private:
  Device& device_;
  cudaStream_t handle_ = nullptr;  // lives as long as the process: memory remembers its stream
};

/// The streams of one device: the default one and, per priority, a few that requests share in turn.
class Streams {
 public:
  explicit Streams(Device& device) : device_(device) {}
  CudaStream& default_stream();
  CudaStream& next(int priority);
  /// Of this thread.
  CudaStream& current();
  void set_current(Stream* stream);
  /// Waits for all of them.
  void synchronize();

  static constexpr int shared = 32;  // streams per priority, as in PyTorch
  /// Those that have been used so far.
  std::vector<CudaStream*> all();

 private:
  struct Pool {
    int priority;
    size_t next = 0;
    std::vector<CudaStream*> streams;
  };
  Device& device_;
  std::mutex lock_;
  std::atomic<CudaStream*> default_{nullptr};  // made on first use
  std::vector<Pool> pools_;
};

/// The stream in which this thread's kernels for `d` (a CUDA device) run.
cudaStream_t stream_of(Device& d);

/// True for LUTH_CUDA_SYNC=1: every kernel is waited for, so that errors come from the operator that made them.
bool exact_errors();
/// With exact_errors(), waits for the work just started in this thread's stream of `device` and raises its errors.
void wait_if_exact(Device& device);

}  // namespace luth::cuda
