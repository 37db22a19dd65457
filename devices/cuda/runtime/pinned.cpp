#include "devices/cuda/runtime/pinned.h"

#include <algorithm>
#include <bit>

namespace luth::cuda {

Pinned& pinned() {
  static Pinned& p = *new Pinned;  // never destroyed: tensors in static variables may outlive it
  return p;
}

void* Pinned::allocate(size_t bytes) {
  const size_t size = std::bit_ceil(std::max<size_t>(bytes, 4096));
  std::lock_guard hold(lock_);
  if (Block* idle = take_idle(size)) return idle->data;
  void* p = nullptr;
  check(cudaHostAlloc(&p, size, cudaHostAllocPortable), "cudaHostAlloc");
  auto block = std::make_unique<Block>(Block{static_cast<char*>(p), size, {}});
  return (blocks_[block->data] = std::move(block))->data;
}

// A kept block of this size that no copy uses any more.
Pinned::Block* Pinned::take_idle(size_t bytes) {
  auto [begin, end] = idle_.equal_range(bytes);
  for (auto it = begin; it != end; ++it) {
    Block* b = it->second;
    std::erase_if(b->users, [](auto& event) { return event->done(); });
    if (!b->users.empty()) continue;
    idle_.erase(it);
    return b;
  }
  return nullptr;
}

void Pinned::free(void* p) noexcept {
  std::lock_guard hold(lock_);
  if (Block* b = find(p)) idle_.emplace(b->bytes, b);
}

Pinned::Block* Pinned::find(const void* p) {
  auto* at = static_cast<char*>(const_cast<void*>(p));
  auto it = blocks_.upper_bound(at);
  if (it == blocks_.begin()) return nullptr;
  Block* b = std::prev(it)->second.get();
  return at < b->data + b->bytes ? b : nullptr;
}

bool Pinned::holds(const void* p) {
  std::lock_guard hold(lock_);
  return find(p);
}

void Pinned::used(const void* p, CudaStream& stream) {
  std::lock_guard hold(lock_);
  Block* b = find(p);
  if (!b) return;
  std::erase_if(b->users, [](auto& event) { return event->done(); });
  b->users.push_back(std::make_unique<CudaEvent>(stream.device().index(), false));
  b->users.back()->record(stream);
}

}  // namespace luth::cuda
