#include "lang/library/terminals.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace luth::lang {
namespace {

// The terminal on stdin without echo and without waiting for the end of a line, until the end of the scope.
class Unbuffered {
 public:
  Unbuffered() {
    if (tcgetpgrp(0) != getpgrp() || tcgetattr(0, &before_) != 0) return;  // changing it would stop this process
    termios now = before_;
    now.c_lflag &= ~tcflag_t(ICANON | ECHO);
    now.c_cc[VMIN] = 0;
    now.c_cc[VTIME] = 0;
    active_ = tcsetattr(0, TCSANOW, &now) == 0;
  }
  ~Unbuffered() {
    if (active_) tcsetattr(0, TCSANOW, &before_);
  }
  Unbuffered(const Unbuffered&) = delete;
  Unbuffered& operator=(const Unbuffered&) = delete;
  explicit operator bool() const { return active_; }

 private:
  termios before_{};
  bool active_ = false;
};

bool typed_ahead() {
  int waiting = 0;
  return ioctl(0, FIONREAD, &waiting) != 0 || waiting > 0;
}

// What arrives on stdin up to the end of a report of attributes, "\x1b[?…c", or until the time has passed.
std::string read_answer(std::chrono::steady_clock::time_point end) {
  using namespace std::chrono;
  std::string answer;
  for (;;) {
    const auto left = duration_cast<milliseconds>(end - steady_clock::now()).count();
    pollfd input{0, POLLIN, 0};
    char c;
    if (left <= 0 || poll(&input, 1, int(left)) <= 0 || read(0, &c, 1) != 1) return answer;
    answer += c;
    const size_t report = answer.rfind("\x1b[?");
    if (c == 'c' && report != answer.npos) return answer;
  }
}

}  // namespace

int is_terminal(lua_State* L) { return lua_pushboolean(L, isatty(int(luaL_checkinteger(L, 1)))), 1; }

int terminal_columns(lua_State* L) {
  winsize size{};
  const bool known = ioctl(int(luaL_checkinteger(L, 1)), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return lua_pushinteger(L, known ? std::max(20, int(size.ws_col)) : 80), 1;
}

int ask_terminal(lua_State* L) {
  size_t n = 0;
  const char* question = luaL_checklstring(L, 1, &n);
  const std::chrono::duration<double> wait(luaL_checknumber(L, 2));
  std::string answer;
  if (isatty(0) && isatty(1)) {
    const Unbuffered mode;
    if (mode && !typed_ahead() && write(1, question, n) == ssize_t(n))
      answer =
          read_answer(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(wait));
  }
  return lua_pushlstring(L, answer.data(), answer.size()), 1;
}

}  // namespace luth::lang
