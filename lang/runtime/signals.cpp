// SIGINT and SIGTERM as Lua errors, as lua.c does it, but in coroutines too and with a flag that C++ loops can poll.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "core/base/interrupt.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

std::atomic<int> pending{0};            // the signal that asked to stop
std::atomic<Interp*> obeying{nullptr};  // whom signals stop
pthread_t obeying_thread;

constexpr const char* name_of(int signal) { return signal == SIGTERM ? "terminated" : "interrupted"; }
constexpr ErrorCode code_of(int signal) { return signal == SIGTERM ? ErrorCode::terminated : ErrorCode::interrupted; }

// Where C code keeps Lua from seeing SIGTERM, in a pattern that backtracks or a long operator, the process ends anyway.
constexpr unsigned grace = 5;  // seconds
void out_of_patience(int) { _exit(128 + SIGTERM); }

void stop(lua_State* L, lua_Debug*) {
  alarm(0);
  lua_sethook(L, nullptr, 0, 0);
  raise(L, code_of(pending), name_of(pending));
}

// Runs as a signal handler on the thread that obeys: the list of running Lua threads changes on that thread only, and
// lua_sethook may be called at any instruction of the interpreter.
void on_signal(int signal) {
  if (!pthread_equal(pthread_self(), obeying_thread)) {
    pthread_kill(obeying_thread, signal);
    return;
  }
  if (pending.exchange(signal)) _exit(128 + signal);
  Interp* interp = obeying;
  if (!interp || !interp->running) return;
  for (RunningThreads* r = interp->running; r; r = r->below) lua_sethook(r->L, stop, LUA_MASKCOUNT, 1);
  if (signal == SIGTERM) alarm(grace);
}

void install(int signal) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
    return;  // nohup and shells' background jobs
  action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

// For long waits in C++: the error that stop() would raise at the next instruction, which is then not raised twice.
void stop_waiting() {
  Interp* interp = obeying;
  if (!pending || !interp || !pthread_equal(pthread_self(), obeying_thread)) return;
  for (RunningThreads* r = interp->running; r; r = r->below) lua_sethook(r->L, nullptr, 0, 0);
  try {
    check_interrupt();
  } catch (Error& e) {
    e.add_context(""), e.add_module("");  // it is nobody's fault
    throw;
  }
}

}  // namespace

int interrupted() { return pending.load(std::memory_order_relaxed); }

void clear_interrupt() { pending = 0; }

void check_interrupt() {
  const int s = interrupted();
  if (!s) return;
  alarm(0);
  throw Error(code_of(s), "{}", name_of(s));
}

void Interp::handle_signals() {
  obeying_thread = pthread_self();
  obeying = this;
  set_interrupt_hook(stop_waiting);
  install(SIGINT);
  install(SIGTERM);
  signal(SIGALRM, out_of_patience);
}

void Interp::defer_signals(bool on) {
  obeying = on ? nullptr : this;
  if (on) alarm(0);  // the polling loop may take its time
}

Interp::~Interp() {
  Interp* self = this;
  obeying.compare_exchange_strong(self, nullptr);
  lua_close(L_);
}

bool Interp::stop_requested() const { return interrupted() && obeying == this; }

int Interp::push_stop() {
  last_error.text = name_of(interrupted());
  last_error.code = code_of(interrupted());
  lua_pushstring(L_, name_of(interrupted()));
  return LUA_ERRRUN;
}

}  // namespace luth::lang
