// Files that are plain or gzip, read from begin to end.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

struct gzFile_s;

namespace luth::data {

/// A regular file, read to its last byte: zlib checks the checksum when the end is reached. Errors name the file.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path);
  /// Bytes that the file can hold at most when it is unpacked; known after the first read.
  int64_t most() const;
  /// Reads as much of `bytes` as there is. Throws for a file that is damaged or cut short.
  int64_t read(void* to, int64_t bytes);

 private:
  void check_end();
  [[noreturn]] void fail();
  struct Close {
    void operator()(gzFile_s* f) const;
  };
  std::string path_;
  int64_t size_ = 0;
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace luth::data
