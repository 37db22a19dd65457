#include "tests/fakecuda/runtime/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "tests/fakecuda/runtime/fault.h"

namespace fake {

Engine& Engine::one() {
  static Engine* engine = new Engine;  // never destroyed: threads may outlive main
  return *engine;
}

Engine::Engine() {
  catch_faults();
  reset({});
}

ThreadState& thread_state() {
  static thread_local ThreadState state;
  uint64_t now = Engine::one().generation;
  if (state.generation != now) state = {now, 0, cudaSuccess};
  return state;
}

void add_stream(const Stream& stream) { Engine::one().all_.push_back(stream); }

Stream Engine::stream(cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy) return devices[size_t(thread_state().device)].legacy;
  auto found = streams.find(handle);
  return found == streams.end() ? nullptr : found->second;
}

std::shared_ptr<CUevent_st> Engine::event(cudaEvent_t handle) const {
  auto found = events.find(handle);
  return found == events.end() ? nullptr : found->second;
}

const Pinned* Engine::pinned(const void* address) const {
  auto next = pinned_blocks.upper_bound(uintptr_t(address));
  if (next == pinned_blocks.begin()) return nullptr;
  auto& [start, block] = *std::prev(next);
  return uintptr_t(address) <= start + block.bytes ? &block : nullptr;
}

bool Engine::injected(const char* function, cudaError_t& error) {
  auto found = injections.find(function);
  if (found == injections.end()) return false;
  Injection& i = found->second;
  if (i.after > 0) return --i.after, false;
  error = i.error;
  if (--i.times <= 0) injections.erase(found);
  return true;
}

void Engine::report(const std::string& text) {
  reports.push_back(text);
  if (print_reports) fmt::print(stderr, "fakecuda: {}\n", text);
}

// ---- queues ----

void Engine::submit(Lock& lock, const Stream& stream, Entry entry) {
  constexpr size_t longest_queue = 1024;
  entry.number = stream->queued = ++number_;
  if (entry.kind == Entry::Kind::record) entry.event->recorded = entry.number;
  if (entry.kind == Entry::Kind::host) {
    ++host_entries_;
    if (!std::exchange(serving_, true)) std::thread([this] { serve_host_functions(); }).detach();
  }
  stream->queue.push_back(std::move(entry));
  changed_.notify_all();
  int steps = random.chance(machine.eagerness) ? 1 + int(random.below(4)) : 0;
  while (steps-- > 0 && step(lock)) continue;
  while (stream->queue.size() > longest_queue && step(lock)) continue;
  memory.shut();
}

// The legacy default stream and the blocking streams of its device wait for each other's earlier entries.
bool Engine::may_run(const CUstream_st& s) const {
  if (s.busy || s.queue.empty()) return false;
  const Entry& first = s.queue.front();
  if (first.kind == Entry::Kind::wait && first.event->completed < first.version) return false;
  if (first.ready && !first.ready()) return false;
  if (!s.blocking) return true;
  for (const Stream& other : all_)
    if (other->device == s.device && other->blocking && other->legacy != s.legacy && other->behind(first.number))
      return false;
  return true;
}

// Runs one entry; false if none may run.
bool Engine::step(Lock& lock) {
  std::vector<Stream> able;
  for (const Stream& s : all_)
    if (may_run(*s)) able.push_back(s);
  if (able.empty()) return false;
  Stream chosen = able[random.below(uint32_t(able.size()))];
  Entry entry = std::move(chosen->queue.front());
  chosen->queue.pop_front();
  run(lock, chosen, std::move(entry));
  return true;
}

void Engine::run(Lock& lock, const Stream& stream, Entry entry) {
  stream->busy = true;
  stream->running = entry.number;
  Device& device = devices[size_t(stream->device)];
  if (entry.kind == Entry::Kind::record) {
    entry.event->completed = std::max(entry.event->completed, entry.number);
    entry.event->when = std::chrono::steady_clock::now();
  }
  if (entry.kind == Entry::Kind::host) {
    --host_entries_;
    if (device.sticky == cudaSuccess) {
      ++in_flight_;
      host_.emplace_back(stream, std::move(entry));
      changed_.notify_all();
      return;  // `finish` comes from the thread that runs it
    }
  }
  if (entry.kind == Entry::Kind::work && device.sticky == cudaSuccess) {
    ++in_flight_;
    memory.open(entry.memory);
    cudaError_t ordered = std::exchange(device.next_failure, cudaSuccess);
    lock.unlock();
    Failure failure =
        ordered == cudaSuccess ? entry.run() : Failure{ordered, "a failure that the test asked for", nullptr};
    entry.run = nullptr;
    lock.lock();
    memory.close(entry.memory);
    --in_flight_;
    if (failure) fail(stream->device, failure);
  }
  finish(*stream);
}

void Engine::finish(CUstream_st& stream) {
  stream.busy = false;
  stream.finished = stream.running;
  ++progress_;
  changed_.notify_all();
}

void Engine::fail(int device, const Failure& failure) {
  std::string text = failure.text;
  if (failure.address) {
    text += fmt::format(" at {}", failure.address);
    const auto* address = static_cast<const char*>(failure.address);
    const Allocation* a = memory.find(address);
    for (size_t back = 0; !a && back < 8192 && memory.device_of(address) >= 0; back += 16)
      a = memory.find(address - back);
    int owner = memory.device_of(address);
    if (a && uintptr_t(address) >= a->start + a->bytes)
      text += fmt::format(", {} bytes past the end of {} bytes", uintptr_t(address) - a->start - a->bytes, a->bytes);
    else if (a)
      text += fmt::format(", in memory of device {} that device {} may not touch", owner, device);
    else if (owner >= 0)
      text += fmt::format(", where device {} has nothing allocated", owner);
  }
  devices[size_t(device)].sticky = failure.error;
  report(text);
}

// Whether a stream waits for what nobody here will tell.
bool Engine::waits_outside() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Stream& s) { return !s->busy && !s->queue.empty() && s->queue.front().ready; });
}

void Engine::wait(Lock& lock, const std::function<bool()>& done) {
  ++counters.host_waits;
  while (!done()) {
    if (step(lock)) continue;
    if (waits_outside()) {
      changed_.wait_for(lock, std::chrono::milliseconds(1));
      continue;
    }
    if (in_flight_ == 0) {
      fmt::print(stderr, "fakecuda: the host waits for what no stream will do\n");
      std::abort();
    }
    changed_.wait(lock);
  }
  if (in_flight_ == 0) memory.shut();
}

void Engine::poll(Lock& lock) {
  for (uint32_t steps = random.below(4); steps > 0 && step(lock); --steps) continue;
  memory.shut();
}

void Engine::wait_for_device(Lock& lock, int device) {
  wait(lock, [this, device] {
    return std::all_of(all_.begin(), all_.end(), [&](const Stream& s) { return s->device != device || s->idle(); });
  });
  // of the streams that were destroyed while they had work, nobody else has hold
  all_.erase(std::remove_if(all_.begin(), all_.end(), [](const Stream& s) { return s.use_count() == 1 && s->idle(); }),
             all_.end());
}

void Engine::settle(Lock& lock) {
  changed_.wait(lock, [this] { return in_flight_ == 0; });
}

void Engine::serve_host_functions() {
  constexpr auto patience = std::chrono::milliseconds(20);
  Lock lock(mutex);
  for (;;) {
    if (!host_.empty()) {
      auto [stream, entry] = std::move(host_.front());
      host_.pop_front();
      lock.unlock();
      entry.run();
      lock.lock();
      ++counters.host_functions;
      --in_flight_;
      finish(*stream);
    } else if (host_entries_ > 0) {
      uint64_t seen = progress_;
      changed_.wait_for(lock, patience);
      if (seen == progress_ && host_.empty() && step(lock)) memory.shut();
    } else {
      changed_.wait(lock);
    }
  }
}

// ---- kernels ----

Failure Engine::run_kernel(int device, Grid& grid, const std::vector<const void*>& pointers) {
  Lock lock(mutex);
  for (size_t i = 0; i < pointers.size(); ++i) {
    if (!pointers[i] || memory.device_of(pointers[i]) >= 0 || pinned(pointers[i])) continue;
    return {cudaErrorIllegalAddress,
            fmt::format("kernel {}: pointer argument {} leads to pageable host memory, {}", grid.info->name, i + 1,
                        pointers[i]),
            nullptr};
  }
  ++counters.launches;
  counters.blocks += uint64_t(grid.blocks.x) * grid.blocks.y * grid.blocks.z;
  kernels.push_back(grid.info);
  grid.seed = random.next();
  bool two_threads = random.chance(machine.two_threads);
  lock.unlock();
  uint64_t barriers = 0;
  Failure failure = run_grid(grid, two_threads, barriers);
  if (failure) failure.text = fmt::format("device {}, kernel {}, {}", device, grid.info->name, failure.text);
  lock.lock();
  counters.barriers += barriers;
  return failure;
}

}  // namespace fake
