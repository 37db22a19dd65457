// The input of the prompt: a terminal with libedit and a history file, or any other standard input.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "lang/prompt/complete.h"

namespace luth::lang {

class LineReader {
 public:
  enum class Got { line, end, interrupted, terminated };

  virtual ~LineReader() = default;
  /// Reads a line, without its newline. `interrupted`: Ctrl-C at the prompt; `terminated`: SIGTERM.
  virtual Got read(const char* prompt, std::string& line) = 0;
  /// Adds a line to the history, in memory and in its file.
  virtual void remember(const std::string& line) = 0;

  /// libedit when standard input and output are a terminal; else a reader that prints no prompt.
  /// Tab asks `completer` with the line up to the cursor.
  using Completer = std::function<Completion(std::string_view)>;
  static std::unique_ptr<LineReader> open(Completer completer);
};

}  // namespace luth::lang
