// The caching allocator of one CUDA device. cudaMalloc and cudaFree wait for the device, so memory that was freed is
// kept and handed out again: to its own stream at once, because a stream runs in order, and never to another.
//
// A segment is one cudaMalloc; it is cut into blocks, which merge with their free neighbours. Small requests come
// from segments of 2 MB, larger ones from segments of 20 MB or of their own size. A block that other streams have used
// (record_stream) waits, when it is freed, for an event in each of them.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {

class Allocator {
 public:
  explicit Allocator(int device) : device_(device) {}

  /// Throws ErrorCode::memory with the bytes asked for, free and cached, and the operators with the largest tensors.
  /// The caller gives memory back (empty_cache) and tries once more: core/tensor/storage.cpp.
  void* allocate(size_t bytes, CudaStream& stream);
  void free(void* p) noexcept;
  void record_stream(void* p, CudaStream& stream);
  /// Gives unused segments back to CUDA.
  void empty_cache();
  MemoryStats stats();
  void reset_peak();

 private:
  struct Block {
    char* data;
    size_t bytes;
    CudaStream* stream;
    bool small, used = false;
    Block *before = nullptr, *after = nullptr;  // neighbours in the segment
    std::vector<CudaStream*> users;             // besides `stream`
    int waiting = 0;                            // events that must pass before it is free
    std::string_view owner = {};                // while used: the operator that asked for it
  };
  struct Less {
    bool operator()(const Block* a, const Block* b) const;
  };
  struct Waiting {
    std::unique_ptr<CudaEvent> event;
    Block* block;
  };
  using Queue = std::deque<Waiting>;  // of one stream, whose events pass in this order

  Block* find_free(size_t bytes, CudaStream& stream, bool small);
  Block* new_segment(size_t bytes, CudaStream& stream, bool small);
  void* from_cuda(size_t bytes);
  void cut(Block* b, size_t bytes);
  void put_back(Block* b);
  void absorb(Block* into, Block* gone);
  void pass_events(bool wait);
  void release_free();
  void wait_for_users(Block* b);
  std::string largest_owners() const;
  [[noreturn]] void throw_out_of_memory(size_t bytes);

  const int device_;
  std::mutex lock_;
  std::set<Block*, Less> free_;
  std::unordered_map<void*, Block*> used_;
  std::map<CudaStream*, Queue> waiting_;
  MemoryStats stats_;
  size_t failed_ = 0;  // the request that has just failed, and is expected once more
};

}  // namespace luth::cuda
