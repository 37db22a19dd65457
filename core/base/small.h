// A vector with room for N elements inside it, so that the arguments of a call need no allocation.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

namespace luth {

/// An argument of emplace_back that becomes what f() gives, in the element's own place: what was just written cannot be
/// moved at once.
template <class F>
struct Made {
  F f;
  operator decltype(auto)() const { return f(); }
};
template <class F>
Made(F) -> Made<F>;

template <class T, size_t N>
class Small {
 public:
  Small() {}  // not "= default", which would let Small{} clear the room
  explicit Small(size_t n) {
    reserve(n);
    for (size_t i = 0; i < n; ++i) emplace_back();
  }
  Small(std::initializer_list<T> items) : Small(items.begin(), items.end()) {}
  template <class It>
  requires requires(It i) { *++i; }
  Small(It first, It last) {
    for (; first != last; ++first) emplace_back(*first);
  }
  Small(const Small& o) : Small(o.begin(), o.end()) {}
  Small(Small&& o) noexcept { take(o); }
  Small& operator=(Small o) noexcept {
    clear();
    free_heap();
    take(o);
    return *this;
  }
  ~Small() {
    clear();
    free_heap();
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  template <class... A>
  T& emplace_back(A&&... args) {
    if (size_ == capacity_) {
      T item(std::forward<A>(args)...);  // made first: an argument may live inside this vector
      reserve(capacity_ * 2);
      return *new (data_ + size_++) T(std::move(item));
    }
    T* const item = new (data_ + size_) T(std::forward<A>(args)...);  // may throw
    ++size_;
    return *item;
  }
  void push_back(T item) { emplace_back(std::move(item)); }
  void pop_back() { data_[--size_].~T(); }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(size_t n) {
    while (size_ > n) pop_back();
    reserve(n);
    while (size_ < n) emplace_back();
  }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    T* bigger = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
    std::uninitialized_move_n(data_, size_, bigger);
    std::destroy_n(data_, size_);
    free_heap();
    data_ = bigger;
    capacity_ = n;
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(bytes_); }
  void free_heap() {
    if (data_ != inline_data()) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = inline_data();
    capacity_ = N;
  }
  void take(Small& o) noexcept {  // this is empty and inline
    if (o.data_ != o.inline_data()) {
      data_ = std::exchange(o.data_, o.inline_data());
      size_ = std::exchange(o.size_, 0);
      capacity_ = std::exchange(o.capacity_, N);
    } else {
      std::uninitialized_move_n(o.data_, o.size_, data_);
      size_ = o.size_;
      o.clear();
    }
  }
  alignas(T) std::byte bytes_[N * sizeof(T)];
  T* data_ = inline_data();
  size_t size_ = 0, capacity_ = N;
};

}  // namespace luth
