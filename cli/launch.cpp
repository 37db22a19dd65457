// luth launch: starts the processes of a run on this machine, and says which of them failed first and why.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "cli/launch_plan.h"
#include "cli/outlet.h"
#include "core/base/visible.h"
#include "core/dist/attempt.h"
#include "core/dist/tcp_store.h"

namespace luth::cli {
namespace {

using dist::Clock;
using dist::Deadline;
using dist::Milliseconds;
using dist::Socket;

constexpr Milliseconds patience{2'000};  // after a failure, for others to say what it did to them, before SIGTERM
constexpr Milliseconds grace{5'000};     // between SIGTERM and SIGKILL
constexpr Milliseconds glance{50};
constexpr Milliseconds farewell{1'000};  // for what is written after a signal, which somebody may not read
constexpr size_t most_unread = 1 << 20;  // bytes; beyond, ranks wait too
constexpr int peer_failed = int(ErrorCode::peer);

// One process and what it has said.
struct Rank {
  int rank = 0;
  pid_t pid = 0;
  bool running = false, told = false;  // told: this program has sent it a signal
  int status = 0;
  Deadline ended{};
  struct Pipe {
    Socket from;
    std::string line;
  } out, err;
  std::string last_error;  // from its last "luth: " on

  // As a shell says it: 128 + n for signal n.
  int code() const { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }
  bool failed() const { return !running && code() != 0; }
};

[[noreturn]] void cannot(const char* what) { throw Error("{}: {}", what, std::strerror(errno)); }

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

// The cores of this process, an equal share for each of its ranks; nothing where there are fewer cores than ranks.
void pin(int local, int nproc) {
  cpu_set_t all, own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof all, &all)) return;
  const int each = CPU_COUNT(&all) / nproc;
  for (int cpu = 0, seen = 0; each && cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    if (seen / each == local) CPU_SET(cpu, &own);
    ++seen;
  }
  if (CPU_COUNT(&own)) sched_setaffinity(0, sizeof own, &own);
}

class Launcher {
 public:
  explicit Launcher(Plan plan) : plan_(std::move(plan)) {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&wanted, s);
    sigprocmask(SIG_BLOCK, &wanted, nullptr);  // before the store's thread, which then has it too
    signals_ = Socket(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) cannot("signalfd");
    if (isatty(0)) no_input_ = Socket(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const bool here_only = plan_.nodes == 1 && plan_.master.host == "127.0.0.1";
    if (plan_.node == 0) store_ = std::make_unique<dist::StoreServer>(plan_.master.port, here_only);
    if (store_) plan_.master.port = store_->port();
    if (plan_.nodes == 1 && !here_only) check_address();
  }

  int run() {
    const int code = run_all();
    const auto is_over = [end = Clock::now() + farewell, this] { return asked_ && Clock::now() > end; };
    while (outlet_.waiting() && !is_over()) wait_for_signals(glance);
    return code == 0 && asked_ ? 128 + asked_ : code;
  }

 private:
  // Its ranks would look for the store there until their time is over.
  void check_address() const {
    try {
      dist::connect_to(plan_.master, Clock::now() + patience);
    } catch (const Error& e) {
      const std::string_view why = e.what();
      throw Error(ErrorCode::usage,
                  "--local-addr or --master says that this machine is {}, and it does not find itself there: {}",
                  plan_.master.host, why.substr(0, why.find(';')));
    }
  }

  int run_all() {
    for (int attempt = 0;; ++attempt) {
      start(attempt);
      while (std::any_of(ranks_.begin(), ranks_.end(), [&](const Rank& r) { return goes_on(r); })) turn();
      const Rank* first = first_failed();
      if (!first) return asked_ ? 128 + asked_ : 0;
      const int code = first->code();
      if (asked_ || stopped(code)) return code;
      report(*first, attempt);
      if (attempt == plan_.restarts) return keep_store(attempt), code;
      tell(fmt::format("luth launch: starts again, {} of {}\n", attempt + 1, plan_.restarts));
    }
  }

  // ---- starting ----

  void start(int attempt) {
    began_ = Clock::now();
    ending_ = termed_ = killed_ = false;
    ranks_.clear();
    ranks_.resize(size_t(plan_.nproc));
    set("WORLD_SIZE", std::to_string(plan_.world()));
    set("LOCAL_WORLD_SIZE", std::to_string(plan_.nproc));
    set("GROUP_RANK", std::to_string(plan_.node));
    set("MASTER_ADDR", plan_.master.host);
    set("MASTER_PORT", std::to_string(plan_.master.port));
    set("LUTH_STORE_IS_UP", "1");
    set("LUTH_RESTART_COUNT", std::to_string(attempt));
    if (plan_.asks_threads || !std::getenv("LUTH_THREADS")) set("LUTH_THREADS", std::to_string(plan_.threads));
    if (!plan_.seconds.empty()) set("LUTH_DIST_TIMEOUT", plan_.seconds);
    for (int local = 0; local < plan_.nproc; ++local) start_one(local);
  }

  void start_one(int local) {
    Rank& r = ranks_[size_t(local)];
    r.rank = plan_.node * plan_.nproc + local;
    set("RANK", std::to_string(r.rank));
    set("LOCAL_RANK", std::to_string(local));
    set("LUTH_FIRST_DEVICE", std::to_string(local));
    int out[2], err[2];
    if (::pipe2(out, O_CLOEXEC) || ::pipe2(err, O_CLOEXEC)) cannot("cannot make a pipe");
    r.out.from = Socket(out[0]), r.err.from = Socket(err[0]);
    const Socket to_out(out[1]), to_err(err[1]);
    std::vector<char*> words{const_cast<char*>("luth")};
    for (auto& w : plan_.command) words.push_back(const_cast<char*>(w.c_str()));
    words.push_back(nullptr);
    const pid_t self = getpid();
    r.pid = fork();
    if (r.pid < 0) cannot("cannot start a process");
    if (r.pid == 0) become_rank(local, self, to_out.fd(), to_err.fd(), words.data());
    r.running = true;
  }

  // In the new process, where only calls are allowed that a signal handler may make.
  [[noreturn]] void become_rank(int local, pid_t parent, int out, int err, char** words) {
    setpgid(0, 0);  // Ctrl-C comes by this program, once
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(peer_failed);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    pin(local, plan_.nproc);
    dup2(out, 1), dup2(err, 2);
    if (no_input_) dup2(no_input_.fd(), 0);
    execv("/proc/self/exe", words);
    _exit(127);
  }

  // ---- going on ----

  // Runs, or has something to say: what it has started may hold its pipes for ever.
  bool goes_on(const Rank& r) const {
    return r.running || ((r.out.from || r.err.from) && (Clock::now() < r.ended + grace || is_full()));
  }
  // Nobody reads what ranks write, so that they wait too; but not those that should end.
  bool is_full() const { return !asked_ && outlet_.waiting() > most_unread; }

  void turn() {
    std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0}};
    std::vector<std::pair<Rank*, bool>> whose;
    const bool full = is_full();
    for (Rank& r : ranks_)
      for (bool is_err : {false, true})
        if (const Socket& from = (is_err ? r.err : r.out).from; from && !full)
          fds.push_back({from.fd(), POLLIN, 0}), whose.emplace_back(&r, is_err);
    const Milliseconds wait = ending_ || full ? glance : Milliseconds(1000);
    if (::poll(fds.data(), fds.size(), int(wait.count())) > 0) {
      for (size_t i = 0; i < whose.size(); ++i)
        if (fds[i + 1].revents) read_from(*whose[i].first, whose[i].second);
      if (fds[0].revents) obey_signals();
    }
    reap();
    if (!ending_) return;
    if (Clock::now() > kill_at_ && !std::exchange(killed_, true)) send_all(SIGKILL);
    if (Clock::now() > term_at_ && !std::exchange(termed_, true)) send_all(SIGTERM);
  }

  void read_from(Rank& r, bool is_err) {
    Rank::Pipe& p = is_err ? r.err : r.out;
    char piece[1 << 14];
    const ssize_t n = ::read(p.from.fd(), piece, sizeof piece);
    if (n < 0 && errno == EINTR) return;
    p.line.append(piece, n > 0 ? size_t(n) : 0);
    for (size_t end; (end = p.line.find('\n')) != p.line.npos || p.line.size() > (1 << 16);) {
      const size_t size = end == p.line.npos ? p.line.size() : end + 1;
      say(r, is_err, p.line.substr(0, size));
      p.line.erase(0, size);
    }
    if (n > 0) return;
    if (!p.line.empty()) say(r, is_err, p.line + "\n");
    p.line.clear();
    p.from = Socket();
  }

  void say(Rank& r, bool is_err, const std::string& line) {
    if (is_err && line.starts_with("luth: ") && !line.starts_with("luth: warning")) r.last_error = line;
    if (!plan_.log_dir.empty() && log(r, line)) return;
    const std::string text = plan_.world() > 1 ? fmt::format("[{}] {}", r.rank, line) : line;
    if (!asked_ || outlet_.waiting() < most_unread) outlet_.give(is_err ? STDERR_FILENO : STDOUT_FILENO, text);
  }
  void tell(std::string text) { outlet_.give(STDERR_FILENO, std::move(text)); }

  // False where the file cannot be written, as on a full disk: then the line goes where it would without a file.
  bool log(const Rank& r, const std::string& line) {
    const std::string path = fmt::format("{}/rank-{}.log", plan_.log_dir, r.rank);
    FILE* file = fopen(path.c_str(), "ae");
    const bool written = file && fwrite(line.data(), 1, line.size(), file) == line.size();
    const bool done = file && fclose(file) == 0 && written;
    if (!done && !std::exchange(log_failed_, true))
      tell(fmt::format("luth launch: cannot write '{}': {}; its lines come here\n", path, std::strerror(errno)));
    return done;
  }

  void wait_for_signals(Milliseconds time) {
    pollfd one{signals_.fd(), POLLIN, 0};
    if (::poll(&one, 1, int(time.count())) > 0) obey_signals();
  }

  void obey_signals() {
    signalfd_siginfo info;
    while (::read(signals_.fd(), &info, sizeof info) == ssize_t(sizeof info)) {
      const int s = int(info.ssi_signo);
      if (s == SIGCHLD) continue;
      send_all(asked_ ? SIGKILL : s);  // the second one means now
      asked_ = s;
    }
  }

  void reap() {
    for (Rank& r : ranks_) {
      if (!r.running || ::waitpid(r.pid, &r.status, WNOHANG) != r.pid) continue;
      r.running = false;
      r.ended = Clock::now();
      ::kill(-r.pid, SIGTERM);  // what it has started
      if (!r.failed() || ending_) continue;
      ending_ = true;
      term_at_ = Clock::now() + patience;
      kill_at_ = term_at_ + grace;
    }
  }

  void send_all(int signal) {
    for (Rank& r : ranks_) {
      if (!r.running) continue;
      if (::kill(-r.pid, signal)) ::kill(r.pid, signal);  // it has no group of its own yet; once: the second one kills
      ::kill(-r.pid, SIGCONT);                            // a process that is stopped obeys nothing else
      r.told = true;
    }
  }

  // ---- what went wrong ----

  // All ranks have ended with this code because one of them got SIGINT or SIGTERM: no failure, and they have said it.
  bool stopped(int code) const {
    return (code == int(ErrorCode::interrupted) || code == int(ErrorCode::terminated)) &&
           std::all_of(ranks_.begin(), ranks_.end(),
                       [&](const Rank& r) { return WIFEXITED(r.status) && r.code() == code; });
  }

  // Not because of a peer, and not because this program ended it.
  static bool by_itself(const Rank& r) { return r.code() != peer_failed && !r.told; }

  const Rank* first_failed() const {
    const Rank* first = nullptr;
    for (const Rank& r : ranks_) {
      if (!r.failed()) continue;
      const auto order = [](const Rank& x) { return std::tuple(!by_itself(x), x.told, x.ended); };
      if (!first || order(r) < order(*first)) first = &r;
    }
    return first;
  }

  static std::string how(const Rank& r) {
    if (WIFSIGNALED(r.status))
      return fmt::format("died of signal {} ({})", WTERMSIG(r.status), strsignal(WTERMSIG(r.status)));
    return fmt::format("ended with code {}", r.code());
  }

  void report(const Rank& first, int attempt) {
    const double seconds = std::chrono::duration<double>(first.ended - began_).count();
    std::string text = fmt::format("luth launch: rank {} {} after {:.1f} s", first.rank, how(first), seconds);
    text += first.last_error.empty() ? "\n" : ":\n  " + first.last_error;
    const auto store = open_store();
    for (const Rank& r : ranks_) {
      if (&r == &first) continue;
      text += fmt::format("  rank {} {}{}\n", r.rank, how(r),
                          r.failed() && !by_itself(r) && store ? where(*store, r, attempt) : "");
    }
    tell(visible(text));
  }

  // Ranks of other machines learn the reason from the store, and may ask for it a little later.
  void keep_store(int attempt) const {
    if (!store_ || plan_.nodes == 1) return;
    try {
      const auto store = open_store();
      if (store) dist::wait_for_ends(*store, attempt, plan_.nproc, plan_.world(), Clock::now() + grace);
    } catch (const Error&) {}  // they learn less
  }

  // Of the run, to ask; null where it does not answer soon, as when the first machine's launcher has ended.
  std::unique_ptr<dist::Store> open_store() const {
    const dist::Address at = store_ ? dist::Address{"127.0.0.1", store_->port()} : plan_.master;
    try {
      return std::make_unique<dist::TcpStore>(at, Milliseconds(1000));
    } catch (const Error&) { return nullptr; }
  }

  // "; it waited in all_reduce(…) at train.lua:3", as the rank has told the store.
  static std::string where(dist::Store& store, const Rank& r, int attempt) {
    try {
      const std::string call = dist::where_waits(store, attempt, r.rank);
      return call.empty() ? "" : "; it waited in " + call;
    } catch (const Error&) { return ""; }
  }

  Plan plan_;
  Socket signals_;
  Socket no_input_;  // what ranks read in the place of a terminal, which would stop them: it is this program's
  std::unique_ptr<dist::StoreServer> store_;
  std::vector<Rank> ranks_;
  Outlet outlet_;
  Deadline began_{}, kill_at_{}, term_at_{};
  bool ending_ = false, termed_ = false, killed_ = false;
  int asked_ = 0;  // the signal that this program got
  bool log_failed_ = false;
};

}  // namespace

int launch(const Arguments& arguments) { return Launcher(read_plan(arguments)).run(); }

}  // namespace luth::cli
