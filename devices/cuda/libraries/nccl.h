// NCCL, which carries tensors between GPUs: the table of its functions, opened on first use.
#pragma once
#include "devices/cuda/libraries/nccl_api.h"
#include "devices/cuda/runtime/library.h"

namespace luth::cuda {

/// "" where NCCL is there, else why not and what to install; opens it.
std::string nccl_missing();
/// 22809 of NCCL 2.28.9; 0 where it is missing. Opens it.
int64_t nccl_version();

namespace nccl {

struct Functions {
  Library library{"libnccl.so.2"};
  LibraryFunction<GetVersion> version{library, "ncclGetVersion"};
  LibraryFunction<GetUniqueId> unique_id{library, "ncclGetUniqueId"};
  LibraryFunction<InitRankConfig> init{library, "ncclCommInitRankConfig"};
  LibraryFunction<End> finalize{library, "ncclCommFinalize"};
  LibraryFunction<End> destroy{library, "ncclCommDestroy"};
  LibraryFunction<End> abort{library, "ncclCommAbort"};
  LibraryFunction<GetErrorString> error_text{library, "ncclGetErrorString"};
  LibraryFunction<GetLastError> last_error{library, "ncclGetLastError"};
  LibraryFunction<GetAsyncError> async_error{library, "ncclCommGetAsyncError"};
  LibraryFunction<Group> group_start{library, "ncclGroupStart"};
  LibraryFunction<Group> group_end{library, "ncclGroupEnd"};
  LibraryFunction<AllReduce> all_reduce{library, "ncclAllReduce"};
  LibraryFunction<Broadcast> broadcast{library, "ncclBroadcast"};
  LibraryFunction<Reduce> reduce{library, "ncclReduce"};
  LibraryFunction<AllGather> all_gather{library, "ncclAllGather"};
  LibraryFunction<ReduceScatter> reduce_scatter{library, "ncclReduceScatter"};
  LibraryFunction<Send> send{library, "ncclSend"};
  LibraryFunction<Recv> recv{library, "ncclRecv"};
};
/// To the end of the process. Nothing may be called where nccl_missing() says something.
const Functions& functions();

}  // namespace nccl
}  // namespace luth::cuda
