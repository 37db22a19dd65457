// Ctrl-C at the prompt: the session is worth more than the process's end.
#pragma once

namespace luth::lang {

/// From now on a second SIGINT does not end the process: it interrupts once more, and says that the third one leaves
/// luth. SIGQUIT (Ctrl-\) ends nothing, and says so. What does not stop within a second says so. SIGTERM ends as ever.
void keep_session();

/// Runs before a signal ends the process at once. Only what is safe in a signal handler.
void before_sudden_end(void (*hook)());

}  // namespace luth::lang
