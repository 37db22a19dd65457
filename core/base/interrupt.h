// Where long waits ask whether the user wants to stop.
#pragma once

namespace luth {

/// Throws, as the language would between two statements, where this thread has been asked to stop. Whatever waits long
/// calls it now and then; what it waited for goes on by itself.
void poll_interrupt();
/// The language hangs its answer here; without it nothing ever throws.
void set_interrupt_hook(void (*hook)());

}  // namespace luth
