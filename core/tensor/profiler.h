// The profiler of a thread: what ran, when, and within what. Operators and nodes of backward ask `profiling()` alone
// while it is off.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.h"

namespace luth {

struct ProfileEvent {
  enum class Kind : uint8_t { op, node, range, module };
  Kind kind = Kind::op;
  std::string name;              // "conv2d", "Conv2dBackward0", or what a range was called
  std::string shapes;            // of inputs, where they were asked for
  int64_t began = 0, ended = 0;  // nanoseconds of the steady clock; ended is 0 while it runs
  int64_t memory = 0;            // bytes that were allocated within it and not freed, where asked for
  double device = 0;             // milliseconds on a GPU, where asked for
  int parent = -1;               // the event within which it ran
  uint32_t mark = 0;             // of the line of the script (source_mark.h)
  uint64_t sequence = 0,
           sequence_end = 0;  // nodes that were made within it are those from one up to the other; of a node: its own
};

/// What is asked for beside times.
struct ProfileWishes {
  bool shapes = false, memory = false, device = false;
};

class Profiler {
 public:
  /// Begins anew; events before are forgotten.
  void start(ProfileWishes wishes);
  /// Ends what still runs, waits for the devices whose times were asked for, and gives all events in order of their
  /// beginning.
  std::vector<ProfileEvent> stop();
  const ProfileWishes& wishes() const { return wishes_; }

  /// An event that ends with end() of its number. `device`: the one that it runs on, whose memory and time count; null:
  /// none.
  int begin(ProfileEvent::Kind kind, std::string name, uint64_t sequence, Device* device);
  /// Those within it end too. Nothing for a number of a profile that has been stopped; `run`: that of run() at the
  /// beginning.
  void end(int number, int run, uint64_t sequence);
  void set_shapes(int number, std::string shapes) { events_[size_t(number)].shapes = std::move(shapes); }
  /// Counts the calls of start().
  int run() const { return run_; }

 private:
  struct Times {
    int number;
    std::unique_ptr<Event> from, to;
  };
  void finish(int number, uint64_t sequence);

  ProfileWishes wishes_;
  std::vector<ProfileEvent> events_;
  std::vector<Times> times_;
  std::vector<std::pair<int, Device*>> open_;  // from the outermost to the innermost
  int run_ = 0;
};

namespace detail {
extern constinit thread_local Profiler* profiler;  // null: off
}

/// That of this thread; null while it is off.
inline Profiler* profiling() { return detail::profiler; }
/// Turns it on or off, and gives the profiler of this thread.
Profiler& set_profiling(bool on);

/// An event for the life of the object. There must be a profiler that is on.
class ProfileRange {
 public:
  ProfileRange(ProfileEvent::Kind kind, std::string name, uint64_t sequence, Device* device,
               uint64_t (*next_sequence)())
      : profiler_(*profiling()),
        run_(profiler_.run()),
        number_(profiler_.begin(kind, std::move(name), sequence, device)),
        next_sequence_(next_sequence) {}
  ~ProfileRange() { profiler_.end(number_, run_, next_sequence_()); }
  ProfileRange(const ProfileRange&) = delete;
  int number() const { return number_; }

 private:
  Profiler& profiler_;
  int run_, number_;
  uint64_t (*next_sequence_)();
};

}  // namespace luth
