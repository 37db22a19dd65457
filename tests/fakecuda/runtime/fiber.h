// A stack of its own and a way to switch to it: what a CUDA thread that has to wait is kept in. A fiber stays on the OS
// thread that made it. AddressSanitizer is told of each switch.
#pragma once
#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace fake {

class Fiber {
 public:
  /// The OS thread's own stack: where fibers are switched to from.
  Fiber() = default;
  /// A stack in [low, low + size), which calls entry(argument) at the first switch. `entry` never returns.
  Fiber(char* low, size_t size, void (*entry)(void*), void* argument);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Forgets what was on the stack and starts anew at the next switch. Objects there are not destroyed.
  void restart();
  /// Tells AddressSanitizer that the frames on the stack are given up.
  void unpoison();
  char* top() const { return low_ + size_; }

  /// Leaves `from`, which is running, for `to`; returns when somebody switches back.
  static void change(Fiber& from, Fiber& to);

 private:
  static void begin();
  static void arrived(Fiber& here);

  char* low_ = nullptr;
  size_t size_ = 0;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

}  // namespace fake
