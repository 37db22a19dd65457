// How the host waits for a GPU: counted, and so that Ctrl-C is heard.
#pragma once
#include <time.h>

#include <atomic>
#include <cstdint>

#include "core/base/interrupt.h"

namespace luth::cuda {

/// How often the host has waited for that device.
std::atomic<int64_t>& host_waits(int device);

/// Waits until done(), which asks CUDA. An interrupt ends the wait by an error. The device goes on, so the caller must
/// not own host memory that the device still writes.
template <class Done>
void wait_until(int device, Done&& done) {
  ++host_waits(device);
  for (int asked = 0; !done(); ++asked) {
    poll_interrupt();
    if (asked < 2000) continue;  // most waits are short, and a thread that sleeps comes back 50 microseconds late
    const timespec pause{0, 20'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace luth::cuda
