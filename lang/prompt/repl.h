// The prompt: reads lines, runs them in a Session, until Ctrl-D.
#pragma once

namespace luth::lang {

class Interp;

/// Reads from standard input until its end and returns the exit code: 0, or 143 after SIGTERM. Errors are printed and
/// the session goes on; Ctrl-C drops the line, or stops the Lua code that runs. Interp::handle_signals must have been
/// called.
int repl(Interp& interp);

}  // namespace luth::lang
