// The prompt: reads lines, runs them in a Session, until Ctrl-D.
#pragma once

namespace luth::lang {

class Session;

/// Reads from standard input until its end and returns the exit code: 0, or 143 after SIGTERM. Errors are printed and
/// the session goes on; Ctrl-C drops the block, or stops the Lua code that runs. Interp::handle_signals must have been
/// called.
int repl(Session& session);

}  // namespace luth::lang
