// What kernel code sees beside plain C++: qualifiers, threadIdx and its like, barriers, and warp operations.
//
// A CUDA thread runs until it meets a barrier or a warp operation that others have not reached; then another one of its
// block runs, in an order drawn from the seed. All threads of a block run on one OS thread, so that a __shared__
// variable is a thread_local one. The ABI tag puts "shared" into its symbol, by which the runtime finds and poisons it.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "fakecuda/vectors.h"

#define FAKECUDA 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __restrict__ __restrict
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __shared__ __attribute__((abi_tag("shared"))) constinit thread_local
// __noinline__ is left out: as a macro it breaks headers of libstdc++. [[gnu::noinline]] serves both compilers.

#define FAKECUDA_API __attribute__((visibility("default")))

/// The dynamic shared memory of a block. The one name that an `extern __shared__` array may have here, since somebody
/// has to define it; devices/cuda/runtime/launch.h hands it out as dynamic_shared<T>().
extern FAKECUDA_API __shared__ __align__(128) unsigned char luth_shared[];

// Where the running CUDA thread is; written before a thread runs.
#define FAKECUDA_HERE FAKECUDA_API constinit thread_local
extern FAKECUDA_HERE uint3 threadIdx, blockIdx;
extern FAKECUDA_HERE dim3 blockDim, gridDim;

namespace fake {

/// A place in the source, as std::source_location, which clang 14 lacks.
struct Site {
  const char* file;
  int line;
  static constexpr Site current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// The number of the running thread in its block, x fastest.
extern FAKECUDA_HERE unsigned linear_thread;

/// Ends the kernel with a report.
[[noreturn]] FAKECUDA_API void trap(const char* what, Site at = Site::current());

enum class Barrier { plain, count, all, any };
/// Waits for every thread of the block; what it returns is of the kind's rule over the predicates.
FAKECUDA_API int barrier(Barrier kind, bool predicate, Site at);

/// One lane's part in a warp operation. The last lane of the mask to arrive resolves it for all of them, so that no
/// lane can overwrite what another has yet to read.
struct Collective {
  const char* name;
  unsigned mask;
  uint64_t value;                                     // what this lane brings
  int source;                                         // of a shuffle: the lane to read
  uint64_t (*resolve)(Collective* const*, int lane);  // 32 entries, null outside the mask
  uint64_t result;
  Site at;
};
FAKECUDA_API uint64_t meet(Collective& mine);

inline int lane() { return int(linear_thread & 31u); }

// Shuffles

FAKECUDA_API uint64_t resolve_shuffle(Collective* const* lanes, int lane);

template <class T>
T shuffle(const char* name, unsigned mask, T v, int source, Site at) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
  Collective c{name, mask, 0, source, resolve_shuffle, 0, at};
  std::memcpy(&c.value, &v, sizeof v);
  uint64_t result = meet(c);
  std::memcpy(&v, &result, sizeof v);
  return v;
}
// The lane that `source` means, in segments of `width` lanes; a lane outside the segment means oneself.
inline int within(int source, int width) {
  int first = lane() & ~(width - 1);
  return source >= first && source < first + width ? source : lane();
}

// Votes and reductions: one result from the values of all lanes.

template <class F>
uint64_t fold(Collective* const* lanes, uint64_t start, F f) {
  for (int i = 0; i < 32; ++i)
    if (lanes[i]) start = f(start, lanes[i]->value, i);
  return start;
}
inline uint64_t resolve_ballot(Collective* const* lanes, int) {
  return fold(lanes, 0, [](uint64_t s, uint64_t v, int i) { return v ? s | (uint64_t(1) << i) : s; });
}
inline uint64_t resolve_match(Collective* const* lanes, int lane) {
  uint64_t mine = lanes[lane]->value;
  return fold(lanes, 0, [mine](uint64_t s, uint64_t v, int i) { return v == mine ? s | (uint64_t(1) << i) : s; });
}
inline uint64_t resolve_nothing(Collective* const*, int) { return 0; }
inline uint64_t vote(const char* name, unsigned mask, uint64_t value, decltype(Collective::resolve) resolve, Site at) {
  Collective c{name, mask, value, 0, resolve, 0, at};
  return meet(c);
}
template <class T, class F>
T reduce(const char* name, unsigned mask, T v, F, Site at) {
  auto resolve = [](Collective* const* lanes, int) {
    bool first = true;
    return fold(lanes, 0, [&first](uint64_t s, uint64_t x, int) {
      if (first) return first = false, x;
      return uint64_t(F()(T(s), T(x)));
    });
  };
  return T(vote(name, mask, uint64_t(v), resolve, at));
}

FAKECUDA_API unsigned active_lanes();
FAKECUDA_API void give_way();

}  // namespace fake

inline constexpr int warpSize = 32;

inline void __syncthreads(fake::Site at = fake::Site::current()) { fake::barrier(fake::Barrier::plain, false, at); }
inline int __syncthreads_count(int p, fake::Site at = fake::Site::current()) {
  return fake::barrier(fake::Barrier::count, p != 0, at);
}
inline int __syncthreads_and(int p, fake::Site at = fake::Site::current()) {
  return fake::barrier(fake::Barrier::all, p != 0, at);
}
inline int __syncthreads_or(int p, fake::Site at = fake::Site::current()) {
  return fake::barrier(fake::Barrier::any, p != 0, at);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, fake::Site at = fake::Site::current()) {
  fake::vote("__syncwarp", mask, 0, fake::resolve_nothing, at);
}

template <class T>
T __shfl_sync(unsigned mask, T v, int source, int width = 32, fake::Site at = fake::Site::current()) {
  int first = fake::lane() & ~(width - 1);
  return fake::shuffle("__shfl_sync", mask, v, first + (source & (width - 1)), at);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, fake::Site at = fake::Site::current()) {
  return fake::shuffle("__shfl_xor_sync", mask, v, fake::within(fake::lane() ^ bits, width), at);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32, fake::Site at = fake::Site::current()) {
  return fake::shuffle("__shfl_down_sync", mask, v, fake::within(fake::lane() + int(by), width), at);
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32, fake::Site at = fake::Site::current()) {
  return fake::shuffle("__shfl_up_sync", mask, v, fake::within(fake::lane() - int(by), width), at);
}

inline unsigned __ballot_sync(unsigned mask, int p, fake::Site at = fake::Site::current()) {
  return unsigned(fake::vote("__ballot_sync", mask, p != 0, fake::resolve_ballot, at));
}
inline int __any_sync(unsigned mask, int p, fake::Site at = fake::Site::current()) {
  return fake::vote("__any_sync", mask, p != 0, fake::resolve_ballot, at) != 0;
}
inline int __all_sync(unsigned mask, int p, fake::Site at = fake::Site::current()) {
  return fake::vote("__all_sync", mask, p == 0, fake::resolve_ballot, at) == 0;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T v, fake::Site at = fake::Site::current()) {
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return unsigned(fake::vote("__match_any_sync", mask, bits, fake::resolve_match, at));
}
#define FAKECUDA_REDUCE(name, expression)                             \
  template <class T>                                                  \
  T name(unsigned mask, T v, fake::Site at = fake::Site::current()) { \
    return fake::reduce(                                              \
        #name, mask, v, [](T a, T b) { return T(expression); }, at);  \
  }
FAKECUDA_REDUCE(__reduce_add_sync, a + b)
FAKECUDA_REDUCE(__reduce_min_sync, b < a ? b : a)
FAKECUDA_REDUCE(__reduce_max_sync, a < b ? b : a)
FAKECUDA_REDUCE(__reduce_and_sync, a& b)
FAKECUDA_REDUCE(__reduce_or_sync, a | b)
FAKECUDA_REDUCE(__reduce_xor_sync, a ^ b)
#undef FAKECUDA_REDUCE

/// The lanes that have not ended: an answer that CUDA may give, though seldom the one that a GPU gives.
inline unsigned __activemask() { return fake::active_lanes(); }
inline void __nanosleep(unsigned) { fake::give_way(); }
[[noreturn]] inline void __trap(fake::Site at = fake::Site::current()) { fake::trap("__trap", at); }
