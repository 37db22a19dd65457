// Where long waits ask whether the user wants to stop.
#pragma once

namespace luth {

/// Throws, as the language would between two statements, where this thread has been asked to stop. Whatever waits long
/// calls it now and then; what it waited for goes on by itself.
void poll_interrupt();
/// The same within work that would be left half done: only where the wish is a moment old, so that short work ends.
void poll_interrupt_in_work();
/// Notes the time of the wish, in nanoseconds of CLOCK_MONOTONIC; 0: there is none. A signal handler may call it.
void set_interrupt_time(long long nanoseconds);
/// The language hangs its answer here; without it nothing ever throws.
void set_interrupt_hook(void (*hook)());

}  // namespace luth
