#include "core/io/child/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace luth::io {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitizer = true;  // its shadow is terabytes of address space, and it reads /proc
#else
constexpr bool sanitizer = false;
#endif

// A lower limit that is in force already stays: only root could lift it. `more`: between the soft limit and the hard
// one, at which the system kills without a word.
bool limit(int what, uint64_t value, uint64_t more = 0) {
  const auto resource = static_cast<__rlimit_resource>(what);
  rlimit both{};
  if (getrlimit(resource, &both)) return false;
  both.rlim_max = std::min<rlim_t>(value + more, both.rlim_max);
  both.rlim_cur = std::min<rlim_t>(value, both.rlim_max);
  return setrlimit(resource, &both) == 0;
}

#if defined(__x86_64__)
constexpr uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "add the audit architecture of this processor"
#endif

// What the reader, malloc and the C++ runtime need.
constexpr int allowed[] = {SYS_read, SYS_close,      SYS_pread64,       SYS_write,    SYS_pwrite64, SYS_lseek,
                           SYS_brk,  SYS_munmap,     SYS_mremap,        SYS_madvise,  SYS_futex,    SYS_rt_sigreturn,
                           SYS_exit, SYS_exit_group, SYS_clock_gettime, SYS_getrandom};

// Any other system call fails. mmap and mprotect may not make memory executable.
bool refuse_calls() {
  constexpr uint32_t number = offsetof(seccomp_data, nr), arch = offsetof(seccomp_data, arch),
                     third = offsetof(seccomp_data, args) + 2 * sizeof(uint64_t);
  constexpr uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
  constexpr int n = std::size(allowed);
  sock_filter code[n + 11];
  int at = 0;
  const auto add = [&](sock_filter f) { code[at++] = f; };
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, arch));
  add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0));
  add(BPF_STMT(BPF_RET | BPF_K, refuse));
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number));
  for (int i = 0; i < n; ++i)  // to the last line
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(allowed[i]), uint8_t(n - i + 5), 0));
  add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0));
  add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0));
  add(BPF_STMT(BPF_RET | BPF_K, refuse));
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, third));
  add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1));
  add(BPF_STMT(BPF_RET | BPF_K, refuse));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(at), code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

bool give_up_rights(uint64_t memory, uint64_t written, uint64_t seconds) {
  signal(SIGXFSZ, SIG_IGN);  // a write past the bound fails instead
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, written) &&
         limit(RLIMIT_CPU, sanitizer ? 2 * seconds : seconds, 1) && (sanitizer || limit(RLIMIT_AS, memory)) &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && (sanitizer || refuse_calls());
}

}  // namespace luth::io
