// parallel_for: the one parallel loop. Ranges depend on the size alone, never on the number of threads, so results do
// not either.
#pragma once
#include <cstdint>
#include <type_traits>

namespace luth {

/// The cores that affinity and cgroup limits give to this process.
int available_cores();
int num_threads();
/// At least 1; throws for less.
void set_num_threads(int n);
/// Work inside this scope runs on the calling thread alone (loader threads).
class SerialScope {
 public:
  SerialScope();
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;

 private:
  bool before_;
};

using RangeFn = void (*)(void* context, int64_t begin, int64_t end);
void run_ranges(int64_t n, int64_t grain, RangeFn f, void* context);

/// Calls f(begin, end) for [0, n) in ranges of `grain` (the last may be shorter), on several threads where there is
/// more than one range. The first exception of f is thrown here. Nested calls run serially.
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& f) {
  using Fn = std::remove_reference_t<F>;
  run_ranges(
      n, grain, [](void* c, int64_t b, int64_t e) { (*static_cast<Fn*>(c))(b, e); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace luth
