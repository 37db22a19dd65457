// A regular file of which parts are read.
#pragma once
#include <cstdint>
#include <string>

namespace luth::data {

/// A path as errors name it: in one line, and not without end.
std::string path_text(const std::string& path);

class File {
 public:
  /// Throws, naming the path, for what cannot be opened and for folders, devices and pipes.
  explicit File(std::string path);
  ~File();
  File(const File&) = delete;
  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  /// What changes when the file does: the time of the last change, in ns.
  int64_t changed() const { return changed_; }
  /// Throws where there are not so many bytes.
  void read(void* to, uint64_t bytes, uint64_t at) const;

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
  int64_t changed_ = 0;
};

}  // namespace luth::data
