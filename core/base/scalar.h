// A number of one of Lua's kinds: boolean, integer or float.
#pragma once
#include "core/base/dtype.h"

namespace luth {

/// A number without a dtype. In promotion it is weaker than any tensor of its kind.
class Scalar {
 public:
  enum class Kind : uint8_t { boolean, integer, floating };
  constexpr Scalar() : Scalar(int64_t(0)) {}
  constexpr Scalar(bool v) : kind_(Kind::boolean), i_(v) {}
  constexpr Scalar(int v) : Scalar(int64_t(v)) {}
  constexpr Scalar(int64_t v) : kind_(Kind::integer), i_(v) {}
  constexpr Scalar(double v) : kind_(Kind::floating), d_(v) {}

  Kind kind() const { return kind_; }
  bool is_floating() const { return kind_ == Kind::floating; }
  /// The dtype that a tensor made of this number alone would have.
  Dtype dtype() const {
    return kind_ == Kind::boolean ? Dtype::boolean : kind_ == Kind::integer ? Dtype::i64 : default_dtype();
  }
  template <class T>
  LUTH_HD T to() const {
    return kind_ == Kind::floating ? cast<T>(d_) : cast<T>(i_);
  }
  double value() const { return to<double>(); }
  int64_t integer() const { return to<int64_t>(); }
  friend bool operator==(const Scalar& a, const Scalar& b) {
    return a.kind_ == b.kind_ && (a.is_floating() ? a.d_ == b.d_ : a.i_ == b.i_);
  }

 private:
  Kind kind_;
  union {
    int64_t i_;
    double d_;
  };
};

/// The number as elements of `d` hold it where that is a 16-bit float, and itself otherwise.
inline Scalar rounded_to(Dtype d, const Scalar& v) {
  if (d == Dtype::f16) return double(float(v.to<half>()));
  return d == Dtype::bf16 ? Scalar(double(float(v.to<bfloat16>()))) : v;
}

}  // namespace luth
