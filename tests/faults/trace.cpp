#include "tests/faults/trace.h"

#include <elf.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <cstddef>
#include <map>
#include <optional>
#include <thread>

namespace luth::testing {
namespace {

void need(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

// The child stops before each of the calls; all others run at full speed.
void stop_before(const std::vector<long>& calls) {
  std::vector<sock_filter> code{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (long call : calls) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(125);
}

// The address at which a program begins, after the loader.
uint64_t entry_of(pid_t pid) {
  const std::string bytes = read_file("/proc/" + std::to_string(pid) + "/auxv");
  for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= bytes.size(); at += sizeof(Elf64_auxv_t)) {
    Elf64_auxv_t entry;
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    if (entry.a_type == AT_ENTRY) return entry.a_un.a_val;
  }
  throw std::runtime_error("a program without an entry");
}

pid_t process_of(pid_t thread) {
  const std::string text = read_file("/proc/" + std::to_string(thread) + "/status");
  const size_t at = text.find("Tgid:");
  return at == text.npos ? thread : pid_t(std::stol(text.substr(at + 5)));
}

// The terminal's other end: types each line when a prompt has come, and keeps what is shown.
class Typist {
 public:
  Typist(int fd, std::string typed) : fd_(fd), typed_(std::move(typed)), thread_([this] { work(); }) {}
  ~Typist() {
    thread_.join();
    close(fd_);
  }
  std::string shown() {
    thread_.join();
    thread_ = std::thread([] {});
    return shown_;
  }

 private:
  void work() {
    char piece[4096];
    for (;;) {
      pollfd p{fd_, POLLIN, 0};
      const bool quiet = poll(&p, 1, 3000) == 0;  // it cannot show its prompt
      const ssize_t n = quiet ? 0 : read(fd_, piece, sizeof piece);
      if (n < 0 || (n == 0 && !quiet)) return;
      shown_.append(piece, size_t(n));
      if (!quiet && shown_.find("> ", from_) == shown_.npos) continue;
      from_ = shown_.size();
      const size_t end = typed_.find('\n', at_);
      const bool left = at_ >= typed_.size();  // a terminal that could not be set up passes Ctrl-D on
      const std::string line = !left                    ? typed_.substr(at_, end + 1 - at_)
                               : at_++ == typed_.size() ? "\x04"
                                                        : "\nos.exit()\n";
      if (!left) at_ = end + 1;
      if (write(fd_, line.data(), line.size()) < 0) return;
    }
  }
  int fd_;
  std::string typed_, shown_;
  size_t at_ = 0, from_ = 0;
  std::thread thread_;
};

class Tracer {
 public:
  explicit Tracer(const Traced& how) : how_(how) {
    const std::string file = program();
    int terminal = -1;
    winsize size{40, 100, 0, 0};
    main_ = how.typed.empty() ? fork() : forkpty(&terminal, nullptr, nullptr, &size);
    need(main_ >= 0, "fork");
    if (main_ == 0) child(file);
    if (terminal >= 0) typist_.emplace(terminal, how.typed);
    int status;
    need(waitpid(main_, &status, 0) == main_ && WIFSTOPPED(status), "waitpid");
    constexpr long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                             PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    need(ptrace(PTRACE_SETOPTIONS, main_, nullptr, options) == 0, "ptrace");
    threads_[main_] = {main_, false, {}};
    go_on(main_);
  }

  Result wait() {
    struct sigaction wake {
    }, before{};
    wake.sa_handler = [](int) {};  // waitpid returns
    sigaction(SIGALRM, &wake, &before);
    const itimerval ticks{{0, 250000}, {0, 250000}}, none{};
    setitimer(ITIMER_REAL, &ticks, nullptr);
    const double start = detail::now();
    for (;;) {
      int status;
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0 && errno == ECHILD) break;
      if (thread > 0) stopped(thread, status);
      const double now = detail::now();
      if (!result_.timed_out && (hangs(now) || now - start > 10 * how_.seconds)) {
        result_.timed_out = true;
        for (auto& [id, t] : threads_) ::kill(t.process, SIGKILL);
      }
    }
    setitimer(ITIMER_REAL, &none, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    result_.out = typist_ ? typist_->shown() : read_file(how_.dir + "/out");
    result_.err = read_file(how_.dir + "/err");
    return result_;
  }

 private:
  struct Thread {
    pid_t process = 0;
    bool begun = false;    // the entry of its program was reached
    Verdict verdict = {};  // of the call that it is in
  };

  [[noreturn]] void child(const std::string& file) {
    if (how_.typed.empty()) {
      dup2(open("/dev/null", O_RDONLY), 0);
      for (int fd : {1, 2}) {
        const char* name = fd == 1 ? "out" : "err";
        dup2(open((how_.dir + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644), fd);
      }
    }
    for (int fd = 3; fd < 64; ++fd) close(fd);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    stop_before(how_.calls);
    detail::exec_program(file, how_.words, how_.env, how_.dir);
  }

  // True when all threads together have computed or waited for nothing that long. On a busy machine a run may wait for
  // a processor for a minute: that is no hang.
  bool hangs(double now) {
    constexpr double moment = 0.25, idle_share = 0.05;
    if (now - looked_ < moment) return false;
    double computed = 0, waited = 0;  // /proc/ID/schedstat counts both in nanoseconds
    for (auto& [id, t] : threads_) {
      double on = 0, before = 0;
      if (std::sscanf(read_file("/proc/" + std::to_string(id) + "/schedstat").c_str(), "%lf %lf", &on, &before) == 2)
        computed += on * 1e-9, waited += before * 1e-9;
    }
    const double more = std::max(computed - computed_, 0.), moved = more + std::max(waited - waited_, 0.);
    all_computed_ += more;
    if (moved < idle_share * (now - looked_)) idle_ += now - looked_;
    computed_ = computed, waited_ = waited, looked_ = now;
    return idle_ > how_.seconds || all_computed_ > how_.seconds;
  }

  void go_on(pid_t thread, int signal = 0) { ptrace(PTRACE_CONT, thread, nullptr, long(signal)); }

  Thread& known(pid_t thread) {
    const auto [at, fresh] = threads_.try_emplace(thread);
    if (fresh) {
      at->second.process = process_of(thread);
      const auto parent = threads_.find(at->second.process == thread ? main_ : at->second.process);
      at->second.begun = parent != threads_.end() && parent->second.begun;
    }
    return at->second;
  }

  void stopped(pid_t thread, int status) {
    if (!WIFSTOPPED(status)) {
      threads_.erase(thread);
      if (thread == main_) result_.code = detail::exit_code(status);
      return;
    }
    Thread& t = known(thread);
    const int signal = WSTOPSIG(status), event = status >> 16;
    if (event == PTRACE_EVENT_SECCOMP) return enter(thread, t);
    if (event == PTRACE_EVENT_EXEC) return executed(thread, t);
    if (event) return go_on(thread);
    if (signal == (SIGTRAP | 0x80)) return leave(thread, t);
    if (signal == SIGTRAP && at_entry(thread, t)) return go_on(thread);
    go_on(thread, signal == SIGSTOP ? 0 : signal);
  }

  // A breakpoint at the entry.
  void executed(pid_t thread, Thread& t) {
    const uint64_t entry = entry_of(thread);
    const long word = ptrace(PTRACE_PEEKTEXT, thread, entry, nullptr);
    entries_[thread] = {entry, word};
    ptrace(PTRACE_POKETEXT, thread, entry, (word & ~0xffL) | 0xcc);
    t.begun = false;
    go_on(thread);
  }
  bool at_entry(pid_t thread, Thread& t) {
    const auto found = entries_.find(thread);
    user_regs_struct registers;
    if (found == entries_.end() || ptrace(PTRACE_GETREGS, thread, nullptr, &registers)) return false;
    const auto [entry, word] = found->second;
    if (registers.rip != entry + 1) return false;
    registers.rip = entry;
    ptrace(PTRACE_POKETEXT, thread, entry, word);
    ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    return t.begun = true;
  }

  Call call_of(pid_t thread, const Thread& t, const user_regs_struct& r) const {
    return {thread, t.process != main_, long(r.orig_rax), {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9}, int64_t(r.rax)};
  }

  void enter(pid_t thread, Thread& t) {
    user_regs_struct registers;
    if (!t.begun || ptrace(PTRACE_GETREGS, thread, nullptr, &registers)) return go_on(thread);
    t.verdict = how_.before(call_of(thread, t, registers));
    if (t.verdict.what == Verdict::answer) {
      registers.orig_rax = ~uint64_t(0);
      registers.rax = uint64_t(t.verdict.value);
    }
    if (t.verdict.what == Verdict::shorten) registers.rdx = uint64_t(t.verdict.value);
    if (t.verdict.what == Verdict::answer || t.verdict.what == Verdict::shorten)
      ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    if (t.verdict.what == Verdict::pretend || t.verdict.what == Verdict::report)
      ptrace(PTRACE_SYSCALL, thread, nullptr, nullptr);
    else
      go_on(thread);
  }

  void leave(pid_t thread, Thread& t) {
    user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers)) return go_on(thread);
    if (t.verdict.what == Verdict::report) how_.after(call_of(thread, t, registers));
    if (t.verdict.what == Verdict::pretend) {
      registers.rax = uint64_t(t.verdict.value);
      ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    }
    go_on(thread);
  }

  const Traced& how_;
  pid_t main_;
  std::optional<Typist> typist_;
  std::map<pid_t, Thread> threads_;
  std::map<pid_t, std::pair<uint64_t, long>> entries_;  // breakpoints: their addresses, and the words that were there
  double looked_ = detail::now(), computed_ = 0, waited_ = 0, all_computed_ = 0, idle_ = 0;
  Result result_;
};

}  // namespace

std::string Call::memory(uint64_t at, size_t bytes) const {
  std::string copy(bytes, '\0');
  const iovec here{copy.data(), bytes}, there{reinterpret_cast<void*>(at), bytes};
  const ssize_t n = process_vm_readv(thread, &here, 1, &there, 1, 0);
  copy.resize(n > 0 ? size_t(n) : 0);
  return copy;
}

std::string Call::text(int argument) const {
  const uint64_t at = arguments[argument];
  std::string found = memory(at, 4096 - at % 4096);  // to the end of the page
  if (found.find('\0') == found.npos) found += memory(at + found.size(), 4096);
  return found.c_str();
}

Result run_traced(const Traced& how) { return Tracer(how).wait(); }

bool can_trace() {
  const pid_t child = fork();
  if (child == 0) {
    const bool traced = ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
    if (traced) stop_before({});
    _exit(traced ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace luth::testing
