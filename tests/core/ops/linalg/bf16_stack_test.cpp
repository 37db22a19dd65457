// The kernels that oneDNN makes for bfloat16 leave the stack to signal handlers: run instruction by instruction, each
// followed by a signal whose frame is written below the stack register, they compute the same bits, and the register
// never leaves the stack.
#include <gtest/gtest.h>
#include <pthread.h>
#include <ucontext.h>

#include <csignal>
#include <cstring>

#include "core/base/threads.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/linalg/matmul.h"
#include "core/ops/random/random.h"
#include "core/ops/window/conv.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

namespace luth {
namespace {

uintptr_t stack_begin, stack_end;
volatile sig_atomic_t steps, outside;

void on_step(int, siginfo_t*, void* context) {
  const auto at = uintptr_t(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
  steps = steps + 1;
  if (at < stack_begin || at >= stack_end) outside = outside + 1;
}

// The trap flag; what lies below the stack register is left alone.
void single_step(bool on) {
  asm volatile("leaq -256(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); orq %0, (%%rsp); popfq; leaq 256(%%rsp), %%rsp"
               :
               : "r"(on ? 0x100ul : 0ul)
               : "memory", "cc");
}

/// f() gives the same bytes when it is interrupted after each instruction.
template <class F>
void expect_undisturbed(const char* what, F&& f) {
  const Tensor calm = f();  // opens libraries and makes kernels
  steps = 0;
  outside = 0;
  single_step(true);
  const Tensor stepped = f();
  single_step(false);
  EXPECT_GT(steps, 2000) << what;
  EXPECT_EQ(outside, 0) << what;
  EXPECT_EQ(0, std::memcmp(calm.raw(), stepped.raw(), calm.bytes())) << what;
}

Tensor random(const Shape& shape) { return cast_to(randn(shape), Dtype::bf16); }

TEST(Stack, SignalsDoNotDisturbBf16) {
  const int threads = num_threads();
  set_num_threads(1);
  pthread_attr_t attributes;
  void* begin;
  size_t size;
  ASSERT_EQ(0, pthread_getattr_np(pthread_self(), &attributes));
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  stack_begin = uintptr_t(begin), stack_end = stack_begin + size;
  struct sigaction action {
  }, before;
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;  // on this stack
  sigaction(SIGTRAP, &action, &before);
  const Tensor a = random({37, 96}), b = random({96, 70}), image = random({1, 32, 7, 7}),
               filters = random({16, 32, 3, 3}), slope = random({1, 16, 5, 5});
  expect_undisturbed("product", [&] { return mm(a, b); });
  const Tensor row = random({70});
  expect_undisturbed("sum and product", [&] { return addmm(row, a, b); });
  expect_undisturbed("convolution", [&] { return conv2d(image, filters, {}); });
  const ops::ConvWindow window{};
  expect_undisturbed("gradient of the input", [&] { return convolution_grad_input(slope, filters, {window, {7, 7}}); });
  expect_undisturbed("gradient of filters", [&] { return convolution_grad_weight(slope, image, {window, {3, 3}}); });
  sigaction(SIGTRAP, &before, nullptr);
  set_num_threads(threads);
}

}  // namespace
}  // namespace luth

#endif
