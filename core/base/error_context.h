// Error context: the name of the outermost operator call, which stands before the text of its errors, so that an
// operator made of others speaks for itself.
#pragma once
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace luth {

/// How many with_error_context() this thread is in, and the name given to the outermost.
struct ErrorContext {
  int depth = 0;
  std::string_view name;
};
ErrorContext& error_context();

/// What this thread is running, as "gather"; "" outside of any call. The text lives as long as the process.
inline std::string_view running_name() { return error_context().name; }

/// Runs f and puts `prefix()`, "add(float32[2], float32[3]): ", before the text of its errors. Inside another
/// with_error_context() it adds nothing. `name` is what running_name() says meanwhile.
template <class Prefix, class F>
decltype(auto) with_error_context(std::string_view name, Prefix&& prefix, F&& f) {
  struct Level {
    ErrorContext& now;
    Level(ErrorContext& c, std::string_view name) : now(c) {
      if (now.depth++ == 0) now.name = name;
    }
    ~Level() {
      if (--now.depth == 0) now.name = {};
    }
  } level(error_context(), name);
  try {
    return f();
  } catch (Error& e) {
    if (level.now.depth == 1 && !e.has_context()) e.add_context(prefix());
    throw;
  }
}

/// The line of the script that is running, as "train.lua:12"; "" where there is none. The language sets the hook.
/// Kernels that report errors later keep it.
std::string script_line();
void set_script_line_hook(std::string (*hook)());

}  // namespace luth
