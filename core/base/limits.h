// What the system leaves to this process: `ulimit`, and control groups of version 1 and 2.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace luth {

/// Bytes of address space below `ulimit -v` and `ulimit -d` that are not in use; nothing where there is no such limit.
std::optional<int64_t> address_space_left();

/// Bytes of memory that this process may use in all, by the machine and its control groups. 0: unknown.
int64_t total_memory();
/// Bytes that it can still have, by those and `ulimit -v`; what the system holds only as a cache counts as free.
int64_t available_memory();
/// False where so many more bytes would be too much. The system gives memory that it does not have and kills the
/// process later, without a message. This asks the system only now and then, more often the less is left.
bool memory_for(size_t bytes);

/// Threads that are joined together. Signals from outside are blocked on them. Their stacks have `stack` bytes,
/// whatever `ulimit -s` says.
class Threads {
 public:
  static constexpr size_t stack = size_t(8) << 20;
  Threads() = default;
  Threads(const Threads&) = delete;
  ~Threads() { join(); }
  /// Starts one more; false where the system has no room for it. `work` must not throw.
  bool start(std::function<void()> work);
  int count() const { return int(all_.size()); }
  void join();

 private:
  std::vector<std::thread::native_handle_type> all_;
};

/// How many of `wanted` threads can be started now. It starts them for a moment, and takes at most half of the address
/// space that is left.
int startable_threads(int wanted);

/// The folders of the control groups that bound this process by `controller` ("cpu", "memory"): its own, then those
/// around it. Files of version 1 and 2 have different names, so a reader asks for both.
std::vector<std::string> control_groups(std::string_view controller);
/// The same, from the text of /proc/self/cgroup and the folder where groups are mounted.
std::vector<std::string> control_groups(std::string_view controller, const std::string& memberships,
                                        const std::string& mounted);
/// The whole number behind `key` at the beginning of a line of the file; nothing where there is none.
std::optional<int64_t> number_in(const std::string& file, std::string_view key = "");

}  // namespace luth
