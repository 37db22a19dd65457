// Free lists for small objects that every operator makes and drops: Tensor, Storage, GradMeta, ViewOf. One list per
// thread and size. The system's allocator is slow where a collector frees hundreds at once.
#pragma once
#include <cstddef>
#include <new>

namespace luth {

/// Freed blocks of one size, of one thread. The thread returns them when it ends.
class FreeList {
 public:
  static constexpr int most = 2048;  // blocks kept
  void* take() {
    if (!head_) return nullptr;
    void* p = head_;
    head_ = *static_cast<void**>(p);
    --count_;
    return p;
  }
  /// False: the list is full.
  bool give(void* p) {
    if (count_ >= most) return false;
    if (count_ == 0) register_thread();
    *static_cast<void**>(p) = head_;
    head_ = p;
    ++count_;
    return true;
  }
  void clear();

 private:
  void register_thread();
  void* head_ = nullptr;
  int count_ = 0;
};
namespace detail {
extern constinit thread_local FreeList free_lists[5];
}
/// The calling thread's list: 0 TensorImpl, 1 Storage, 2 FunctionNode, 3 GradMeta, 4 ViewOf.
inline FreeList& free_list_of(int slot) { return detail::free_lists[slot]; }

/// Base of a final class T: its `operator new` and `delete` use list `Slot`.
template <class T, int Slot>
class FreeListed {
 public:
#if defined(__SANITIZE_ADDRESS__)
  // A sanitizer must see every deallocation.
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
