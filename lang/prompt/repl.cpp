#include "lang/prompt/repl.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/base/block_signals.h"
#include "lang/prompt/commands.h"
#include "lang/prompt/complete_commands.h"
#include "lang/prompt/line_editor.h"
#include "lang/prompt/session.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/patience.h"

namespace luth::lang {
namespace {

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t\r\n"), last = s.find_last_not_of(" \t\r\n");
  return first == s.npos ? "" : s.substr(first, last - first + 1);
}

void run_block(Session& session, const std::string& block) {
  const std::string text = trimmed(block);
  switch (command_of(text)) {
    case Command::help: return session.help(trimmed(text.substr(1)));
    case Command::lua: return run_command(session, text);
    default: session.run(text[0] == '=' ? text.substr(1) : block);  // Torch7's and Lua 5.1's habit: "= x"
  }
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

int repl(Session& session) {
  keep_session();
  auto lines = open_line_reader(
      {.complete =
           [&](std::string_view before) {
             Completion found;
             return complete_command(before, found) ? found : session.complete(before);
           },
       .is_incomplete =
           [&](const std::string& block) { return command_of(block) == Command::none && session.is_incomplete(block); },
       .continues = continues_statement});
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
    if (leaves(session, text)) return 0;
    if (const std::string mistake = colon_mistake(text); !mistake.empty()) {
      fprintf(stderr, "%s\n", mistake.c_str());
      continue;
    }
    std::optional<TypedAhead> interrupt;
    if (lines->take_interrupt()) interrupt.emplace();
    run_block(session, block);
    if (interrupted() == SIGTERM) return int(ErrorCode::terminated);
  }
}

}  // namespace luth::lang
