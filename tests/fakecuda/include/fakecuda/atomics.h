// Atomic operations, fences and cached loads. They are truly atomic, since blocks of one grid may run on two OS
// threads.
#pragma once
#include <atomic>
#include <cstdint>

namespace fake {

/// Replaces *p by f(old) at once, and returns the old value.
template <class T, class F>
T exchange_by(T* p, F f) {
  T old, fresh;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do { fresh = f(old); } while (!__atomic_compare_exchange(p, &old, &fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}

}  // namespace fake

// Only the types for which CUDA has the operation: another one must not compile here either.
#define FAKECUDA_ATOMIC(name, T, expression)                                                         \
  inline T name(T* p, T v) {                                                                         \
    return fake::exchange_by(p, [v]([[maybe_unused]] T old) { return static_cast<T>(expression); }); \
  }

FAKECUDA_ATOMIC(atomicAdd, int, unsigned(old) + unsigned(v))
FAKECUDA_ATOMIC(atomicAdd, unsigned, old + v)
FAKECUDA_ATOMIC(atomicAdd, unsigned long long, old + v)
FAKECUDA_ATOMIC(atomicAdd, float, old + v)
FAKECUDA_ATOMIC(atomicAdd, double, old + v)
FAKECUDA_ATOMIC(atomicSub, int, unsigned(old) - unsigned(v))
FAKECUDA_ATOMIC(atomicSub, unsigned, old - v)
FAKECUDA_ATOMIC(atomicExch, int, v)
FAKECUDA_ATOMIC(atomicExch, unsigned, v)
FAKECUDA_ATOMIC(atomicExch, unsigned long long, v)
FAKECUDA_ATOMIC(atomicExch, float, v)
FAKECUDA_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
FAKECUDA_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
#define FAKECUDA_ATOMIC_ORDER(T)                   \
  FAKECUDA_ATOMIC(atomicMax, T, old < v ? v : old) \
  FAKECUDA_ATOMIC(atomicMin, T, v < old ? v : old)
FAKECUDA_ATOMIC_ORDER(int)
FAKECUDA_ATOMIC_ORDER(unsigned)
FAKECUDA_ATOMIC_ORDER(long long)
FAKECUDA_ATOMIC_ORDER(unsigned long long)
#define FAKECUDA_ATOMIC_BITS(T)         \
  FAKECUDA_ATOMIC(atomicAnd, T, old& v) \
  FAKECUDA_ATOMIC(atomicOr, T, old | v) \
  FAKECUDA_ATOMIC(atomicXor, T, old ^ v)
FAKECUDA_ATOMIC_BITS(int)
FAKECUDA_ATOMIC_BITS(unsigned)
FAKECUDA_ATOMIC_BITS(unsigned long long)
#define FAKECUDA_ATOMIC_CAS(T)                                                              \
  inline T atomicCAS(T* p, T expected, T v) {                                               \
    __atomic_compare_exchange(p, &expected, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                        \
  }
FAKECUDA_ATOMIC_CAS(unsigned short)
FAKECUDA_ATOMIC_CAS(int)
FAKECUDA_ATOMIC_CAS(unsigned)
FAKECUDA_ATOMIC_CAS(unsigned long long)
#undef FAKECUDA_ATOMIC
#undef FAKECUDA_ATOMIC_ORDER
#undef FAKECUDA_ATOMIC_BITS
#undef FAKECUDA_ATOMIC_CAS

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }

// clang-format off
template <class T> T __ldg(const T* p) { return *p; }
template <class T> T __ldcs(const T* p) { return *p; }
template <class T> T __ldcg(const T* p) { return *p; }
template <class T> T __ldca(const T* p) { return *p; }
template <class T> T __ldlu(const T* p) { return *p; }
template <class T> T __ldcv(const T* p) { return *const_cast<const volatile T*>(p); }
template <class T> void __stcs(T* p, T v) { *p = v; }
template <class T> void __stcg(T* p, T v) { *p = v; }
template <class T> void __stwb(T* p, T v) { *p = v; }
template <class T> void __stwt(T* p, T v) { *p = v; }
// clang-format on
