// Inverse trigonometric and hyperbolic functions, and angles. See elementwise.h for the recipe. Derivatives: DLMF 4.20,
// 4.24, 4.34, 4.38.
#pragma once
#include "core/ops/elementwise/elementwise.h"

namespace luth::ops {

// clang-format off
struct Acos : FloatElementwise {
  static constexpr Doc doc{"acos", "input", "The angle from 0 to pi whose cosine is the element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "arccos", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::acos(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Acos> samples() { return unary_samples<Acos>(-0.9, 0.9); }
};
struct Asin : FloatElementwise {
  static constexpr Doc doc{"asin", "input", "The angle from -pi/2 to pi/2 whose sine is the element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "arcsin", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::asin(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Asin> samples() { return unary_samples<Asin>(-0.9, 0.9); }
};
struct Atan : FloatElementwise {
  static constexpr Doc doc{"atan", "input", "The angle from -pi/2 to pi/2 whose tangent is the element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "arctan"});
  template <class T> LUTH_HD T f(T x) const { return math::atan(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Atan> samples() { return unary_samples<Atan>(-2, 2); }
};
struct Sinh : FloatElementwise {
  static constexpr Doc doc{"sinh", "input", "Hyperbolic sine of each element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::sinh(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sinh> samples() { return unary_samples<Sinh>(-2, 2); }
};
struct Cosh : FloatElementwise {
  static constexpr Doc doc{"cosh", "input", "Hyperbolic cosine of each element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .autocast = Autocast::f32});
  template <class T> LUTH_HD T f(T x) const { return math::cosh(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Cosh> samples() { return unary_samples<Cosh>(-2, 2); }
};
struct Acosh : FloatElementwise {
  static constexpr Doc doc{"acosh", "input", "The number not below 0 whose hyperbolic cosine is the element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "arccosh"});
  template <class T> LUTH_HD T f(T x) const { return math::acosh(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Acosh> samples() { return unary_samples<Acosh>(1.3, 3); }
};
struct Asinh : FloatElementwise {
  static constexpr Doc doc{"asinh", "input", "The number whose hyperbolic sine is the element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "arcsinh"});
  template <class T> LUTH_HD T f(T x) const { return math::asinh(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Asinh> samples() { return unary_samples<Asinh>(-2, 2); }
};
struct Atanh : FloatElementwise {
  static constexpr Doc doc{"atanh", "input", "The number whose hyperbolic tangent is the element."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "arctanh"});
  template <class T> LUTH_HD T f(T x) const { return math::atanh(x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Atanh> samples() { return unary_samples<Atanh>(-0.9, 0.9); }
};
struct Deg2rad : FloatElementwise {
  static constexpr Doc doc{"deg2rad", "input", "Degrees as radians."};
  template <class T> LUTH_HD T f(T x) const { return x * T(0.017453292519943295); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Deg2rad> samples() { return unary_samples<Deg2rad>(-180, 180); }
};
struct Rad2deg : FloatElementwise {
  static constexpr Doc doc{"rad2deg", "input", "Radians as degrees."};
  template <class T> LUTH_HD T f(T x) const { return x * T(57.29577951308232); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Rad2deg> samples() { return unary_samples<Rad2deg>(-3, 3); }
};
struct Sinc : FloatElementwise {
  static constexpr Doc doc{"sinc", "input", "sin(pi x) / (pi x), and 1 at 0."};
  static constexpr Traits traits = family.with({.saves = "input: input", .aliases = "special.sinc"});
  template <class T> LUTH_HD T f(T x) const { const T a = T(3.141592653589793) * x; return x == T(0) ? T(1) : math::sin(a) / a; }
  template <math::HasQuickSine T> LUTH_HD T quick(T x) const { const T a = T(3.141592653589793) * x; return x == T(0) ? T(1) : math::own::sin(a) / a; }
  template <math::HasQuickSine T> LUTH_HD bool is_quick(T x) const { return math::is_sine_quick(T(3.141592653589793) * x); }
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Sinc> samples() { return unary_samples<Sinc>(0.3, 2); }
};
// clang-format on

using TrigOps = Types<Acos, Asin, Atan, Sinh, Cosh, Acosh, Asinh, Atanh, Deg2rad, Rad2deg, Sinc>;

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Acos> acos;
inline constexpr Fn<ops::Asin> asin;
inline constexpr Fn<ops::Atan> atan;
inline constexpr Fn<ops::Sinh> sinh;
inline constexpr Fn<ops::Cosh> cosh;
inline constexpr Fn<ops::Acosh> acosh;
inline constexpr Fn<ops::Asinh> asinh;
inline constexpr Fn<ops::Atanh> atanh;
inline constexpr Fn<ops::Deg2rad> deg2rad;
inline constexpr Fn<ops::Rad2deg> rad2deg;
inline constexpr Fn<ops::Sinc> sinc;
}  // namespace luth
