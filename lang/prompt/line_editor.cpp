#include "lang/prompt/line_editor.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/headroom.h"
#include "lang/prompt/block_editor.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

// Reads lines as they come: from a pipe, a file, or a terminal that cannot move its cursor.
class PlainLineReader : public LineReader {
 public:
  explicit PlainLineReader(Asks asks)
      : asks_(std::move(asks)), prompts_(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {}
  ~PlainLineReader() override { free(buffer_); }

  Got read(std::string& block) override {
    block.clear();
    for (bool first = true;; first = false) {
      if (prompts_) fputs(first ? "> " : ">> ", stdout);
      fflush(stdout);
      errno = 0;
      const ssize_t n = getline(&buffer_, &size_, stdin);
      if (n < 0) {
        clearerr(stdin);
        if (prompts_) fputs("\n", stdout);
        if (interrupted()) return interrupted() == SIGTERM ? Got::terminated : Got::interrupted;
        return first ? Got::end : Got::cut;
      }
      block += first ? "" : "\n";
      block.append(buffer_, size_t(n));
      if (block.ends_with('\n')) block.pop_back();
      if (!asks_.is_incomplete(block)) return Got::block;
    }
  }
  void remember(const std::string&) override {}

 private:
  Asks asks_;
  bool prompts_;
  char* buffer_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

std::unique_ptr<LineReader> open_line_reader(LineReader::Asks asks) {
  const Headroom room;  // ncurses follows null pointers where there is no memory
  if (Terminal::usable()) return std::make_unique<BlockEditor>(std::move(asks));
  return std::make_unique<PlainLineReader>(std::move(asks));
}

}  // namespace luth::lang
