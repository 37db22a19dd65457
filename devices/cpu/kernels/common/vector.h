// The width of this library's vector registers. Kernel libraries only.
#pragma once
#include <utility>

namespace luth::cpu {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// f(l) for each lane l < width, register by register. The compiler makes one instruction of a register's loop, and so
/// lanes that f adds to stay in registers: a loop over several registers keeps them in memory.
template <int width, class A, class F>
inline void each_lane(F f) {
  constexpr int each = vector_bytes / int(sizeof(A)) < width ? vector_bytes / int(sizeof(A)) : width;
  const auto one = [&](int begin) {
    for (int l = begin; l < begin + each; ++l) f(l);
  };
  [&]<int... i>(std::integer_sequence<int, i...>) { (one(i * each), ...); }
  (std::make_integer_sequence<int, width / each>());
}

}  // namespace luth::cpu
