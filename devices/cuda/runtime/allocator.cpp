#include "devices/cuda/runtime/allocator.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "core/base/error_context.h"

namespace luth::cuda {
namespace {

constexpr size_t mb = size_t(1) << 20;
constexpr size_t unit = 512;       // sizes are multiples of it
constexpr size_t small_most = mb;  // requests up to this come from small segments
constexpr size_t small_segment = 2 * mb, large_segment = 20 * mb;
constexpr size_t own_segment = 10 * mb;  // requests from this on get a segment of their size

size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// For tests that watch every access: nothing is cached, and a segment has the size of its request.
bool uncached() {
  static const bool set = [] {
    const char* text = std::getenv("LUTH_CUDA_NO_CACHE");
    return text && *text && *text != '0';
  }();
  return set;
}

size_t segment_for(size_t bytes) {
  if (uncached()) return bytes;
  if (bytes <= small_most) return small_segment;
  return bytes < own_segment ? large_segment : rounded(bytes, 2 * mb);
}

std::string shown(int64_t bytes) {
  double n = double(bytes);
  if (n < double(mb)) return fmt::format("{:.1f} KiB", n / 1024);
  return n < 1024.0 * mb ? fmt::format("{:.1f} MiB", n / mb) : fmt::format("{:.2f} GiB", n / mb / 1024);
}

}  // namespace

// Orders free blocks so that those for one stream and size class are neighbours, the best fit first.
bool Allocator::Less::operator()(const Block* a, const Block* b) const {
  if (a->small != b->small) return a->small;
  if (a->stream != b->stream) return std::less<CudaStream*>()(a->stream, b->stream);
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  return std::less<char*>()(a->data, b->data);
}

void* Allocator::allocate(size_t bytes, CudaStream& stream) {
  std::lock_guard hold(lock_);
  if (bytes > size_t(1) << 62) throw_out_of_memory(bytes);
  const size_t size = rounded(std::max<size_t>(bytes, 1), uncached() ? 16 : unit);
  const bool small = size <= small_most;
  pass_events(false);
  Block* b = find_free(size, stream, small);
  if (!b) b = new_segment(size, stream, small);
  free_.erase(b);
  cut(b, size);
  b->used = true;
  b->owner = running_name();
  if (std::exchange(failed_, 0) == bytes) ++stats_.retries;
  used_.emplace(b->data, b);
  ++stats_.allocations;
  stats_.allocated += int64_t(b->bytes);
  stats_.peak = std::max(stats_.peak, stats_.allocated);
  return b->data;
}

Allocator::Block* Allocator::find_free(size_t bytes, CudaStream& stream, bool small) {
  Block key{nullptr, bytes, &stream, small};
  auto it = free_.lower_bound(&key);
  if (it == free_.end() || (*it)->stream != &stream || (*it)->small != small) return nullptr;
  // A large block that is much larger stays whole for a large request.
  if (!small && bytes < own_segment && (*it)->bytes > 8 * large_segment) return nullptr;
  return *it;
}

// A free block of a new segment, entered in `free_`.
Allocator::Block* Allocator::new_segment(size_t bytes, CudaStream& stream, bool small) {
  size_t whole = segment_for(bytes);
  void* p = from_cuda(whole);
  if (!p && whole > bytes) p = from_cuda(whole = rounded(bytes, unit));
  if (!p) throw_out_of_memory(bytes);
  stats_.reserved += int64_t(whole);
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  auto* b = new Block{static_cast<char*>(p), whole, &stream, small};
  free_.insert(b);
  return b;
}

void* Allocator::from_cuda(size_t bytes) {
  OnDevice on(device_);
  void* p = nullptr;
  cudaError_t e = cudaMalloc(&p, bytes);
  if (e == cudaErrorMemoryAllocation) return cudaGetLastError(), nullptr;
  check(e, "cudaMalloc");
  return p;
}

// Leaves `bytes` in b and makes a free block of the rest, where that is worth keeping.
void Allocator::cut(Block* b, size_t bytes) {
  const size_t rest = b->bytes - bytes;
  if (rest < (b->small ? unit : small_most)) return;
  auto* r = new Block{b->data + bytes, rest, b->stream, b->small};
  r->before = b;
  r->after = b->after;
  if (r->after) r->after->before = r;
  b->after = r;
  b->bytes = bytes;
  free_.insert(r);
}

void Allocator::free(void* p) noexcept {
  std::lock_guard hold(lock_);
  auto it = used_.find(p);
  if (it == used_.end()) return;
  Block* b = it->second;
  used_.erase(it);
  stats_.allocated -= int64_t(b->bytes);
  try {
    wait_for_users(b);
    if (b->waiting == 0) put_back(b);
    if (uncached()) release_free();
  } catch (const std::exception&) {
    // no event to be had, or no memory to note it: the stream is broken, and the block is lost with it
  }
}

void Allocator::wait_for_users(Block* b) {
  for (CudaStream* s : b->users) {
    auto event = std::make_unique<CudaEvent>(device_, false);
    event->record(*s);
    waiting_[s].push_back({std::move(event), b});
    ++b->waiting;
  }
  b->users.clear();
}

void Allocator::record_stream(void* p, CudaStream& stream) {
  std::lock_guard hold(lock_);
  auto it = used_.find(p);
  if (it == used_.end()) return;
  auto& users = it->second->users;
  if (it->second->stream == &stream || std::find(users.begin(), users.end(), &stream) != users.end()) return;
  users.push_back(&stream);
}

// Frees the blocks whose last event has passed; `wait`: waits for all. Asks one event of a stream that has more to do.
void Allocator::pass_events(bool wait) {
  for (auto& [stream, queue] : waiting_)
    while (!queue.empty()) {
      Waiting& first = queue.front();
      if (wait) first.event->synchronize();  // may throw: those before it are gone, the others still wait
      if (!wait && !first.event->done()) break;
      Block* b = first.block;
      queue.pop_front();
      if (--b->waiting == 0) put_back(b);
    }
}

// Makes b free, with the free neighbours that it has.
void Allocator::put_back(Block* b) {
  b->used = false;
  auto joins = [&](Block* n) { return n && !n->used && n->waiting == 0 && free_.count(n); };
  if (joins(b->after)) absorb(b, b->after);
  if (joins(b->before)) {
    Block* first = b->before;
    free_.erase(first);
    absorb(first, b);
    b = first;
  }
  free_.insert(b);
}

// `gone` follows `into` in memory.
void Allocator::absorb(Block* into, Block* gone) {
  free_.erase(gone);
  into->bytes += gone->bytes;
  into->after = gone->after;
  if (into->after) into->after->before = into;
  delete gone;
}

void Allocator::release_free() {
  if (free_.empty()) return;  // a device that was never used gets no context by this
  OnDevice on(device_);
  for (auto it = free_.begin(); it != free_.end();) {
    Block* b = *it;
    if (b->before || b->after) {
      ++it;
      continue;
    }
    it = free_.erase(it);
    cudaFree(b->data);  // waits until the device is idle
    stats_.reserved -= int64_t(b->bytes);
    delete b;
  }
}

void Allocator::empty_cache() {
  std::lock_guard hold(lock_);
  pass_events(true);
  release_free();
}

MemoryStats Allocator::stats() {
  std::lock_guard hold(lock_);
  return stats_;
}

void Allocator::reset_peak() {
  std::lock_guard hold(lock_);
  stats_.peak = stats_.allocated;
  stats_.peak_reserved = stats_.reserved;
}

// "linear 1.20 GiB in 4, conv2d 512.0 MiB in 31, moved or copied 20.0 MiB in 2": the three that hold most.
std::string Allocator::largest_owners() const {
  struct Held {
    int64_t bytes = 0, count = 0;
  };
  std::map<std::string_view, Held> by_owner;
  for (auto& [_, block] : used_) {
    Held& h = by_owner[block->owner];
    h.bytes += int64_t(block->bytes), ++h.count;
  }
  std::vector<std::pair<std::string_view, Held>> list(by_owner.begin(), by_owner.end());
  std::stable_sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.second.bytes > b.second.bytes; });
  std::string text;
  for (size_t i = 0; i < list.size() && i < 3; ++i)
    text += fmt::format("{}{} {} in {}", i ? ", " : "", list[i].first.empty() ? "moved or copied" : list[i].first,
                        shown(list[i].second.bytes), list[i].second.count);
  return text;
}

void Allocator::throw_out_of_memory(size_t bytes) {
  failed_ = failed_ == bytes ? 0 : bytes;
  OnDevice on(device_);
  size_t unused = 0, total = 0;
  cudaMemGetInfo(&unused, &total);
  const std::string most = largest_owners();
  throw Error(
      ErrorCode::memory,
      "cannot allocate {} on cuda:{}: of {} in all, {} are free, tensors hold {}, and {} are cached{}{}; use smaller "
      "tensors or batches, or free some",
      shown(int64_t(bytes)), device_, shown(int64_t(total)), shown(int64_t(unused)), shown(stats_.allocated),
      shown(stats_.reserved - stats_.allocated), most.empty() ? "" : "; most is held by results of ", most);
}

}  // namespace luth::cuda
