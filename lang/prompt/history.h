// The prompt's history: blocks, each once, the newest last. Its file is $XDG_STATE_HOME/luth/history (else
// ~/.local/state/luth/history), mode 600, a line for each block; newlines of a block are the byte 1e there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace luth::lang {

class History {
 public:
  static constexpr size_t length = 10000;  // blocks that are kept

  /// Reads the file or, where missing, makes it. Where it cannot be written, warns once. A file of twice `length` is
  /// cut to the newest blocks.
  History();
  /// No file: for tests.
  explicit History(std::vector<std::string> blocks);

  const std::vector<std::string>& blocks() const { return blocks_; }
  /// Adds a block, to the file at once, so that it survives a crash and concurrent sessions keep each other's blocks.
  void add(const std::string& block);

  // From an older block, `from` (blocks().size(): from the present), to one that fits; npos where there is none.
  size_t older(size_t from, std::string_view prefix) const;
  size_t newer(size_t from, std::string_view prefix) const;
  /// The newest before `from`, or the oldest after it, that contains the text.
  size_t find_older(size_t from, std::string_view text) const;
  size_t find_newer(size_t from, std::string_view text) const;

 private:
  void load();
  void warn(int why);
  void cut(const std::vector<std::string>& lines);
  void append(const std::string& line);

  std::string path_;  // empty: no file
  std::vector<std::string> blocks_;
};

}  // namespace luth::lang
