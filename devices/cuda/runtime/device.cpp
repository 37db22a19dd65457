// The CUDA device: memory, copies, order, and whether there is one at all.
#include <cstring>

#include "devices/cuda/runtime/allocator.h"
#include "devices/cuda/runtime/index_check.h"
#include "devices/cuda/runtime/pinned.h"
#include "devices/cuda/runtime/probe.h"
#include "devices/cuda/runtime/wait.h"

namespace luth::cuda {
namespace {

constexpr size_t most_staged = 4 << 20;

// Whether the GPU can read pageable memory by itself: it walks the host's page tables, as Grace Hopper does, or its
// driver moves pages (HMM). Then a copy may read it after the call has returned: for the first it does, for the second
// no document says that it does not.
bool may_read_pageable_late(int index) {
  for (int attribute : {88, 100}) {  // cudaDevAttrPageableMemoryAccess, …UsesHostPageTables
    int value = 0;
    if (cudaDeviceGetAttribute(&value, cudaDeviceAttr(attribute), index) != cudaSuccess) cudaGetLastError();
    if (value) return true;
  }
  return false;
}

class Cuda final : public Device {
 public:
  explicit Cuda(int index)
      : Device("cuda", index), late_(may_read_pageable_late(index)), streams_(*this), allocator_(index) {}

  // ---- memory ----

  void* allocate(size_t bytes, Stream* stream) override { return allocator_.allocate(bytes, own(stream)); }
  void free(void* p, size_t, Stream*) noexcept override { allocator_.free(p); }
  void record_stream(void* p, Stream* stream) override { allocator_.record_stream(p, own(stream)); }

  void copy(void* dst, Device& to, const void* src, Device& from, size_t bytes, bool async) override {
    OnDevice on(index());
    if (to.kind() == kind() && from.kind() == kind() && &to != &from)
      copy_from_peer(dst, to, src, from, bytes);
    else if (to.on_host() || from.on_host())
      copy_with_host(dst, src, bytes, to.on_host(), async);
    else
      start_copy(dst, src, bytes);
    wait_if_exact(*this);
  }
  void fill_zero(void* dst, size_t bytes) override {
    OnDevice on(index());
    check(cudaMemsetAsync(dst, 0, bytes, handle()), "cudaMemsetAsync");
    wait_if_exact(*this);
  }

  void* allocate_pinned(size_t bytes) override {
    OnDevice on(index());
    return pinned().allocate(bytes);
  }
  void free_pinned(void* p, size_t) noexcept override { pinned().free(p); }

  MemoryStats memory() const override { return allocator_.stats(); }
  void reset_peak() override { allocator_.reset_peak(); }
  void empty_cache() override { allocator_.empty_cache(); }

  // ---- order ----

  Stream* current_stream() override { return &streams_.current(); }
  void set_current_stream(Stream* stream) override { streams_.set_current(stream); }
  Stream* new_stream(int priority) override { return &streams_.next(priority); }
  std::unique_ptr<Event> new_event(bool timing) override { return std::make_unique<CudaEvent>(index(), timing); }
  void synchronize() override {
    if (streams_.all().empty()) return;  // never used: no context is made for this
    OnDevice on(index());
    streams_.synchronize();
  }
  int64_t host_waits() const override { return cuda::host_waits(index()); }

  DeviceProperties properties() const override {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, index()), "cudaGetDeviceProperties");
    char bus[32] = "";
    cudaDeviceGetPCIBusId(bus, sizeof bus, index());
    return {p.name, int64_t(p.totalGlobalMem), fmt::format("{}.{}", p.major, p.minor),
            bus,    driver_version(),          p.multiProcessorCount};
  }

 private:
  CudaStream& own(Stream* stream) { return stream ? static_cast<CudaStream&>(*stream) : streams_.current(); }
  cudaStream_t handle() { return streams_.current().handle(); }

  void start_copy(void* dst, const void* src, size_t bytes) {
    check(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, handle()), "cudaMemcpyAsync");
  }

  // CUDA has read pageable memory when it returns (but see late_); pinned memory it reads later, and any host memory it
  // writes later.
  void copy_with_host(void* dst, const void* src, size_t bytes, bool to_host, bool async) {
    const void* on_host = to_host ? dst : src;
    const bool in_pinned = pinned().holds(on_host);
    if (late_ && !to_host && !in_pinned && bytes <= most_staged) return copy_staged(dst, src, bytes);
    const bool waits = to_host ? !(in_pinned && async) : in_pinned ? !async : late_;
    // What the host gets is there before the copy begins: a wait that was given up leaves no copy behind that would
    // write into memory which somebody else has by then.
    if (waits && to_host) streams_.current().synchronize();
    start_copy(dst, src, bytes);
    if (waits && !to_host) ++cuda::host_waits(index());
    if (waits) check(cudaStreamSynchronize(handle()), "cudaStreamSynchronize");
    if (!waits && in_pinned) pinned().used(on_host, streams_.current());
  }

  // By way of pinned memory, so that `src` may change at once.
  void copy_staged(void* dst, const void* src, size_t bytes) {
    void* stage = pinned().allocate(bytes);
    std::memcpy(stage, src, bytes);
    start_copy(dst, stage, bytes);
    pinned().used(stage, streams_.current());
    pinned().free(stage);
  }

  // This device receives. Work queued on `from` before runs first; work queued there later waits for the copy.
  void copy_from_peer(void* dst, Device& to, const void* src, Device& from, size_t bytes) {
    Stream &here = *to.current_stream(), &there = *from.current_stream();
    auto ready = from.new_event(false), copied = to.new_event(false);
    ready->record(there);
    here.wait(*ready);
    check(cudaMemcpyPeerAsync(dst, to.index(), src, from.index(), bytes, handle()), "cudaMemcpyPeerAsync");
    copied->record(here);
    there.wait(*copied);
  }

  const bool late_;
  Streams streams_;
  mutable Allocator allocator_;
};

}  // namespace
}  // namespace luth::cuda

extern "C" {
__attribute__((visibility("default"))) extern const int luth_abi;
const int luth_abi = luth::abi_version;
// Throws the reason where there is no device to be had.
__attribute__((visibility("default"))) void luth_open() {
  const int count = luth::cuda::count_devices();
  for (int i = 0; i < count; ++i) luth::add_device(new luth::cuda::Cuda(i));
}
__attribute__((visibility("default"))) void luth_support(const luth::Device& d, luth::DeviceSupport& support) {
  luth::cuda::describe_support(d.index(), support);
}
__attribute__((visibility("default"))) void* luth_native_stream(luth::Device& d) { return luth::cuda::stream_of(d); }
__attribute__((visibility("default"))) int64_t luth_free_memory(const luth::Device& d) {
  return luth::cuda::free_memory_of(d.index());
}
}
