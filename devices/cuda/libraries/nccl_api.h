// NCCL's interface as luth uses it: NCCL 2.14 and later, whose header is not needed to build. A test compares it with
// nccl.h (tests/nccl/header_test.cpp).
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

namespace luth::cuda::nccl {

struct Communicator;  // NCCL's own

enum class Result : int {
  success,
  unhandled_cuda_error,
  system_error,
  internal_error,
  invalid_argument,
  invalid_usage,
  remote_error,
  in_progress
};
enum class Op : int { sum, product, max, min, avg };
enum class Type : int { i8, u8, i32, u32, i64, u64, f16, f32, f64, bf16 };

struct UniqueId {
  char bytes[128];
};

/// As of 2.14: later versions read no more of it than that version has.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 1;
};

// ---- functions ----

using GetVersion = Result(int*);
using GetUniqueId = Result(UniqueId*);
using InitRankConfig = Result(Communicator**, int size, UniqueId, int rank, Config*);
/// Finalize, Destroy, Abort.
using End = Result(Communicator*);
using GetErrorString = const char*(Result);
using GetLastError = const char*(Communicator*);
using GetAsyncError = Result(Communicator*, Result*);
using Group = Result();
/// Counts are of elements.
using AllReduce = Result(const void* from, void* to, size_t count, Type, Op, Communicator*, cudaStream_t);
using Broadcast = Result(const void* from, void* to, size_t count, Type, int root, Communicator*, cudaStream_t);
using Reduce = Result(const void* from, void* to, size_t count, Type, Op, int root, Communicator*, cudaStream_t);
/// The count is that of one rank's part.
using AllGather = Result(const void* part, void* all, size_t count, Type, Communicator*, cudaStream_t);
using ReduceScatter = Result(const void* all, void* part, size_t count, Type, Op, Communicator*, cudaStream_t);
using Send = Result(const void* from, size_t count, Type, int peer, Communicator*, cudaStream_t);
using Recv = Result(void* to, size_t count, Type, int peer, Communicator*, cudaStream_t);

}  // namespace luth::cuda::nccl
