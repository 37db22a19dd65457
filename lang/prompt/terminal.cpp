#include "lang/prompt/terminal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// last: their macros have common names
#include <curses.h>
#include <term.h>

#include "core/base/error.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/patience.h"

namespace luth::lang {
namespace {

constexpr int own_signals[] = {SIGINT, SIGTERM, SIGWINCH, SIGCONT};
volatile sig_atomic_t resized = 0, continued = 0;

void on_resize(int) { resized = 1; }
void on_continue(int) { continued = 1; }

// What the terminal was before the prompt, for ends that run no destructor: os.exit and the third Ctrl-C. A terminal
// that shows another program now is left as it is.
termios before_prompt;
void give_back() {
  if (tcgetpgrp(STDIN_FILENO) == getpgrp()) tcsetattr(STDIN_FILENO, TCSANOW, &before_prompt);
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

std::string_view variable(const char* name) {
  const char* text = getenv(name);
  return text ? text : "";
}

// A capability without its delays; "" where the terminal has none.
std::string capability(const char* name) {
  const char* text = tigetstr(const_cast<char*>(name));
  if (!text || text == reinterpret_cast<const char*>(-1)) return "";
  std::string s = text;
  for (size_t from; (from = s.find("$<")) != s.npos;)
    s.erase(from, std::min(s.find('>', from), s.size() - 1) + 1 - from);
  return s;
}

const char* colour_of(Style style) {
  switch (style) {
    case Style::prompt: return "\x1b[1m";
    case Style::keyword: return "\x1b[35m";
    case Style::constant: return "\x1b[33m";
    case Style::number: return "\x1b[36m";
    case Style::string: return "\x1b[32m";
    case Style::comment: return "\x1b[2m";
    case Style::error: return "\x1b[31m";
    case Style::match: return "\x1b[1;4m";
    case Style::faint: return "\x1b[2m";
    default: return "";
  }
}

}  // namespace

bool wants_colours() { return variable("NO_COLOR").empty() && variable("CLICOLOR") != "0"; }

bool Terminal::usable() {
  const auto term = variable("TERM");
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !term.empty() && term != "dumb";
}

Terminal::Terminal() {
  read_terminfo();
  tcgetattr(STDIN_FILENO, &usual_);
  before_prompt = usual_;
  std::atexit(give_back);
  before_sudden_end(give_back);
  usual_.c_lflag |= NOFLSH;
  install(SIGWINCH, on_resize);
  install(SIGCONT, on_continue);
  measure();
}

Terminal::~Terminal() {
  end();
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before_prompt);
}

// A terminal that the data base does not know is taken for one of today, with colours.
void Terminal::read_terminfo() {
  int found = 0;
  colours_ = wants_colours();
  if (setupterm(nullptr, STDOUT_FILENO, &found) != 0) return;
  const std::pair<const char*, std::string*> wanted[] = {
      {"cuu1", &up_}, {"cuf1", &right_}, {"ed", &clear_below_}, {"el", &clear_line_}, {"clear", &clear_all_}};
  for (auto& [name, text] : wanted)
    if (std::string own = capability(name); !own.empty()) *text = own;
  colours_ = colours_ && tigetnum(const_cast<char*>("colors")) >= 8;
}

void Terminal::begin() {
  if (editing_) return;
  sigset_t signals;
  sigemptyset(&signals);
  for (int s : own_signals) sigaddset(&signals, s);
  pthread_sigmask(SIG_BLOCK, &signals, &signals_before_);
  termios now = usual_;
  now.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN);
  now.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON);
  now.c_cc[VMIN] = 1;
  now.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
  editing_ = true;
  measure();
  write("\x1b[?2004h");  // pastes come in brackets
}

// Keys can be read while lines are not put together: what came before Ctrl-C is a signal again is read in a mode
// between the two.
std::string Terminal::end() {
  std::string keys;
  if (!editing_) return keys;
  write("\x1b[?2004l");
  termios between = usual_;
  between.c_lflag &= ~tcflag_t(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &between);
  pollfd input{STDIN_FILENO, POLLIN, 0};
  char buffer[4096];
  for (ssize_t got; poll(&input, 1, 0) > 0 && (got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;)
    keys.append(buffer, size_t(got));
  tcsetattr(STDIN_FILENO, TCSADRAIN, &usual_);
  pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
  editing_ = false;
  return keys;
}

std::string Terminal::stop() {
  const std::string keys = end();
  ::raise(SIGTSTP);
  continued = 0;
  begin();
  return keys;
}

Terminal::Event Terminal::wait(std::string& bytes, int milliseconds) {
  if (interrupted()) return Event::interrupted;
  const timespec most{milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int n = ppoll(&input, 1, milliseconds < 0 ? nullptr : &most, &signals_before_), why = errno;
  if (interrupted()) return Event::interrupted;
  if (continued) {  // what stopped it was no key, and the terminal has another mode now
    continued = 0;
    editing_ = false;
    pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
    begin();
    return Event::continued;
  }
  if (resized) {
    resized = 0;
    measure();
    return Event::resized;
  }
  if (n < 0 && why != EINTR) throw Error("cannot wait for keys: {}", std::strerror(why));
  if (n <= 0) return Event::pause;
  char buffer[4096];
  const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return Event::pause;
  if (got <= 0) return Event::closed;
  bytes.append(buffer, size_t(got));
  return Event::input;
}

void Terminal::measure() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
  columns_ = size.ws_col > 1 ? size.ws_col : 80;
  rows_ = size.ws_row > 1 ? size.ws_row : 24;
}

void Terminal::write(std::string_view text) const {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (n > 0) {
      at += size_t(n);
    } else if (errno == EAGAIN) {
      pollfd output{STDOUT_FILENO, POLLOUT, 0};
      poll(&output, 1, 100);
    } else if (errno != EINTR) {
      return;
    }
  }
}

std::string Terminal::styled(Style style, std::string_view text) const {
  const char* colour = colour_of(style);
  if (!colours_ || !*colour || text.empty()) return std::string(text);
  return std::string(colour) + std::string(text) + "\x1b[0m";
}

std::string Terminal::repeated(const std::string& s, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += s;
  return all;
}

}  // namespace luth::lang
