// What the tests of autograd share: leaves from lists, lists from tensors, texts of errors.
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/copy.h"

namespace luth {

using Doubles = std::vector<double>;

inline Tensor vec(std::initializer_list<double> v) { return Tensor::from<double>({int64_t(v.size())}, v.begin()); }
/// How long a chain is that no stack could hold, were it walked by recursion. The sanitizers' frames are larger, and
/// slow.
#ifdef __SANITIZE_ADDRESS__
constexpr int very_long = 100'000;
#else
constexpr int very_long = 1'000'000;
#endif
inline Tensor leaf(std::initializer_list<double> v) { return vec(v).set_requires_grad(); }
inline Doubles list(const Tensor& t) {
  Tensor c = clone(t.detach(), {.memory_format = MemoryFormat::contiguous});
  return {c.data<double>(), c.data<double>() + c.numel()};
}

/// The text of the error that f throws; "" if it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "";
}
inline bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace luth
