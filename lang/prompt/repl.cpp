#include "lang/prompt/repl.h"

#include <signal.h>

#include <cstdio>
#include <string>

#include "lang/library/plots.h"
#include "lang/prompt/line_editor.h"
#include "lang/prompt/session.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t\r"), last = s.find_last_not_of(" \t\r");
  return first == s.npos ? "" : s.substr(first, last - first + 1);
}

}  // namespace

int repl(Interp& interp) {
  Session session(interp);
  add_plot_names(interp.state());
  auto lines = LineReader::open([&](std::string_view before) { return session.complete(before); });
  std::string chunk, line;  // chunk: the lines so far of a chunk that goes on
  for (;;) {
    clear_interrupt();
    const auto got = lines->read(chunk.empty() ? "> " : ">> ", line);
    if (got == LineReader::Got::terminated) return int(ErrorCode::terminated);
    if (got == LineReader::Got::end) break;
    if (got == LineReader::Got::interrupted) {
      chunk.clear();
      continue;
    }
    const std::string text = trimmed(line);
    if (text.empty() && chunk.empty()) continue;
    lines->remember(line);
    if (chunk.empty() && text[0] == '?') {
      session.help(trimmed(text.substr(1)));
      continue;
    }
    if (chunk.empty() && text[0] == '=') line = text.substr(1);  // Torch7's and Lua 5.1's habit: "= x"
    chunk += (chunk.empty() ? "" : "\n") + line;
    if (session.is_incomplete(chunk)) continue;
    session.run(chunk);
    chunk.clear();
    if (interrupted() == SIGTERM) return int(ErrorCode::terminated);
  }
  if (!chunk.empty()) fprintf(stderr, "the input ended inside a statement\n");
  return 0;
}

}  // namespace luth::lang
