#include "tests/fakecuda/runtime/fault.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>

#include "tests/fakecuda/runtime/worker.h"

namespace fake {
namespace {

struct sigaction before[NSIG];
std::atomic<const char*> arena = nullptr;
std::atomic<size_t> arena_size = 0, bytes_per_device = 1;

// What the handler leaves for `report`, which runs on the fiber.
thread_local struct {
  int signal;
  const void* address;
  bool writes, overflow;
} fault;

[[noreturn]] void report() {
  Worker& worker = *Worker::in_kernel();
  if (fault.overflow) worker.fail(cudaErrorLaunchFailure, "its stack overflows (64 KiB here)");
  if (fault.signal == SIGFPE) worker.fail(cudaErrorLaunchFailure, "integer division by zero");
  if (fault.signal == SIGILL) worker.fail(cudaErrorLaunchFailure, "illegal instruction");
  worker.fail(cudaErrorIllegalAddress, fault.writes ? "illegal write" : "illegal read", fault.address);
}

// Nothing here may allocate or lock.
void say_host_access(const void* address) {
  char text[200];
  size_t offset = size_t(static_cast<const char*>(address) - arena);
  int n =
      snprintf(text, sizeof text, "fakecuda: host code touches memory of device %zu at %p outside kernels and copies\n",
               offset / bytes_per_device, address);
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, size_t(n));
}

void handle(int signal, siginfo_t* info, void* raw) {
  [[maybe_unused]] auto* context = static_cast<ucontext_t*>(raw);
#if defined(__x86_64__)
  if (Worker* worker = Worker::in_kernel()) {
    auto& registers = context->uc_mcontext.gregs;
    bool memory = signal == SIGSEGV || signal == SIGBUS;
    fault = {signal, memory ? info->si_addr : nullptr, memory && (registers[REG_ERR] & 2) != 0,
             memory && worker->overflowed(info->si_addr)};
    // Goes on in `report`, at the far end of the fiber's stack: the frames there are given up.
    registers[REG_RSP] = greg_t(uintptr_t(worker->give_up_stack() - 4096) & ~uintptr_t(15)) - 8;
    registers[REG_RIP] = greg_t(reinterpret_cast<uintptr_t>(&report));
    return;
  }
#endif
  auto* address = static_cast<const char*>(info->si_addr);
  if (signal == SIGSEGV && arena && address >= arena && address < arena + arena_size) say_host_access(address);
  sigaction(signal, &before[signal], nullptr);  // the instruction faults again, and whoever was there before sees it
}

// A stack for signals that goes with its OS thread.
struct SignalStack {
  static constexpr size_t size = 128 << 10;
  void* memory = nullptr;
  SignalStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;  // AddressSanitizer's will do
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t mine{};
    mine.ss_sp = memory;
    mine.ss_size = size;
    if (memory != MAP_FAILED) sigaltstack(&mine, nullptr);
  }
  ~SignalStack() {
    if (!memory || memory == MAP_FAILED) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, size);
  }
};

}  // namespace

void catch_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, &before[signal]);
  });
}

void use_signal_stack() { static thread_local SignalStack stack; }

void set_arena(const char* base, size_t size, size_t device_bytes) {
  arena = base;
  arena_size = size;
  bytes_per_device = device_bytes;
}

}  // namespace fake
