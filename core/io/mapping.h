// A file in memory as the system maps it: what is not used is not read.
#pragma once
#include <string>

#include "core/base/ref_count.h"
#include "core/io/disk.h"

namespace luth::io {

/// The bytes of a file as it was when it was opened. Where the file becomes shorter or its disk fails, an access is a
/// signal (core/base/mapped.h).
class Mapping final : public Counted {
 public:
  /// What can be done with the bytes. Writes stay in this process: they copy the pages that they touch.
  enum class Access { read, write };
  Mapping(Disk disk, std::string path, Access access);
  ~Mapping();
  /// Throws where the file has become shorter.
  void check() const;
  Disk& disk() { return disk_; }
  uint64_t size() const { return size_; }
  char* data() const { return static_cast<char*>(data_); }

 private:
  Disk disk_;
  std::string path_;
  uint64_t size_;
  void* data_ = nullptr;
};

}  // namespace luth::io
