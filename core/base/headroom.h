// Memory for code that cannot live without.
#pragma once

namespace luth {

/// While it lives, malloc finds 2 MB without asking the system, for libraries that crash or end the process where it
/// finds none. Throws std::bad_alloc where there is less.
class Headroom {
 public:
  Headroom();
  ~Headroom();
  Headroom(const Headroom&) = delete;

 private:
  void* above_;  // the highest block; those below it are free, and stay in malloc's heap
};

}  // namespace luth
