// The prompt's history file: $XDG_STATE_HOME/luth/history (else ~/.local/state/luth/history), mode 600, one line each.
#pragma once
#include <string>
#include <vector>

namespace luth::lang {

class HistoryFile {
 public:
  static constexpr size_t length = 2000;  // lines that are kept

  /// Finds and, where missing, makes the file. A place that cannot be written costs a warning, once, and nothing else.
  HistoryFile();

  /// The lines of earlier sessions, oldest first. A file of twice `length` is cut to the newest ones.
  std::vector<std::string> load();
  /// Adds a line at once, so that it survives a crash and sessions side by side do not lose each other's.
  void append(const std::string& line);

 private:
  void warn(int why);
  void cut(const std::vector<std::string>& lines);

  std::string path_;  // empty: no history
};

}  // namespace luth::lang
