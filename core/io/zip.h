// As much of the zip format as .npz and .pth need: writing stored files up to 4 GB, reading stored and deflated ones.
#pragma once
#include <zlib.h>

#include <string>
#include <vector>

#include "core/io/disk.h"

namespace luth::io {

struct ZipEntry {
  std::string name;
  uint32_t method, crc;
  uint64_t packed, size;  // bytes
  uint64_t at;            // of the local header
  uint64_t end = 0;       // where the next entry or the directory begins
};

/// The directory at the end of the archive. Throws ErrorCode::checkpoint if there is none that fits the file, if
/// entries overlap, or if unpacked they would have more than `max_bytes` together (0: 1,100 times the file).
std::vector<ZipEntry> zip_entries(Disk& disk, const std::string& path, uint64_t max_bytes);
/// Where the packed bytes of an entry begin. Its own header may lengthen itself, but not beyond the entry's end, and
/// says what the directory says.
uint64_t zip_data_at(Disk& disk, const ZipEntry& entry, const std::string& path);
/// Unpacks an entry from its begin to its end; holds a piece of the packed bytes and nothing of the unpacked ones.
class ZipStream {
 public:
  ZipStream(Disk& disk, const ZipEntry& entry, const std::string& path);
  ~ZipStream();
  ZipStream(const ZipStream&) = delete;
  /// The next `n` bytes, which are there: entry.size in all.
  void read(void* to, uint64_t n);
  /// After all bytes: throws where the entry goes on, or its checksum does not fit.
  void finish();

 private:
  void next_piece();
  uint64_t inflate_some(Bytef* to, uint64_t n);
  Disk& disk_;
  const ZipEntry& entry_;
  const std::string& path_;
  uint64_t at_, packed_left_;  // of the packed bytes that were not read yet
  z_stream z_{};
  bool ended_ = false;
  uint32_t crc_ = 0;
  std::string piece_;
};
/// The unpacked contents, with their checksum checked.
std::string zip_read(Disk& disk, const ZipEntry& entry, const std::string& path);
/// The same of an entry that is stored without packing, to memory for entry.size bytes.
void zip_read_stored(Disk& disk, const ZipEntry& entry, const std::string& path, void* to);

/// Writes into a Replacement, which the caller commits. Throws through `Replacement::fail`.
class ZipWriter {
 public:
  explicit ZipWriter(Replacement& file) : file_(file) {}
  void add(const std::string& name, const std::string& head, const void* data, size_t bytes);
  void finish();

 private:
  void write(const void* p, size_t n);
  Replacement& file_;
  uint64_t at_ = 0;
  size_t count_ = 0;
  std::string directory_;
};

}  // namespace luth::io
