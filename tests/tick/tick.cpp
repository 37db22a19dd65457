// A Lua module whose handler runs every 100 µs on the main thread, as a profiler's does: without SA_ONSTACK. It ends
// the program with code 99 where its frame does not lie on the thread's stack: then it lies in somebody's memory.
// `package.loadlib(path, 'luaopen_tick')()` starts it and returns a function that gives the number of times so far.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <lua.hpp>

namespace {

uintptr_t low, high;  // the main thread's stack
volatile long ticks = 0;
timer_t timer;
bool running = false;

void tick(int) {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here < low || here >= high) {
    constexpr char text[] = "a signal's frame lies outside of the stack\n";
    [[maybe_unused]] const ssize_t n = write(2, text, sizeof text - 1);
    _exit(99);
  }
  ticks = ticks + 1;
}

int count(lua_State* L) { return lua_pushinteger(L, ticks), 1; }

// The module is unloaded before the program ends.
[[gnu::destructor]] void stop() {
  if (running) timer_delete(timer), signal(SIGPROF, SIG_IGN);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int luaopen_tick(lua_State* L) {
  pthread_attr_t attributes;
  void* stack = nullptr;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &size);
  pthread_attr_destroy(&attributes);
  low = reinterpret_cast<uintptr_t>(stack), high = low + size;

  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = pid_t(syscall(SYS_gettid));
  const itimerspec every{{0, 100000}, {0, 100000}};
  running = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &every, nullptr) == 0;
  lua_pushcfunction(L, count);
  return 1;
}
