#include "core/base/interrupt.h"

#include <time.h>

#include <atomic>

namespace luth {
namespace {
constinit std::atomic<void (*)()> hook_{nullptr};
constinit std::atomic<long long> wished_{0};
constexpr long long moment = 50'000'000;  // nanoseconds
}  // namespace

void set_interrupt_hook(void (*hook)()) { hook_ = hook; }
void poll_interrupt() {
  if (auto hook = hook_.load(std::memory_order_relaxed)) hook();
}

void poll_interrupt_in_work() {
  const long long wished = wished_.load(std::memory_order_relaxed);
  if (!wished) return;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec * 1'000'000'000LL + now.tv_nsec - wished > moment) poll_interrupt();
}
void set_interrupt_time(long long nanoseconds) { wished_ = nanoseconds; }

}  // namespace luth
