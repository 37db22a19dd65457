// A piece of a file that is read from begin to end, for formats of lines.
#pragma once
#include "core/records/packed_file.h"

namespace luth::data {

/// A row, or a line, may have so many bytes.
inline constexpr size_t most_row = size_t(64) << 20;

/// A plain or gzip file, of which the bytes from begin() to end() are in memory.
class FileWindow {
 public:
  explicit FileWindow(const std::string& path);
  const char* begin() const { return bytes_.data() + begin_; }
  const char* end() const { return bytes_.data() + end_; }
  void drop(size_t n) { begin_ += n; }
  /// Reads on; false at the end of the file. Addresses change.
  bool more();
  /// Whether a zero byte has come so far.
  bool zeros() const { return zeros_; }
  /// Reads the first bytes of a text, and drops the mark of UTF-8. Throws for a text in UTF-16.
  void begin_text(const std::string& name);

 private:
  PackedFile file_;
  std::string bytes_;
  size_t begin_ = 0, end_ = 0;
  bool ended_ = false, zeros_ = false;
};

}  // namespace luth::data
