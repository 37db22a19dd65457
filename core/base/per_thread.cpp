#include "core/base/per_thread.h"

#include <pthread.h>

#include <utility>

namespace luth {
namespace {
constinit thread_local ThreadEnd* last = nullptr;
}

// Another key's destructor may set some after this one has run; the system then calls it again.
void ThreadEnd::run_all(void*) {
  while (ThreadEnd* end = last) {
    last = end->before_;
    std::exchange(end->run_, nullptr)(*end);
  }
}

void ThreadEnd::add(void (*run)(ThreadEnd&)) {
  static const pthread_key_t key = [] {
    pthread_key_t k{};
    pthread_key_create(&k, run_all);  // one of the first 32, whose values need no memory
    return k;
  }();
  run_ = run;
  before_ = std::exchange(last, this);
  pthread_setspecific(key, this);
}

}  // namespace luth
