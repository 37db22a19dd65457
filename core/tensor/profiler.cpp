#include "core/tensor/profiler.h"

#include <chrono>
#include <utility>

#include "core/base/per_thread.h"
#include "core/tensor/source_mark.h"

namespace luth {

namespace detail {
constinit thread_local Profiler* profiler = nullptr;
}

namespace {

int64_t now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Profiler& set_profiling(bool on) {
  static constinit thread_local PerThread<Profiler> own;
  detail::profiler = on ? &*own : nullptr;
  return *own;
}

void Profiler::start(ProfileWishes wishes) {
  wishes_ = wishes;
  events_.clear(), times_.clear(), open_.clear();
  ++run_;
}

std::vector<ProfileEvent> Profiler::stop() {
  while (!open_.empty()) finish(open_.back().first, events_[size_t(open_.back().first)].sequence);
  for (auto& t : std::exchange(times_, {})) {
    t.to->synchronize();
    events_[size_t(t.number)].device = t.from->elapsed(*t.to);
  }
  ++run_;
  return std::exchange(events_, {});
}

int Profiler::begin(ProfileEvent::Kind kind, std::string name, uint64_t sequence, Device* device) {
  const int number = int(events_.size());
  ProfileEvent& e = events_.emplace_back();
  e.kind = kind;
  e.name = std::move(name);
  e.parent = open_.empty() ? -1 : open_.back().first;
  e.mark = source_mark();
  e.sequence = sequence;
  open_.emplace_back(number, device);
  if (device && wishes_.memory) e.memory = device->memory().allocated;
  if (Stream* s = device && wishes_.device ? device->current_stream() : nullptr) {
    times_.push_back({number, device->new_event(true), device->new_event(true)});
    times_.back().from->record(*s);
  }
  e.began = now();
  return number;
}

void Profiler::finish(int number, uint64_t sequence) {
  ProfileEvent& e = events_[size_t(number)];
  e.ended = now();
  if (e.kind != ProfileEvent::Kind::node) e.sequence_end = sequence;
  Device* device = open_.back().second;
  open_.pop_back();
  if (!device) return;
  if (wishes_.memory) e.memory = device->memory().allocated - e.memory;
  Stream* s = wishes_.device ? device->current_stream() : nullptr;
  for (size_t i = times_.size(); s && i-- > 0;)
    if (times_[i].number == number) {
      times_[i].to->record(*s);
      break;
    }
}

void Profiler::end(int number, int run, uint64_t sequence) {
  if (run != run_) return;
  while (!open_.empty() && open_.back().first >= number) finish(open_.back().first, sequence);
}

}  // namespace luth
