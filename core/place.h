// Where an error gets the name of what was called: the outermost of nested calls gives it, so that an operator made of
// others speaks for itself. Includes nothing but error.
#pragma once
#include <string>

#include "core/error.h"

namespace luth {

/// How many placed() of this thread are running.
int& placing_depth();

/// Runs f and puts `prefix()`, "add(float32[2], float32[3]): ", before the text of its errors, unless another placed()
/// is running around this one.
template <class Prefix, class F>
decltype(auto) placed(Prefix&& prefix, F&& f) {
  struct Level {
    int& depth;
    explicit Level(int& d) : depth(d) { ++depth; }
    ~Level() { --depth; }
  } level(placing_depth());
  try {
    return f();
  } catch (Error& e) {
    if (level.depth == 1 && !e.placed()) e.place(prefix());
    throw;
  }
}

}  // namespace luth
