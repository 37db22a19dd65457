// Intrusive reference counting: one pointer wide, atomic, no separate control block.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

namespace luth {

/// Base of what `Ref` points to. The count begins at 0; the first `Ref` makes it 1.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  uint32_t use_count() const { return count_.load(std::memory_order_relaxed); }

 protected:
  ~Counted() = default;

 private:
  template <class T>
  friend class Ref;
  mutable std::atomic<uint32_t> count_{0};
};

/// A strong reference to a Counted object (`T` is final or has a virtual destructor).
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* p) : p_(p) { retain(); }
  Ref(const Ref& o) : p_(o.p_) { retain(); }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& o) : Ref(static_cast<T*>(o.get())) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() { release(); }

  /// The first reference to an object that is new, and so nobody else's.
  static Ref first(T* fresh) {
    fresh->count_.store(1, std::memory_order_relaxed);
    Ref r;
    r.p_ = fresh;
    return r;
  }
  /// One that does not count: it must forget() the object, which somebody else holds meanwhile.
  static Ref uncounted(T* p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  void forget() { p_ = nullptr; }

  T* get() const { return p_; }
  T& operator*() const { return *p_; }
  T* operator->() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }

 private:
  void retain() {
    if (p_) p_->count_.fetch_add(1, std::memory_order_relaxed);
  }
  // Whoever holds the only reference needs no atomic subtraction: nobody else can take another one.
  void release() {
    if (p_ &&
        (p_->count_.load(std::memory_order_acquire) == 1 || p_->count_.fetch_sub(1, std::memory_order_acq_rel) == 1))
      destroy(p_);
  }
  static void destroy(T* p) { delete p; }
  T* p_ = nullptr;
};

template <class T, class... A>
Ref<T> make(A&&... args) {
  return Ref<T>::first(new T(std::forward<A>(args)...));
}

}  // namespace luth
