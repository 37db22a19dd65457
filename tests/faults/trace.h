// Runs a program and everything it starts under ptrace, and stops it before chosen system calls. No library is put
// between: calls of the C library itself, of static libraries and of other processes are seen too. x86-64 only.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/cli/run.h"

namespace luth::testing {

struct Call {
  pid_t thread;
  bool helper;  // of a process that the program has started
  long number;
  uint64_t arguments[6];
  int64_t result;  // -errno where it failed; only after the call

  /// Memory of the process; shorter where it ends before.
  std::string memory(uint64_t at, size_t bytes) const;
  /// The text at an address, as a path.
  std::string text(int argument) const;
};

/// What becomes of a call.
struct Verdict {
  enum What {
    let,      // it is done
    answer,   // it is not done, and returns `value`
    pretend,  // it is done, and returns `value`
    shorten,  // it is done with `value` as its third argument
    report,   // it is done, and `after` sees it
  } what = let;
  int64_t value = 0;
};

struct Traced {
  std::vector<std::string> words;  // of luth
  std::string dir;                 // working folder, where the files `out` and `err` take the streams
  Env env = {};
  std::string typed = {};  // not empty: the program is at a terminal, where this is typed line by line
  double seconds = 60;     // of computing, or of waiting for something else than a processor; then SIGKILL
  std::vector<long> calls;
  std::function<Verdict(const Call&)> before;
  std::function<void(const Call&)> after = {};
};

/// `code` is the exit code, or 128 + n where signal n ended the program. Calls count from the entry of each program:
/// what the system's loader does before is not luth's.
Result run_traced(const Traced& how);

/// False where this machine does not let a process trace its child.
bool can_trace();

}  // namespace luth::testing
