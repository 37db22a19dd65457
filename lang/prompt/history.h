// The prompt's history file: $XDG_STATE_HOME/luth/history (else ~/.local/state/luth/history), mode 600, one line each.
#pragma once
#include <string>
#include <vector>

namespace luth::lang {

class HistoryFile {
 public:
  static constexpr size_t length = 2000;  // lines that are kept

  /// Finds and, where missing, makes the file. Where it cannot be written, warns once.
  HistoryFile();

  /// The lines of earlier sessions, oldest first. A file of twice `length` is cut to the newest ones.
  std::vector<std::string> load();
  /// Appends a line to the file at once, so that it survives a crash, and concurrent sessions keep each other's lines.
  void append(const std::string& line);

 private:
  void warn(int why);
  void cut(const std::vector<std::string>& lines);

  std::string path_;  // empty: no history
};

}  // namespace luth::lang
