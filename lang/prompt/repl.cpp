#include "lang/prompt/repl.h"

#include <pthread.h>
#include <signal.h>

#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/base/block_signals.h"

#include "lang/library/plots.h"
#include "lang/prompt/line_editor.h"
#include "lang/prompt/session.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/patience.h"

namespace luth::lang {
namespace {

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t\r"), last = s.find_last_not_of(" \t\r");
  return first == s.npos ? "" : s.substr(first, last - first + 1);
}

// Help is no Lua.
bool is_command(std::string_view block) {
  const size_t first = block.find_first_not_of(" \t\r\n");
  return first != block.npos && block[first] == '?';
}

// A line that only goes on with what was before: `:eval()`, `.. nn.ReLU()`.
bool continues(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  if (first == line.npos) return false;
  const auto rest = line.substr(first);
  return rest.starts_with("..") || (rest.size() > 1 && rest[0] == ':' && isalpha(static_cast<unsigned char>(rest[1])));
}

// Ctrl-C that was typed directly after a block, while the block was still being read: it interrupts what the block
// started, if that runs for a moment.
class TypedAhead {
 public:
  TypedAhead() : whom_(pthread_self()) {
    const BlockSignals here;
    thread_ = std::jthread([this](std::stop_token stop) {
      std::mutex lock;
      std::unique_lock hold(lock);
      std::condition_variable_any never;
      if (!never.wait_for(hold, stop, std::chrono::milliseconds(50), [&] { return stop.stop_requested(); }))
        pthread_kill(whom_, SIGINT);
    });
  }

 private:
  pthread_t whom_;
  std::jthread thread_;
};

}  // namespace

int repl(Interp& interp) {
  Session session(interp);
  add_plot_names(interp.state());
  keep_session();
  auto lines = open_line_reader(
      {.complete = [&](std::string_view before) { return session.complete(before); },
       .is_incomplete = [&](const std::string& block) { return !is_command(block) && session.is_incomplete(block); },
       .continues = continues});
  for (std::string block;;) {
    clear_interrupt();
    const auto got = lines->read(block);
    if (got == LineReader::Got::terminated) return int(ErrorCode::terminated);
    if (got == LineReader::Got::interrupted) continue;
    if (got == LineReader::Got::cut) fprintf(stderr, "the input ended inside a statement\n");
    if (got != LineReader::Got::block) return 0;
    const std::string text = trimmed(block);
    if (text.empty()) continue;
    lines->remember(block);
    if (text[0] == '?') {
      session.help(trimmed(text.substr(1)));
      continue;
    }
    if (text[0] == '=') block = text.substr(1);  // Torch7's and Lua 5.1's habit: "= x"
    std::optional<TypedAhead> interrupt;
    if (lines->take_interrupt()) interrupt.emplace();
    session.run(block);
    if (interrupted() == SIGTERM) return int(ErrorCode::terminated);
  }
}

}  // namespace luth::lang
