// The CPU's memory: classes, reuse, bound, statistics, and what happens when there is no more.
#include "devices/cpu/runtime/allocator.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <thread>

#include "core/tensor/tensor.h"
// Kernel libraries hide their symbols; an allocator with a small bound is made from the sources.
#include "devices/cpu/runtime/allocator.cpp"
#include "devices/cpu/runtime/machine.cpp"

namespace {

using luth::cpu::Allocator;
using luth::cpu::SizeClass;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool caches = false;
#else
constexpr bool caches = true;
#endif

TEST(Allocator, ClassesHoldWhatIsAskedAndWasteAnEighth) {
  int last = -1;
  for (size_t n = 1; n < size_t(1) << 40; n += 1 + n / 37) {
    SizeClass c(n);
    EXPECT_GE(c.bytes, n);
    EXPECT_LE(c.bytes, std::max(n + n / 8, n + 63)) << n;
    EXPECT_EQ(c.bytes % 64, 0u);
    EXPECT_GE(c.index, last);
    EXPECT_EQ(SizeClass::bytes_of(c.index), c.bytes) << n;
    EXPECT_EQ(SizeClass(c.bytes).index, c.index);
    last = c.index;
  }
  EXPECT_LT(SizeClass(SizeClass::largest).index, SizeClass::count);
}

TEST(Allocator, BlocksAreAlignedAndReused) {
  Allocator a;
  for (size_t n : {1, 40, 64, 1000, 5000, 40000, 300000, 3000000, 9000000}) {
    void* p = a.allocate(n);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u) << n;
    std::memset(p, 1, n);
    a.free(p, n);
    void* q = a.allocate(n);
    if (caches) { EXPECT_EQ(p, q) << n; }
    a.free(q, n);
  }
  EXPECT_EQ(a.allocate(0), nullptr);
}

TEST(Allocator, StatisticsAreExact) {
  Allocator a;
  void* p = a.allocate(4096);
  void* q = a.allocate(size_t(4) << 20);
  EXPECT_EQ(a.stats().allocated, 4096 + (4 << 20));
  EXPECT_EQ(a.stats().allocations, 2);
  a.free(q, size_t(4) << 20);
  EXPECT_EQ(a.stats().allocated, 4096);
  EXPECT_EQ(a.stats().peak, 4096 + (4 << 20));
  if (caches) { EXPECT_GE(a.stats().reserved, a.stats().allocated + (4 << 20)); }
  a.reset_peak();
  EXPECT_EQ(a.stats().peak, 4096);
  void* r = a.allocate(1024);
  a.free(r, 1024);
  EXPECT_EQ(a.stats().peak, 4096 + 1024) << "a small block that came and went";
  a.free(p, 4096);
  a.empty_cache();
  EXPECT_EQ(a.stats().allocated, 0);
  EXPECT_EQ(a.stats().reserved, 0);
}

TEST(Allocator, KeepsNoMoreThanItsBound) {
  constexpr size_t block = size_t(4) << 20;
  Allocator a(3 * block);
  void* p[6];
  for (auto& x : p) x = a.allocate(block);
  for (auto& x : p) a.free(x, block);
  EXPECT_LE(a.stats().reserved, int64_t(3 * block));
  // blocks of another class push out those that nobody has asked for lately
  void* q = a.allocate(2 * block);
  a.free(q, 2 * block);
  void* again = a.allocate(2 * block);
  if (caches) { EXPECT_EQ(again, q); }
  a.free(again, 2 * block);
  EXPECT_LE(a.stats().reserved, int64_t(3 * block));
  void* big = a.allocate(4 * block);
  a.free(big, 4 * block);
  EXPECT_LE(a.stats().reserved, int64_t(3 * block)) << "a block above the bound is not kept";
}

constexpr size_t mb = size_t(1) << 20;
int64_t seconds = 0;
int64_t told_seconds() { return seconds; }

TEST(Allocator, KeepsHalfAsMuchAgainAsWasInUse) {
  Allocator a(size_t(1) << 40, told_seconds);
  for (int round = 0; round < 3; ++round)
    for (size_t n = 256 * mb; n; n -= 16 * mb) {
      a.free(a.allocate(n), n);
      EXPECT_LE(a.stats().reserved, int64_t((round ? 640 : 384) * mb)) << round << ", " << n;
    }
  if (caches) { EXPECT_GE(a.stats().reserved, int64_t(256 * mb)); }
}

// Pages that the system has mapped for this process at their first use.
int64_t page_faults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(Allocator, WhatComesAgainStays) {
  Allocator a(size_t(1) << 40, told_seconds);
  auto step = [&] {
    for (size_t n : {256 * mb, 224 * mb, 128 * mb}) {
      auto* p = static_cast<volatile char*>(a.allocate(n));
      *p = 1;
      a.free(const_cast<char*>(p), n);
    }
  };
  for (int i = 0; i < 3; ++i) step();
  const int64_t before = page_faults();
  step();
  if (caches) { EXPECT_LT(page_faults() - before, 3) << "three blocks, each of fresh pages"; }
}

TEST(Allocator, GivesBackWhatIsIdle) {
  Allocator a(size_t(1) << 40, told_seconds);
  a.free(a.allocate(256 * mb), 256 * mb);
  for (int i = 0; i < 3; ++i) {
    if (caches) { EXPECT_EQ(a.stats().reserved, int64_t(i ? 257 : 256) * int64_t(mb)) << i; }
    seconds += Allocator::period;
    a.free(a.allocate(mb), mb);
  }
  EXPECT_LE(a.stats().reserved, int64_t(mb));
}

TEST(Allocator, BlocksMayBeFreedByAnotherThread) {
  Allocator a;
  std::vector<std::pair<void*, size_t>> blocks;
  std::thread([&] {
    for (size_t i = 0; i < 2000; ++i) blocks.push_back({a.allocate(8 + i), 8 + i});
  }).join();
  EXPECT_GT(a.stats().allocated, 2000 * 1000);
  EXPECT_EQ(a.stats().allocations, 2000);
  std::thread([&] {
    for (auto& [p, n] : blocks) {
      std::memset(p, 7, n);
      a.free(p, n);
    }
  }).join();
  EXPECT_EQ(a.stats().allocated, 0);
  a.empty_cache();
  EXPECT_EQ(a.stats().reserved, 0) << "a thread that has ended leaves nothing behind";
}

TEST(Allocator, ThreadsDoNotShareBlocks) {
  Allocator a;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&a, t] {
      std::vector<unsigned char*> mine;
      for (int i = 0; i < 20000; ++i) {
        size_t n = 16 + size_t(i * 7 % 3000);
        auto* p = static_cast<unsigned char*>(a.allocate(n));
        std::memset(p, t, n);
        for (size_t k = 0; k < n; k += 64) ASSERT_EQ(p[k], t);
        a.free(p, n);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(a.stats().allocated, 0);
}

TEST(Allocator, TooMuchIsAnErrorWithNumbers) {
  for (int64_t elements : {int64_t(1) << 50, int64_t(1) << 43}) try {
      luth::Tensor::empty({elements}, luth::Dtype::f32, luth::host());
      FAIL() << "allocated " << elements << " elements";
    } catch (const luth::Error& e) {
      EXPECT_EQ(e.code(), luth::ErrorCode::memory);
      EXPECT_NE(std::string(e.what()).find(std::to_string(elements * 4) + " bytes"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("GiB are available"), std::string::npos) << e.what();
    }
}

TEST(Cpu, DescribesItself) {
  auto p = luth::host().properties();
  EXPECT_FALSE(p.name.empty());
  EXPECT_GT(p.total_memory, int64_t(64) << 20);
  EXPECT_EQ(p.capability, luth::cpu_isa());
}

TEST(Cpu, CopiesLargeAndOverlappingMemory) {
  luth::Device& d = luth::host();
  std::vector<int> a(3000000), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) a[i] = int(i);
  d.copy(b.data(), d, a.data(), d, a.size() * 4, false);
  EXPECT_EQ(a, b);
  d.copy(b.data() + 5, d, b.data(), d, (a.size() - 5) * 4, false);
  EXPECT_TRUE(std::equal(b.begin() + 5, b.end(), a.begin()));
  d.fill_zero(b.data(), b.size() * 4);
  EXPECT_EQ(b, std::vector<int>(a.size()));
}

TEST(Meta, HasShapesAndNoData) {
  luth::Device& d = luth::device("meta");
  EXPECT_FALSE(d.has_data());
  luth::Tensor t = luth::Tensor::empty({int64_t(1) << 40, 8}, luth::Dtype::f32, d);
  EXPECT_EQ(t.numel(), int64_t(1) << 43);
  EXPECT_EQ(t.device().name(), "meta");
}

}  // namespace
