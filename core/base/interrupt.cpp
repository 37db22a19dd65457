#include "core/base/interrupt.h"

#include <atomic>

namespace luth {
namespace {
constinit std::atomic<void (*)()> hook_{nullptr};
}

void set_interrupt_hook(void (*hook)()) { hook_ = hook; }
void poll_interrupt() {
  if (auto hook = hook_.load(std::memory_order_relaxed)) hook();
}

}  // namespace luth
