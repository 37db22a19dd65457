// Up to eight extents held inline, and the arithmetic of dims, strides and broadcasting.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/base/error.h"

namespace luth {

inline constexpr int max_dims = 8;

/// A list of at most eight integers: extents, strides, or any attribute that is a short list (kernel sizes, dims).
class Shape {
 public:
  Shape() {}  // not "= default", which would let Shape{} clear all eight
  Shape(std::initializer_list<int64_t> v) {
    for (int64_t x : v) push_back(x);
  }
  explicit Shape(size_t n, int64_t fill = 0) {
    for (size_t i = 0; i < n; ++i) push_back(fill);
  }
  template <class It>
  requires requires(It i) { *i; }
  Shape(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  int size() const { return n_; }
  bool empty() const { return n_ == 0; }
  int64_t& operator[](int64_t i) { return v_[i]; }
  int64_t operator[](int64_t i) const { return v_[i]; }
  int64_t* begin() { return v_; }
  int64_t* end() { return v_ + n_; }
  const int64_t* begin() const { return v_; }
  const int64_t* end() const { return v_ + n_; }
  int64_t back() const { return v_[n_ - 1]; }
  /// What is new has no value yet.
  void resize(int n) {
    if (n > max_dims) throw_too_many();
    n_ = n;
  }
  void push_back(int64_t x) {
    if (n_ == max_dims) throw_too_many();
    v_[n_++] = x;
  }
  void insert(int at, int64_t x) {
    push_back(x);
    for (int i = n_ - 1; i > at; --i) v_[i] = v_[i - 1];
    v_[at] = x;
  }
  void erase(int at) {
    for (int i = at; i + 1 < n_; ++i) v_[i] = v_[i + 1];
    --n_;
  }
  /// Product of the extents; 1 for a 0-dimensional shape.
  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < n_; ++i) n *= v_[i];
    return n;
  }
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.n_ != b.n_) return false;
    for (int i = 0; i < a.n_; ++i)
      if (a.v_[i] != b.v_[i]) return false;
    return true;
  }

 private:
  [[noreturn]] static void throw_too_many();
  int64_t v_[max_dims];
  int n_ = 0;
};
using Strides = Shape;
using Ints = Shape;

/// Dims and positions are counted from 0 in C++ and from 1 in Lua: errors print `shown(dim)`, and the language sets the
/// base.
void set_shown_base(int base);
int64_t shown(int64_t position);

/// "[2, 3]"
std::string to_string(const Shape& s);
/// Strides, in elements, of row-major memory.
Strides contiguous_strides(const Shape& s);
/// The same, written in place: a list that was just written cannot be copied at once.
void set_contiguous_strides(Strides& st, const Shape& s);
/// Strides of NHWC memory for a 4-dimensional shape, NDHWC for 5, NLC for 3.
Strides channels_last_strides(const Shape& s);
bool is_contiguous(const Shape& s, const Strides& st);
bool is_channels_last(const Shape& s, const Strides& st);
/// True where the elements fill a block of memory without holes or repetition, in any order of dims.
bool is_dense(const Shape& s, const Strides& st);
/// Whether a dim was expanded: then several elements share memory.
bool is_expanded(const Shape& s, const Strides& st);
/// Row-major strides for `s` whose dims lie in memory in the same order as those of `like` (same number of dims).
Strides strides_like(const Shape& s, const Shape& like, const Strides& st);
/// The shape that both broadcast to; throws when they do not (PyTorch's rule).
Shape broadcast(const Shape& a, const Shape& b);
/// 0 ≤ result < n for -n ≤ dim < n (n of at least 1: a 0-dimensional tensor takes 0 and -1); throws otherwise.
int wrap_dim(int64_t dim, int n);
/// Each of `dims` wrapped, as a bit mask; an empty list means all dims; throws for one named twice.
uint32_t dim_mask(const Ints& dims, int n);
/// Checks every extent (none negative) and the product against 2^62 bytes; throws with the shape in the text. Returns
/// the number of elements.
int64_t check_shape(const Shape& s, size_t element_size);

/// One past the furthest element that a view reaches from `offset`, all in elements (`offset` itself for an empty
/// view). Throws for a negative stride or offset, and for what 64 bits cannot count.
int64_t reach(const Shape& s, const Strides& st, int64_t offset);

/// A dim seen by a kernel: `outer` blocks of `n` rows of `inner` neighbours.
struct Axis {
  int64_t outer, n, inner;
};
Axis axis_of(const Shape& s, int dim);

/// The window arithmetic's helper: element `i` of a list in which one number stands for all.
inline int64_t at_or_all(const Ints& v, int i) { return v[v.size() == 1 ? 0 : i]; }

}  // namespace luth
