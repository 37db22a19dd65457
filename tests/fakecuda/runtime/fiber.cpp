#include "tests/fakecuda/runtime/fiber.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace fake {
namespace {

// Between a switch and the arrival: who was left, and who arrives.
thread_local Fiber* left = nullptr;
thread_local Fiber* entering = nullptr;

}  // namespace

#if defined(__x86_64__)
// Saves what a called function must keep, and the stack pointer; then the same backwards on the other stack.
// swapcontext does this too, with a system call for the signal mask.
extern "C" void fakecuda_switch(void** save, void* load);
asm(R"(
.text
.globl fakecuda_switch
.hidden fakecuda_switch
.type fakecuda_switch, @function
fakecuda_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size fakecuda_switch, .-fakecuda_switch
)");
#endif

Fiber::Fiber(char* low, size_t size, void (*entry)(void*), void* argument)
    : low_(low), size_(size), entry_(entry), argument_(argument) {
  restart();
}

void Fiber::unpoison() {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(low_, size_);
#endif
}

void Fiber::restart() {
  unpoison();
  fake_stack_ = nullptr;
#if defined(__x86_64__)
  // Stacks lie at equal distances: without this offset their tops would share a few sets of the cache.
  size_t colour = (uintptr_t(low_) >> 12) % 29 * 64;
  void** top = reinterpret_cast<void**>(uintptr_t(low_ + size_ - colour) & ~uintptr_t(15));
  *--top = nullptr;  // where `begin` would return to; it also aligns the stack as after a call
  *--top = reinterpret_cast<void*>(&Fiber::begin);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  stack_pointer_ = top;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = low_;
  context_.uc_stack.ss_size = size_;
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::begin, 0);
#endif
}

void Fiber::begin() {
  Fiber& here = *entering;
  arrived(here);
  here.entry_(here.argument_);
  __builtin_trap();
}

// The first fiber that is entered learns from AddressSanitizer where the OS thread's own stack lies.
void Fiber::arrived([[maybe_unused]] Fiber& here) {
#if defined(__SANITIZE_ADDRESS__)
  const void* low = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(here.fake_stack_, &low, &size);
  if (left && !left->low_) {
    left->low_ = static_cast<char*>(const_cast<void*>(low));
    left->size_ = size;
  }
#endif
}

void Fiber::change(Fiber& from, Fiber& to) {
  left = &from;
  entering = &to;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.low_, to.size_);
#endif
#if defined(__x86_64__)
  fakecuda_switch(&from.stack_pointer_, to.stack_pointer_);
#else
  swapcontext(&from.context_, &to.context_);
#endif
  arrived(from);
}

}  // namespace fake
