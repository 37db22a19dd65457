#include "lang/prompt/line_editor.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/base/headroom.h"
#include "lang/prompt/history.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

LineReader::Got after_signal() {
  return interrupted() == SIGTERM ? LineReader::Got::terminated : LineReader::Got::interrupted;
}

class PlainLineReader : public LineReader {
 public:
  ~PlainLineReader() override { free(buffer_); }
  Got read(const char*, std::string& line) override {
    fflush(stdout);
    errno = 0;
    const ssize_t n = getline(&buffer_, &size_, stdin);
    if (n < 0) {
      clearerr(stdin);
      return interrupted() ? after_signal() : Got::end;
    }
    line.assign(buffer_, size_t(n));
    if (!line.empty() && line.back() == '\n') line.pop_back();
    return Got::line;
  }
  void remember(const std::string&) override {}

 private:
  char* buffer_ = nullptr;
  size_t size_ = 0;
};

volatile sig_atomic_t resized = 0, continued = 0;

void on_resize(int) { resized = 1; }
void on_continue(int) { continued = 1; }

// libedit with its signal handling off: its own would send every signal to the whole process group.
class EditLineReader : public LineReader {
 public:
  explicit EditLineReader(Completer completer)
      : completer_(std::move(completer)), edit_(el_init("luth", stdin, stdout, stderr)), history_(history_init()) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, int(HistoryFile::length));
    history(history_, &event, H_SETUNIQUE, 1);
    for (auto& line : file_.load()) history(history_, &event, H_ENTER, line.c_str());
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(
        edit_, EL_PROMPT, +[](EditLine* e) { return const_cast<char*>(of(e).prompt_); });
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_SIGNAL, 0);
    el_set(edit_, EL_HIST, history, history_);
    el_set(
        edit_, EL_GETCFN, +[](EditLine* e, wchar_t* c) { return of(e).read_char(c); });
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_set(
        edit_, EL_ADDFN, "luth-complete", "complete a name", +[](EditLine* e, int) { return of(e).complete(); });
    el_set(edit_, EL_BIND, "^I", "luth-complete", nullptr);
    el_set(edit_, EL_BIND, "\033[3~", "ed-delete-next-char", nullptr);
    el_set(edit_, EL_BIND, "\033[H", "ed-move-to-beg", nullptr);
    el_set(edit_, EL_BIND, "\033[F", "ed-move-to-end", nullptr);
    el_set(edit_, EL_BIND, "\033[1;5C", "em-next-word", nullptr);
    el_set(edit_, EL_BIND, "\033[1;5D", "ed-prev-word", nullptr);
    el_source(edit_, nullptr);  // ~/.editrc
    struct sigaction action {};
    action.sa_flags = SA_ONSTACK;
    action.sa_handler = on_resize;
    sigaction(SIGWINCH, &action, nullptr);
    action.sa_handler = on_continue;
    sigaction(SIGCONT, &action, nullptr);
  }
  ~EditLineReader() override {
    history_end(history_);
    el_end(edit_);
  }
  EditLineReader(const EditLineReader&) = delete;
  EditLineReader& operator=(const EditLineReader&) = delete;

  Got read(const char* prompt, std::string& line) override {
    prompt_ = prompt;
    el_set(edit_, EL_PREP_TERM, 1);  // before the prompt shows: a Ctrl-D typed in the terminal's own line mode is lost
    // signals arrive while read_char waits and at no other time, so that none is missed just before it waits
    sigset_t signals;
    sigemptyset(&signals);
    for (int s : {SIGINT, SIGTERM, SIGWINCH, SIGCONT}) sigaddset(&signals, s);
    pthread_sigmask(SIG_BLOCK, &signals, &waiting_);
    int n = 0;
    const char* text = el_gets(edit_, &n);
    pthread_sigmask(SIG_SETMASK, &waiting_, nullptr);
    if (!text || n <= 0) {
      fputs(interrupted() ? "^C\n" : "\n", stdout);
      fflush(stdout);
      return interrupted() ? after_signal() : Got::end;
    }
    line.assign(text, size_t(n));
    if (line.back() == '\n') line.pop_back();
    return Got::line;
  }

  void remember(const std::string& line) override {
    HistEvent event;
    history(history_, &event, H_ENTER, line.c_str());
    file_.append(line);
  }

 private:
  static EditLineReader& of(EditLine* e) {
    void* self = nullptr;
    el_get(e, EL_CLIENTDATA, &self);
    return *static_cast<EditLineReader*>(self);
  }

  // Reads one character in UTF-8; 1, 0 at the end of input, -1 with EINTR after SIGINT or SIGTERM. Bytes that are no
  // UTF-8 come as U+FFFD.
  int read_char(wchar_t* c) {
    mbstate_t state{};
    for (;;) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      const bool signalled = ppoll(&input, 1, nullptr, &waiting_) < 0 && errno == EINTR;
      if (interrupted()) return errno = EINTR, -1;
      if (signalled) {
        redraw();
        continue;
      }
      char byte;
      const ssize_t n = ::read(STDIN_FILENO, &byte, 1);
      if (n <= 0) return int(n);
      const size_t length = mbrtowc(c, &byte, 1, &state);
      if (length == size_t(-2)) continue;
      if (length == size_t(-1)) *c = L'\uFFFD';
      return 1;
    }
  }

  // Inserts the common prefix of all completions; lists the completions if the prefix adds nothing.
  unsigned char complete() {
    const LineInfo* info = el_line(edit_);
    const std::string_view before(info->buffer, size_t(info->cursor - info->buffer));
    if (before.find_first_not_of(" \t") == before.npos) return el_insertstr(edit_, "  ") == 0 ? CC_REFRESH : CC_ERROR;
    const Completion found = completer_(before);
    if (found.names.empty()) return CC_ERROR;
    std::string common = found.names[0];
    for (auto& name : found.names) {
      const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
      common.erase(end, common.end());
    }
    if (common.size() > found.typed) {
      el_insertstr(edit_, common.c_str() + found.typed);
      return CC_REFRESH;
    }
    if (found.names.size() == 1) return CC_NORM;
    list(found.names);
    return CC_REDISPLAY;
  }

  // In columns below the line.
  static void list(const std::vector<std::string>& names) {
    constexpr size_t most = 200, width = 100;
    size_t longest = 0;
    for (auto& name : names) longest = std::max(longest, name.size() + 2);
    const size_t columns = std::max<size_t>(1, width / longest);
    fputc('\n', stdout);
    for (size_t i = 0; i < names.size() && i < most; ++i) {
      const bool ends = (i + 1) % columns == 0 || i + 1 == std::min(names.size(), most);
      fprintf(stdout, "%-*s%s", ends ? 0 : int(longest), names[i].c_str(), ends ? "\n" : "");
    }
    if (names.size() > most) fprintf(stdout, "… %zu more\n", names.size() - most);
    fflush(stdout);
  }

  void redraw() {
    if (continued) el_set(edit_, EL_PREP_TERM, 1), el_set(edit_, EL_REFRESH);
    if (resized) el_resize(edit_);
    continued = 0;
    resized = 0;
  }

  Completer completer_;
  EditLine* edit_;
  History* history_;
  HistoryFile file_;
  const char* prompt_ = "";
  sigset_t waiting_{};  // the signals that are blocked while the prompt waits for a key
};

}  // namespace

std::unique_ptr<LineReader> LineReader::open(Completer completer) {
  const Headroom room;  // libedit and ncurses follow null pointers where there is none
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) return std::make_unique<EditLineReader>(std::move(completer));
  return std::make_unique<PlainLineReader>();
}

}  // namespace luth::lang
