// Tensors from nothing: zeros, full, arange, … A factory is one struct: what to fill a fresh tensor with. Its forms
// `name(size)`, `name_like(x)` and `x:new_name(size)` come from it. See op.h for the recipe of operators.
//
//   struct OnesFill {
//     static constexpr std::string_view name = "ones", brief = "A tensor of ones.";
//     static constexpr Traits traits{};               // beyond those of factories
//     void describe(auto&) {}                         // attributes beside size, dtype, device
//     Dtype natural() const { return default_dtype(); }
//     void fill(const Tensor& t) const;               // t is fresh and needs no gradient
//   };
//   in the .cpp: const DefineFactory<OnesFill> ones_;
#pragma once
#include "core/op/define.h"

namespace luth::ops {

/// Two names joined at compile time.
template <size_t N>
struct JoinedName {
  char text[N] = {};
  constexpr JoinedName(std::string_view a, std::string_view b) {
    size_t i = 0;
    for (char c : a) text[i++] = c;
    for (char c : b) text[i++] = c;
  }
  constexpr std::string_view view() const { return {text, N}; }
};

/// `dtype` and `device`, which every factory takes.
struct Options {
  std::optional<Dtype> dtype;
  Device* device = nullptr;
  void describe_options(auto& field) {
    field("dtype", dtype, "the dtype; nil: what the values or the default dtype say", as::named);
    field("device", device, "the device; nil: the default device", as::named);
  }
  Device& place() const { return device ? *device : default_device(); }
};
template <class Fill>
Tensor filled(const Fill& f, const Shape& size, Dtype dtype, Device& device, const Strides* strides = nullptr);

struct Constant {
  static constexpr Traits family{.not_differentiable = "it has no tensor to be differentiated by"}, traits = family;
};

template <class Fill>
struct Factory : Constant, Options, Fill {
  static constexpr Doc doc{Fill::name, "", Fill::brief};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true}).with(Fill::traits);
  Ints size;
  void describe(auto& field) {
    field("size", size, "the shape", as::sizes | as::required);
    Fill::describe(field);
    describe_options(field);
  }
  Tensor decompose(const Inputs&) const { return filled<Fill>(*this, size, dtype.value_or(this->natural()), place()); }
  static Cases<Factory> samples() {
    Factory f;
    f.size = {2, 3};
    return {{f, {}}};
  }
};
template <class Fill>
struct Like : Constant, Options, Fill {
  static constexpr JoinedName<Fill::name.size() + 5> label{Fill::name, "_like"};
  static constexpr Doc doc{label.view(), "input",
                           "As the function without _like, in the shape, dtype and device of input."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true}).with(Fill::traits);
  MemoryFormat memory_format = MemoryFormat::preserve;
  void describe(auto& field) {
    Fill::describe(field);
    describe_options(field);
    field("memory_format", memory_format, "the order in memory", as::named);
  }
  Tensor decompose(const Inputs& in) const {
    const Tensor& t = in[0];
    Strides st = contiguous_strides(t.shape());
    if (memory_format == MemoryFormat::channels_last) st = channels_last_strides(t.shape());
    if (memory_format == MemoryFormat::preserve) st = strides_like(t.shape(), t.shape(), t.strides());
    return filled<Fill>(*this, t.shape(), dtype.value_or(t.dtype()), device ? *device : t.device(), &st);
  }
  static Cases<Like> samples() { return {{{}, {{2, 3}}}}; }
};
template <class Fill>
struct New : Constant, Options, Fill {
  static constexpr JoinedName<Fill::name.size() + 4> label{"new_", Fill::name};
  static constexpr Doc doc{label.view(), "input",
                           "As the function without new_, in the dtype and on the device of input."};
  static constexpr Traits traits = family.with({.offered = Offered::method, .factory = true}).with(Fill::traits);
  Ints size;
  void describe(auto& field) {
    field("size", size, "the shape", as::sizes | as::required);
    Fill::describe(field);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const {
    const Tensor& t = in[0];
    return filled<Fill>(*this, size, dtype.value_or(t.dtype()), device ? *device : t.device());
  }
  static Cases<New> samples() {
    New f;
    f.size = {2, 3};
    return {{f, {{1}}}};
  }
};

template <class Fill>
Tensor filled(const Fill& f, const Shape& size, Dtype dtype, Device& device, const Strides* strides) {
  Tensor t = Tensor::empty(size, dtype, device, strides);
  f.fill(t);
  return t;
}

template <class Fill>
struct DefineFactory : DefineAll<Factory<Fill>, Like<Fill>, New<Fill>> {};

struct EmptyFill {
  static constexpr std::string_view name = "empty",
                                    brief = "A tensor whose elements are not set (false, where they are bool).";
  static constexpr Traits traits{};
  void describe(auto&) {}
  Dtype natural() const { return default_dtype(); }
  void fill(const Tensor& t) const;
};
struct ZerosFill {
  static constexpr std::string_view name = "zeros", brief = "A tensor of zeros.";
  static constexpr Traits traits{};
  void describe(auto&) {}
  Dtype natural() const { return default_dtype(); }
  void fill(const Tensor& t) const;
};
struct OnesFill {
  static constexpr std::string_view name = "ones", brief = "A tensor of ones.";
  static constexpr Traits traits{};
  void describe(auto&) {}
  Dtype natural() const { return default_dtype(); }
  void fill(const Tensor& t) const;
};
struct FullFill {
  static constexpr std::string_view name = "full", brief = "A tensor of one number.";
  static constexpr Traits traits{};
  Scalar fill_value = 0;
  void describe(auto& field) { field("fill_value", fill_value, "the number", as::required); }
  Dtype natural() const { return fill_value.dtype(); }
  void fill(const Tensor& t) const;
};

/// start, start + step, … before end.
struct ArangeStart : Constant, Options {
  static constexpr Doc doc{"arange.start", "", "Numbers from start, step apart, before end."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Scalar start = 0, end = 0, step = 1;
  void describe(auto& field) {
    field("start", start, "the first number", as::required);
    field("end", end, "the numbers stop before it", as::required);
    field("step", step, "the distance between numbers");
    describe_options(field);
  }
  Spec infer(const Inputs& in) const;
  static Cases<ArangeStart> samples() { return {{{{}, {}, 1, 5, 2}, {}}, {{{}, {}, 0.5, 2.0, 0.25}, {}}}; }
};
struct Arange : Constant, Options {
  static constexpr Doc doc{"arange", "", "The numbers 0, 1, … before end."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Scalar end = 0;
  void describe(auto& field) {
    field("end", end, "the numbers stop before it", as::required);
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Arange> samples() { return {{{{}, {}, 4}, {}}}; }
};
/// Torch7's: includes its end.
struct Range : Constant, Options {
  static constexpr Doc doc{"range", "", "Numbers from start, step apart, up to end and including it."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Scalar start = 0, end = 0, step = 1;
  void describe(auto& field) {
    field("start", start, "the first number", as::required);
    field("end", end, "the last number", as::required);
    field("step", step, "the distance between numbers");
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Range> samples() { return {{{{}, {}, 1, 5, 2}, {}}}; }
};
struct Linspace : Constant, Options {
  static constexpr Doc doc{"linspace", "", "`steps` numbers from start to end, both included, equally far apart."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  Scalar start = 0, end = 0;
  int64_t steps = 0;
  void describe(auto& field) {
    field("start", start, "the first number", as::required);
    field("end", end, "the last number", as::required);
    field("steps", steps, "how many", as::required);
    describe_options(field);
  }
  Spec infer(const Inputs& in) const;
  static Cases<Linspace> samples() { return {{{{}, {}, 1, 5, 4}, {}}}; }
};
struct Eye : Constant, Options {
  static constexpr Doc doc{"eye", "", "A matrix with ones on its diagonal and zeros elsewhere."};
  static constexpr Traits traits = family.with({.offered = Offered::function, .factory = true});
  int64_t n = 0;
  std::optional<int64_t> m;
  void describe(auto& field) {
    field("n", n, "rows", as::required);
    field("m", m, "columns; nil: n");
    describe_options(field);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Eye> samples() { return {{{{}, {}, 3, {}}, {}}, {{{}, {}, 2, 3}, {}}}; }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::ArangeStart> arange;
/// 0, 1, … n - 1.
Tensor counting(int64_t n, Device& device, Dtype dtype = Dtype::i64);
inline constexpr Fn<ops::Linspace> linspace;
inline constexpr Fn<ops::Eye> eye;
Tensor zeros(const Shape& size, Dtype dtype = default_dtype(), Device& device = default_device());
Tensor ones(const Shape& size, Dtype dtype = default_dtype(), Device& device = default_device());
}  // namespace luth
