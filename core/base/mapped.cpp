#include "core/base/mapped.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string_view>

namespace luth {
namespace {

thread_local sigjmp_buf* volatile copying = nullptr;  // where the copy of this thread goes on after the signal
struct sigaction others;                              // what was there before

// Of an access that is no copy's the signal comes again, to whom it came before.
void hear(int, siginfo_t* signal, void*) {
  if (copying) siglongjmp(*copying, 1);
  constexpr std::string_view why = "luth: a mapped file has become shorter, or its disk fails\n";
  if (signal->si_code == BUS_ADRERR) (void)!write(STDERR_FILENO, why.data(), why.size());
  sigaction(SIGBUS, &others, nullptr);
}

void hear_once() {
  struct sigaction own {};
  own.sa_sigaction = hear;
  own.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(SIGBUS, &own, &others);
}
void start_hearing() {
  static const bool hears = (hear_once(), true);
  (void)hears;
}

// Has nothing to destroy where it is left.
[[gnu::noinline]] void copy(char* to, const char* from, std::span<const int64_t> rows, size_t bytes) {
  for (size_t i = 0; i < rows.size(); ++i) std::memcpy(to + i * bytes, from + size_t(rows[i]) * bytes, bytes);
}

}  // namespace

bool copy_mapped(void* to, const void* from, std::span<const int64_t> rows, size_t bytes) {
  start_hearing();
  sigjmp_buf here;
  const bool failed = sigsetjmp(here, 0);  // the handler leaves the mask as it is
  if (!failed) {
    copying = &here;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    copy(static_cast<char*>(to), static_cast<const char*>(from), rows, bytes);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  copying = nullptr;
  return !failed;
}

void explain_lost_pages() { start_hearing(); }

}  // namespace luth
