// Memory of C++ objects within the bounds of the machine: text and trees of a file, lists of a script. The system gives
// more than a control group has, and then kills without a word; here std::bad_alloc comes first, as for tensors and
// Lua.
#include <cstdlib>
#include <new>
#include <utility>

#include "core/base/limits.h"

#ifndef __SANITIZE_ADDRESS__  // which has operators of its own
namespace {
constexpr size_t unasked = 64 << 10;  // bytes that a thread takes between two questions

bool fits(size_t bytes) {
  static thread_local size_t taken = 0;
  if (bytes < unasked && (taken += bytes) < unasked) return true;
  return luth::memory_for(bytes + std::exchange(taken, 0));
}
}  // namespace

void* operator new(size_t bytes) {
  if (void* p = fits(bytes) ? std::malloc(bytes ? bytes : 1) : nullptr) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
#endif
