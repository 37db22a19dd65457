// What a thread has of its own. Its registration needs no memory, as that of a thread_local object with a destructor
// does: where there is none, glibc ends the process.
#pragma once
#include <cstddef>
#include <new>

namespace luth {

/// What is to happen when a thread ends: a thread_local of static storage. The main thread's never happens.
class ThreadEnd {
 public:
  /// `run` is called with this object at the end of the calling thread, the last set first; then it may be set anew.
  void set(void (*run)(ThreadEnd&)) {
    if (!run_) add(run);
  }

 private:
  void add(void (*run)(ThreadEnd&));
  static void run_all(void*);
  void (*run_)(ThreadEnd&) = nullptr;
  ThreadEnd* before_ = nullptr;
};

/// An object of each thread, as `static constinit thread_local PerThread<T> x`: made when it is first asked for, gone
/// when the thread ends. One that is asked for later still is a new one.
template <class T>
class PerThread : ThreadEnd {
 public:
  T& get() {
    if (!made_) make();
    return object();
  }
  T& operator*() { return get(); }
  T* operator->() { return &get(); }

 private:
  T& object() { return *std::launder(reinterpret_cast<T*>(bytes_)); }
  [[gnu::noinline, gnu::cold]] void make() {
    new (bytes_) T();
    made_ = true;
    set([](ThreadEnd& self) {
      auto& mine = static_cast<PerThread&>(self);
      mine.object().~T();
      mine.made_ = false;
    });
  }
  bool made_ = false;
  alignas(T) std::byte bytes_[sizeof(T)] = {};
};

}  // namespace luth
