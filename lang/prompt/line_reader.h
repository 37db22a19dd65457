// The input of the prompt.
#pragma once
#include <functional>
#include <string>

#include "lang/prompt/complete.h"

namespace luth::lang {

class LineReader {
 public:
  /// `cut`: the input has ended inside a block.
  enum class Got { block, end, cut, interrupted, terminated };

  /// What the reader asks of the session.
  struct Asks {
    std::function<Completion(std::string_view before)> complete;  // Tab: the block up to the cursor
    std::function<bool(const std::string& block)> is_incomplete;  // whether a block needs more lines
    std::function<bool(std::string_view line)> continues;         // whether a line goes on with a complete block
  };

  virtual ~LineReader() = default;
  /// Reads a block: lines joined by newlines, without the last one. `interrupted`: Ctrl-C at the prompt; `terminated`:
  /// SIGTERM.
  virtual Got read(std::string& block) = 0;
  /// Adds a block to the history, in memory and in its file.
  virtual void remember(const std::string& block) = 0;
  /// Whether Ctrl-C was typed after the block that read() gave; it is taken then.
  virtual bool take_interrupt() { return false; }
};

}  // namespace luth::lang
