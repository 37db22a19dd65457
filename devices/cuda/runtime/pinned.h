// Pinned memory of the host, which the GPU reads and writes by itself. One cache for all devices: cudaHostAlloc is slow
// and waits, so freed memory is kept, and used again once the copies that used it are done.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "devices/cuda/runtime/streams.h"

namespace luth::cuda {

class Pinned {
 public:
  /// Throws ErrorCode::memory.
  void* allocate(size_t bytes);
  void free(void* p) noexcept;
  /// True when `p` points into memory that was allocated here.
  bool holds(const void* p);
  /// Notes that work queued in the stream until now uses the memory around `p`.
  void used(const void* p, CudaStream& stream);

 private:
  struct Block {
    char* data;
    size_t bytes;
    std::vector<std::unique_ptr<CudaEvent>> users;
  };
  Block* find(const void* p);
  Block* take_idle(size_t bytes);

  std::mutex lock_;
  std::map<char*, std::unique_ptr<Block>> blocks_;
  std::multimap<size_t, Block*> idle_;  // by size; their users may still be at work
};

Pinned& pinned();

}  // namespace luth::cuda
