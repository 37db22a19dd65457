// Failures of work that was given to a device and that nobody waits for.
#pragma once
#include <exception>

namespace luth::cuda {

/// What the device has computed since is not to be read: the host's next wait for it throws `why`, once.
void report_failure(int device, std::exception_ptr why);
/// Throws it where there is one.
void raise_failure(int device);

}  // namespace luth::cuda
