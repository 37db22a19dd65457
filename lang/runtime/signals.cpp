// SIGINT and SIGTERM as Lua errors, as lua.c does it, but in coroutines too and with a flag that C++ loops can poll.
#include "lang/runtime/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <initializer_list>

#include "core/base/interrupt.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/patience.h"

namespace luth::lang {
namespace {

std::atomic<int> pending{0};            // the signal that asked to stop
std::atomic<bool> out_of_time{false};   // it was SIGXCPU
std::atomic<Interp*> obeying{nullptr};  // whom signals stop
std::atomic<Interp*> polling{nullptr};  // who asks for signals by itself
pthread_t obeying_thread;
std::atomic<bool> keeps_session{false};
std::atomic<void (*)()> last_act{nullptr};
std::atomic<int> presses{0};             // of Ctrl-C since it was last obeyed
std::atomic<long long> last_press{0};    // nanoseconds
constexpr long long bounce = 300000000;  // presses that follow so soon are one

const char* name_of(int signal) {
  if (out_of_time) return "terminated: the limit of processor time (`ulimit -t`) is reached";
  return signal == SIGTERM ? "terminated" : "interrupted";
}
constexpr ErrorCode exit_code_of(int signal) {
  return signal == SIGTERM ? ErrorCode::terminated : ErrorCode::interrupted;
}

// Where C code keeps Lua from seeing a signal, in a pattern that backtracks or a long operator, the process ends
// anyway; the prompt waits, for what it holds.
constexpr unsigned grace = 5;  // seconds
// A polling loop has longer, and again as long while Lua still runs: between two steps there may be an operator of many
// seconds, or a pass over the validation data.
constexpr unsigned polling_grace = 30;
constexpr int most_rounds = 10;
std::atomic<int> rounds{0};
std::atomic<bool> lua_runs{false};

void note_that_lua_runs(lua_State* L, lua_Debug*) {
  lua_sethook(L, nullptr, 0, 0);
  lua_runs = true;
}

// Calls `hook` before the next instruction of Lua. Only on the thread that obeys.
void hook_running(Interp& interp, lua_Hook hook) {
  for (RunningThreads* r = interp.running; r; r = r->below) lua_sethook(r->L, hook, hook ? LUA_MASKCOUNT : 0, 1);
}

void wait_for_poll(Interp& interp) {
  lua_runs = false;
  hook_running(interp, note_that_lua_runs);
  alarm(polling_grace);
}

// The rest of the time below the hard limit, where SIGKILL comes, is processor time of all threads: a part of it is for
// the error to reach the end.
void end_before_the_hard_limit() {
  rlimit limit{};
  timespec used{};
  getrlimit(RLIMIT_CPU, &limit);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  const double left = double(limit.rlim_max) - double(used.tv_sec) - 1e-9 * double(used.tv_nsec);
  const double rest = std::clamp(0.7 * left, 0.05, 60.0);
  itimerval timer{};
  timer.it_value = {time_t(rest), suseconds_t(1e6 * (rest - std::floor(rest)))};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// What was to end the process in a while does not.
void go_on() {
  alarm(0);
  const itimerval none{};
  setitimer(ITIMER_PROF, &none, nullptr);
}

void say(std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (write(STDERR_FILENO, part, strlen(part)) < 0) break;
}

[[noreturn]] void end_at_once(int code) {
  if (auto hook = last_act.load()) hook();
  _exit(code);
}

long long nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// A handler may run between a call and the reading of its errno.
struct SameErrno {
  const int before = errno;
  ~SameErrno() { errno = before; }
};

bool passed_on(int signal) {
  if (pthread_equal(pthread_self(), obeying_thread)) return false;
  pthread_kill(obeying_thread, signal);
  return true;
}

void out_of_patience(int signal) {
  const SameErrno same;
  if (passed_on(signal)) return;
  if (keeps_session && pending != SIGTERM) {
    if (pending) say({"luth: stops when the operation that runs has ended\n"});
    return;
  }
  Interp* interp = polling;
  if (signal == SIGALRM && interp && lua_runs && ++rounds < most_rounds) return wait_for_poll(*interp);
  say({"luth: ", name_of(pending), ", in code that does not stop for it\n"});
  end_at_once(int(exit_code_of(pending)));
}

void stop(lua_State* L, lua_Debug*) {
  go_on();
  lua_sethook(L, nullptr, 0, 0);
  set_interrupt_time(0);  // operators of those who close are whole
  if (!pending) return;   // the work that it was to stop has ended before
  raise(L, exit_code_of(pending), name_of(pending));
}

// A second Ctrl-C at the prompt, and all after it. Where Lua has stopped once and runs again, as in a __close that does
// not end, it stops again.
void press_again() {
  const long long now = nanoseconds();
  const bool again = now - last_press.exchange(now) > bounce;
  if (again && ++presses > 2) end_at_once(int(ErrorCode::interrupted));
  Interp* interp = obeying;
  if (interp && interp->running) hook_running(*interp, stop);
  set_interrupt_time(now);
  if (again) say({"luth: still stopping; the next Ctrl-C leaves luth, and what the session holds is lost\n"});
}

// Runs as a signal handler on the thread that obeys: the list of running Lua threads changes on that thread only, and
// lua_sethook may be called at any instruction of the interpreter.
void on_signal(int signal) {
  const SameErrno same;
  if (passed_on(signal)) return;
  if (signal == SIGXCPU) {  // it comes again with each second
    if (pending) return;
    out_of_time = true;
    signal = SIGTERM;
  }
  const int before = pending.exchange(signal);
  if (before == SIGINT && keeps_session) {
    if (signal == SIGINT) return press_again();
  } else if (before) {
    end_at_once(128 + signal);
  }
  set_interrupt_time(nanoseconds());
  if (out_of_time) end_before_the_hard_limit();
  if (Interp* interp = polling) return wait_for_poll(*interp);
  Interp* interp = obeying;
  if (interp && interp->running) hook_running(*interp, stop);
  presses = 1;
  last_press = nanoseconds();
  alarm(signal == SIGINT && keeps_session ? 1 : grace);
}

// On a stack of its own, so that no code which is interrupted has to keep the thread's stack ready for it.
void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}
// nohup and shells' background jobs ignore a signal from the start
bool ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}
void use_signal_stack() {
  alignas(16) static char memory[1 << 16];
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0 || !(stack.ss_flags & SS_DISABLE)) return;  // a sanitizer's will do
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  stack.ss_flags = 0;
  sigaltstack(&stack, nullptr);
}

// For long waits in C++: the error that stop() would raise at the next instruction, which is then not raised twice.
void stop_waiting() {
  Interp* interp = obeying;
  if (!pending || !interp || !pthread_equal(pthread_self(), obeying_thread)) return;
  hook_running(*interp, nullptr);
  set_interrupt_time(0);
  try {
    check_interrupt();
  } catch (Error& e) {
    e.add_context(""), e.add_module("");  // it is nobody's fault
    throw;
  }
}

}  // namespace

void raise_stop(lua_State* L) {
  hook_running(Interp::of(L), nullptr);  // stop() has nothing left to raise
  go_on();
  set_interrupt_time(0);
  raise(L, exit_code_of(interrupted()), name_of(interrupted()));
}

int interrupted() { return pending.load(std::memory_order_relaxed); }

void clear_interrupt() {
  if (pending) alarm(0);
  pending = 0;
  set_interrupt_time(0);
}

namespace {
// Ctrl-\ where the terminal makes a signal of it: programs that the prompt starts have the signal's own effect again.
void on_quit(int) {
  constexpr std::string_view hint = "\nCtrl-\\ does not leave luth: Ctrl-C stops what runs, and exit leaves\n";
  const int kept = errno;
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, hint.data(), hint.size());
  errno = kept;
}
}  // namespace

void keep_session() {
  keeps_session = true;
  if (ignored(SIGQUIT)) return;
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  action.sa_handler = on_quit;
  sigaction(SIGQUIT, &action, nullptr);
}

void before_sudden_end(void (*hook)()) { last_act = hook; }

void check_interrupt() {
  const int s = interrupted();
  if (!s) return;
  go_on();
  throw Error(exit_code_of(s), "{}", name_of(s));
}

void Interp::handle_signals() {
  obeying_thread = pthread_self();
  obeying = this;
  set_interrupt_hook(stop_waiting);
  use_signal_stack();
  for (int signal : {SIGINT, SIGTERM, SIGXCPU})
    if (!ignored(signal)) install(signal, on_signal);
  for (int signal : {SIGALRM, SIGPROF}) install(signal, out_of_patience);
}

void Interp::defer_signals(bool on) {
  (on ? polling : obeying) = this;
  (on ? obeying : polling) = nullptr;
  alarm(0);
  if (on && pending) wait_for_poll(*this);
}

int Interp::poll_signals() {
  const int signal = interrupted();
  if (signal && polling == this) go_on();
  return signal;
}

Interp::~Interp() {
  Interp* self = this;
  obeying.compare_exchange_strong(self, nullptr);
  self = this;
  polling.compare_exchange_strong(self, nullptr);
  lua_close(L_);
}

bool Interp::stop_requested() const { return interrupted() && obeying == this; }

int Interp::push_stop() {
  last_error.text = name_of(interrupted());
  last_error.code = exit_code_of(interrupted());
  lua_pushstring(L_, name_of(interrupted()));
  return LUA_ERRRUN;
}

}  // namespace luth::lang
