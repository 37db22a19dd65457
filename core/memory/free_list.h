// Memory of small objects that come and go with every operator, kept in a list per thread: the system's allocator is
// slow where hundreds are freed at once, as a collector does.
#pragma once
#include <cstddef>
#include <new>

namespace luth {

/// The lists of one thread, one for each of a few sizes. They are given back when the thread ends.
class FreeList {
 public:
  static constexpr int most = 2048;  // objects kept of a size
  void* take() {
    if (!head_) return nullptr;
    void* p = head_;
    head_ = *static_cast<void**>(p);
    --count_;
    return p;
  }
  /// False: the list is full, or the thread is ending.
  bool give(void* p) {
    if (count_ >= most || (count_ == 0 && !register_thread())) return false;
    *static_cast<void**>(p) = head_;
    head_ = p;
    ++count_;
    return true;
  }
  void clear();

 private:
  bool register_thread();
  void* head_ = nullptr;
  int count_ = 0;
};
FreeList& free_list_of(
    int slot);  // of the calling thread; slots: 0 TensorImpl, 1 Storage, 2 operators' nodes, 3 GradMeta

/// A base that gives T (final) `operator new` and `delete` through the list in `Slot`.
template <class T, int Slot>
class FreeListed {
 public:
#if defined(__SANITIZE_ADDRESS__)
  // A sanitizer must see every object die.
#else
  static void* operator new(size_t n) {
    if (n == sizeof(T))
      if (void* p = free_list_of(Slot).take()) return p;
    return ::operator new(n);
  }
  static void operator delete(void* p, size_t n) {
    if (n != sizeof(T) || !free_list_of(Slot).give(p)) ::operator delete(p);
  }
#endif
};

}  // namespace luth
