// Signals: what a GPU does at an illegal address becomes a report that names kernel and thread; a host that touches
// device memory outside kernels and copies is told so before it dies.
#pragma once
#include <cstddef>

namespace fake {

/// Installs the handlers, once per process.
void catch_faults();
/// Gives the calling OS thread a stack for signal handlers, since a fiber's own may be what has overflowed.
void use_signal_stack();
/// Tells the handler where device memory lies: [base, base + size), `device_bytes` for each device.
void set_arena(const char* base, size_t size, size_t device_bytes);

}  // namespace fake
