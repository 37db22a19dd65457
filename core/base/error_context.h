// Where an error gets the name of what was called: the outermost of nested calls gives it, so that an operator made of
// others speaks for itself.
#pragma once
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace luth {

/// The placed() of this thread that are running, and the name of the outermost.
struct Placing {
  int depth = 0;
  std::string_view name;
};
Placing& placing();

/// What this thread is running, as "gather"; "" outside of any call. The text lives as long as the process.
inline std::string_view running_name() { return placing().name; }

/// Runs f and puts `prefix()`, "add(float32[2], float32[3]): ", before the text of its errors, unless another placed()
/// is running around this one. `name` is what running_name() says meanwhile.
template <class Prefix, class F>
decltype(auto) placed(std::string_view name, Prefix&& prefix, F&& f) {
  struct Level {
    Placing& now;
    Level(Placing& p, std::string_view name) : now(p) {
      if (now.depth++ == 0) now.name = name;
    }
    ~Level() {
      if (--now.depth == 0) now.name = {};
    }
  } level(placing(), name);
  try {
    return f();
  } catch (Error& e) {
    if (level.now.depth == 1 && !e.placed()) e.place(prefix());
    throw;
  }
}

/// The line of the script that is running, as "train.lua:12"; "" where there is none. The language hangs its answer
/// here. Kernels that cannot raise at once keep it for later.
std::string call_site();
void set_call_site_hook(std::string (*hook)());

}  // namespace luth
