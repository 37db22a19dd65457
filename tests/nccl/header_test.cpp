// luth's declarations of NCCL (devices/cuda/libraries/nccl_api.h) against NCCL's own header, where the build has found
// it.
#include <gtest/gtest.h>

#ifdef LUTH_NCCL_H
#include <dlfcn.h>
#include <nccl.h>

#include <type_traits>

#include "devices/cuda/libraries/nccl_api.h"

namespace luth::cuda::nccl {
namespace {

// What NCCL's header calls a type of luth's.
template <class T>
struct Theirs {
  using type = T;
};
template <class T>
struct Theirs<T*> {
  using type = typename Theirs<T>::type*;
};
template <class R, class... A>
struct Theirs<R(A...)> {
  using type = typename Theirs<R>::type(typename Theirs<A>::type...);
};
// clang-format off
template <> struct Theirs<Communicator> { using type = ncclComm; };
template <> struct Theirs<Result> { using type = ncclResult_t; };
template <> struct Theirs<Op> { using type = ncclRedOp_t; };
template <> struct Theirs<Type> { using type = ncclDataType_t; };
template <> struct Theirs<UniqueId> { using type = ncclUniqueId; };
template <> struct Theirs<Config> { using type = ncclConfig_t; };
// clang-format on

template <class Ours, class T>
constexpr bool is_same_call = std::is_same_v<typename Theirs<Ours>::type, T>;

static_assert(is_same_call<GetVersion, decltype(ncclGetVersion)>);
static_assert(is_same_call<GetUniqueId, decltype(ncclGetUniqueId)>);
static_assert(is_same_call<InitRankConfig, decltype(ncclCommInitRankConfig)>);
static_assert(is_same_call<End, decltype(ncclCommFinalize)> && is_same_call<End, decltype(ncclCommDestroy)> &&
              is_same_call<End, decltype(ncclCommAbort)>);
static_assert(is_same_call<GetErrorString, decltype(ncclGetErrorString)>);
static_assert(is_same_call<GetLastError, decltype(ncclGetLastError)>);
static_assert(is_same_call<GetAsyncError, decltype(ncclCommGetAsyncError)>);
static_assert(is_same_call<Group, decltype(ncclGroupStart)> && is_same_call<Group, decltype(ncclGroupEnd)>);
static_assert(is_same_call<AllReduce, decltype(ncclAllReduce)>);
static_assert(is_same_call<Broadcast, decltype(ncclBroadcast)>);
static_assert(is_same_call<Reduce, decltype(ncclReduce)>);
static_assert(is_same_call<AllGather, decltype(ncclAllGather)>);
static_assert(is_same_call<ReduceScatter, decltype(ncclReduceScatter)>);
static_assert(is_same_call<Send, decltype(ncclSend)> && is_same_call<Recv, decltype(ncclRecv)>);

template <class Ours, class T>
constexpr bool equal(Ours a, T b) {
  return int(a) == int(b);
}
static_assert(equal(Result::success, ncclSuccess) && equal(Result::unhandled_cuda_error, ncclUnhandledCudaError) &&
              equal(Result::system_error, ncclSystemError) && equal(Result::internal_error, ncclInternalError) &&
              equal(Result::invalid_argument, ncclInvalidArgument) && equal(Result::invalid_usage, ncclInvalidUsage) &&
              equal(Result::remote_error, ncclRemoteError) && equal(Result::in_progress, ncclInProgress));
static_assert(equal(Op::sum, ncclSum) && equal(Op::product, ncclProd) && equal(Op::max, ncclMax) &&
              equal(Op::min, ncclMin) && equal(Op::avg, ncclAvg));
static_assert(equal(Type::i8, ncclInt8) && equal(Type::u8, ncclUint8) && equal(Type::i32, ncclInt32) &&
              equal(Type::u32, ncclUint32) && equal(Type::i64, ncclInt64) && equal(Type::u64, ncclUint64) &&
              equal(Type::f16, ncclFloat16) && equal(Type::f32, ncclFloat32) && equal(Type::f64, ncclFloat64) &&
              equal(Type::bf16, ncclBfloat16));
static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(offsetof(Config, size) == offsetof(ncclConfig_t, size) &&
              offsetof(Config, magic) == offsetof(ncclConfig_t, magic) &&
              offsetof(Config, version) == offsetof(ncclConfig_t, version) &&
              offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking));

TEST(NcclHeader, TheConfigurationBeginsAsTheirs) {
  const ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  const Config ours;
  EXPECT_EQ(ours.magic, theirs.magic);
  EXPECT_LE(ours.size, theirs.size);
  EXPECT_LE(ours.version, theirs.version);
}

// The library answers these without a GPU.
TEST(NcclHeader, TheLibraryAnswers) {
  void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("/usr/local/cuda/lib64/libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) GTEST_SKIP() << dlerror();
  auto version = reinterpret_cast<GetVersion*>(dlsym(library, "ncclGetVersion"));
  auto text = reinterpret_cast<GetErrorString*>(dlsym(library, "ncclGetErrorString"));
  int number = 0;
  ASSERT_EQ(version(&number), Result::success);
  EXPECT_GE(number, 21400);
  EXPECT_STRNE(text(Result::remote_error), text(Result::success));
}

}  // namespace
}  // namespace luth::cuda::nccl

#else
TEST(NcclHeader, IsThere) { GTEST_SKIP() << "there is no nccl.h in the CUDA toolkit nor in PyPI's nvidia-nccl"; }
#endif
