// Files of text, read piece by piece: a giant one takes no memory, and one that others shorten meanwhile is an error.
#pragma once
#include <cstdint>
#include <string>

#include "core/base/ref_count.h"

namespace luth::text {

class TextFile final : public Counted {
 public:
  /// Throws where the file cannot be read, or is no regular one; the text names it.
  explicit TextFile(std::string path);
  ~TextFile();
  const std::string& path() const { return path_; }
  /// Bytes, as there were when it was opened.
  int64_t size() const { return size_; }
  /// The `n` bytes from byte `from` on, written to `to`. Throws where they are not there any more. From any thread.
  void read(int64_t from, int64_t n, char* to) const;
  std::string read(int64_t from, int64_t n) const;
  /// The bytes from `from` on, as far as the end of the last line that begins in the next `n`; to the end of the file
  /// where that comes first. A line of more than a hundred times as many bytes is cut where a character ends.
  std::string lines(int64_t from, int64_t n) const;

 private:
  std::string path_;
  int file_ = -1;
  int64_t size_ = 0;
};

}  // namespace luth::text
