// The API: streams, events, host functions.
#include <chrono>

#include "tests/fakecuda/runtime/engine.h"

using namespace fake;

// ---- streams ----

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call("cudaStreamCreate", Needs::health, [&](Engine& e, Lock&) {
    if (!stream || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    auto fresh = std::make_shared<CUstream_st>();
    fresh->device = thread_state().device;
    fresh->blocking = flags == cudaStreamDefault;
    fresh->priority = priority;
    add_stream(fresh);
    *stream = fresh.get();
    e.streams[*stream] = fresh;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", Needs::devices, [&](Engine&, Lock&) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
  });
}
// What is queued still runs.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", Needs::health,
              [&](Engine& e, Lock&) { return e.streams.erase(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call("cudaStreamSynchronize", Needs::health, [&](Engine& e, Lock& lock) {
    Stream stream = e.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    uint64_t number = stream->queued;
    e.wait(lock, [&] { return e.stream_done(*stream, number); });
    return cudaSuccess;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call("cudaStreamQuery", Needs::health, [&](Engine& e, Lock& lock) {
    Stream stream = e.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    e.poll(lock);
    return e.stream_done(*stream, stream->queued) ? e.devices[size_t(stream->device)].sticky : cudaErrorNotReady;
  });
}
// Waits for the record that was the event's last at this call; for none, if it was never recorded.
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
  return call("cudaStreamWaitEvent", Needs::health, [&](Engine& e, Lock& lock) {
    Stream stream = e.stream(handle);
    auto event = e.event(event_handle);
    if (flags) return cudaErrorInvalidValue;
    if (!stream || !event) return cudaErrorInvalidResourceHandle;
    Entry entry;
    entry.kind = Entry::Kind::wait;
    entry.event = event;
    entry.version = event->recorded;
    e.submit(lock, stream, std::move(entry));
    return cudaSuccess;
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* argument) {
  return call("cudaLaunchHostFunc", Needs::health, [&](Engine& e, Lock& lock) {
    Stream stream = e.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!function) return cudaErrorInvalidValue;
    Entry entry;
    entry.kind = Entry::Kind::host;
    entry.run = [function, argument] {
      function(argument);
      return Failure();
    };
    e.submit(lock, stream, std::move(entry));
    return cudaSuccess;
  });
}

// ---- other libraries ----

namespace fake {
cudaError_t queue_outside_work(cudaStream_t handle, std::function<void()> begin, std::function<bool()> ready,
                               std::function<void()> end) {
  return call("queue_outside_work", Needs::health, [&](Engine& e, Lock& lock) {
    Stream stream = e.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    const auto submit = [&](std::function<void()> f, std::function<bool()> when) {
      Entry entry;
      entry.memory = 1u << stream->device;
      entry.ready = std::move(when);
      entry.run = [f = std::move(f)] { return f(), Failure(); };
      e.submit(lock, stream, std::move(entry));
    };
    submit(std::move(begin), nullptr);
    submit(std::move(end), std::move(ready));
    return cudaSuccess;
  });
}
}  // namespace fake

// ---- events ----

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreate", Needs::health, [&](Engine& e, Lock&) {
    if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming)) return cudaErrorInvalidValue;
    auto fresh = std::make_shared<CUevent_st>();
    fresh->device = thread_state().device;
    fresh->timing = !(flags & cudaEventDisableTiming);
    *event = fresh.get();
    e.events[*event] = fresh;
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", Needs::health,
              [&](Engine& e, Lock&) { return e.events.erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
cudaError_t cudaEventRecord(cudaEvent_t event_handle, cudaStream_t handle) {
  return call("cudaEventRecord", Needs::health, [&](Engine& e, Lock& lock) {
    Stream stream = e.stream(handle);
    auto event = e.event(event_handle);
    if (!stream || !event || stream->device != event->device) return cudaErrorInvalidResourceHandle;
    Entry entry;
    entry.kind = Entry::Kind::record;
    entry.event = event;
    e.submit(lock, stream, std::move(entry));
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call("cudaEventQuery", Needs::health, [&](Engine& e, Lock& lock) {
    auto event = e.event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    e.poll(lock);
    return event->done() ? e.devices[size_t(event->device)].sticky : cudaErrorNotReady;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call("cudaEventSynchronize", Needs::health, [&](Engine& e, Lock& lock) {
    auto event = e.event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    uint64_t number = event->recorded;
    e.wait(lock, [&] { return event->completed >= number; });
    return cudaSuccess;
  });
}
// By the host's clock, at which the work really ran.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  return call("cudaEventElapsedTime", Needs::health, [&](Engine& e, Lock&) {
    auto start = e.event(start_handle), end = e.event(end_handle);
    if (!start || !end || !start->timing || !end->timing || !start->recorded || !end->recorded)
      return cudaErrorInvalidResourceHandle;
    if (!start->done() || !end->done()) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
    return cudaSuccess;
  });
}
