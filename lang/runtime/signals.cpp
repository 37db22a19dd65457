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
  use_signal_stack();
  for (int signal : {SIGINT, SIGTERM})
    if (!ignored(signal)) install(signal, on_signal);
  install(SIGALRM, out_of_patience);
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
