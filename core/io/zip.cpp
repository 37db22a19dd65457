#include "core/io/zip.h"

#include <algorithm>
#include <utility>

#include "core/base/limits.h"
#include "core/base/visible.h"
#include "core/io/elements.h"

namespace luth::io {
namespace {

constexpr uint64_t limit = 0xffffffff;
constexpr size_t most_piece = 256 * 1024;  // packed bytes in memory
constexpr uint64_t disk_limit = uint64_t(1) << 62;
constexpr size_t end_bytes = 22, central_bytes = 46, local_bytes = 30, locator_bytes = 20, wide_end_bytes = 56;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::checkpoint, "cannot use '{}': {}", path, why);
}

std::string quoted(const ZipEntry& e) { return "'" + foreign(e.name) + "'"; }

uint64_t get(std::string_view s, size_t at, int bytes) {
  uint64_t v = 0;
  for (int i = bytes; i-- > 0;) v = v << 8 | static_cast<unsigned char>(s[at + size_t(i)]);
  return v;
}
void put(std::string& s, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) s += char(v >> (8 * i));
}

// A file may have more bytes than there is memory: what is none on the disk takes no space there.
std::string room(uint64_t n, const std::string& path) {
  if (!memory_for(n))
    throw Error(ErrorCode::memory, "cannot use '{}': {} bytes of it are more than is left of memory", path, n);
  return std::string(n, '\0');
}

std::string read(Disk& disk, uint64_t at, uint64_t n, const std::string& path) {
  if (at > disk.size() || n > disk.size() - at) refuse(path, "it is cut short");
  std::string s = room(n, path);
  if (!disk.read(s.data(), n, at)) refuse(path, disk.reason());
  return s;
}

struct Directory {
  uint64_t count, size, at, end;  // end: where the records after it begin
};
// In an archive of more than 4 GB a second record, before the last one, has the numbers. PyTorch writes it always.
Directory directory_of(Disk& disk, const std::string& path) {
  const uint64_t tail_size = std::min<uint64_t>(disk.size(), end_bytes + 0xffff), from = disk.size() - tail_size;
  const std::string tail = read(disk, from, tail_size, path);
  const size_t end = tail.rfind("PK\x05\x06");
  if (end == std::string::npos || tail.size() - end < end_bytes) refuse(path, "it is cut short, or no zip archive");
  if (get(tail, end + 20, 2) != tail.size() - end - end_bytes) refuse(path, "bytes follow its end");
  if (get(tail, end + 4, 4) || get(tail, end + 8, 2) != get(tail, end + 10, 2))
    refuse(path, "it is one of several archives that belong together");
  const Directory d{get(tail, end + 10, 2), get(tail, end + 12, 4), get(tail, end + 16, 4), from + end};
  const bool wide = d.count == 0xffff || d.size == limit || d.at == limit;
  const std::string locator = d.end < locator_bytes ? "" : read(disk, d.end - locator_bytes, locator_bytes, path);
  if (!locator.starts_with("PK\x06\x07")) {
    if (wide) refuse(path, "its directory is damaged");
    return d;
  }
  const uint64_t at = get(locator, 8, 8);
  if (!wide) return {d.count, d.size, d.at, at};
  const std::string record = read(disk, at, wide_end_bytes, path);
  if (!record.starts_with("PK\x06\x06")) refuse(path, "its directory is damaged");
  return {get(record, 32, 8), get(record, 40, 8), get(record, 48, 8), at};
}

// The numbers of an entry that 32 bits do not hold, in the order size, packed, at.
void read_wide(ZipEntry& e, std::string_view extra, const std::string& path) {
  uint64_t* const numbers[] = {&e.size, &e.packed, &e.at};
  for (size_t p = 0; extra.size() - p >= 4;) {
    const size_t kind = get(extra, p, 2), n = get(extra, p + 2, 2);
    p += 4;
    if (n > extra.size() - p) break;
    size_t at = p;
    for (uint64_t* v : numbers)
      if (kind == 1 && *v == limit && at + 8 <= p + n) *v = get(extra, at, 8), at += 8;
    p += n;
  }
  if (e.size > disk_limit || e.packed > disk_limit || e.at > disk_limit) refuse(path, quoted(e) + " has a wrong size");
}

// Gives each entry its end. No byte belongs to two entries, nor to one and the directory: what is unpacked is then at
// most a multiple of the file.
void set_apart(std::vector<ZipEntry>& entries, uint64_t directory, const std::string& path) {
  std::vector<ZipEntry*> sorted;
  for (auto& e : entries) sorted.push_back(&e);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->at > b->at; });
  uint64_t end = directory;
  std::string next = "the directory";
  for (ZipEntry* e : sorted) {
    if (e->at > end || end - e->at < local_bytes + e->packed) refuse(path, quoted(*e) + " and " + next + " overlap");
    e->end = std::exchange(end, e->at);
    next = quoted(*e);
  }
}

void check_sum(const ZipEntry& e, const void* data, const std::string& path) {
  if (crc32_z(0, static_cast<const Bytef*>(data), e.size) != e.crc)
    refuse(path, quoted(e) + " is damaged: its checksum does not fit");
}

}  // namespace

uint64_t zip_data_at(Disk& disk, const ZipEntry& e, const std::string& path) {
  const std::string local = read(disk, e.at, local_bytes, path);
  const uint64_t name = get(local, 26, 2), begin = e.at + local_bytes + name + get(local, 28, 2);
  if (local.compare(0, 4, "PK\x03\x04") || get(local, 8, 2) != e.method || begin > e.end || e.packed > e.end - begin ||
      read(disk, e.at + local_bytes, name, path) != e.name)
    refuse(path, quoted(e) + " is damaged: its header does not fit the directory");
  return begin;
}

std::vector<ZipEntry> zip_entries(Disk& disk, const std::string& path, uint64_t max_bytes) {
  const uint64_t most = max_bytes ? max_bytes : most_packing * disk.size();
  const Directory d = directory_of(disk, path);
  if (d.at > d.end || d.size != d.end - d.at) refuse(path, "its directory does not fit its size");
  const std::string directory = read(disk, d.at, d.size, path);
  std::vector<ZipEntry> entries;
  size_t p = 0;
  uint64_t total = 0;
  TensorBudget budget(max_bytes);
  while (entries.size() < d.count) {
    if (directory.size() - p < central_bytes || directory.compare(p, 4, "PK\x01\x02"))
      refuse(path, "its directory is damaged");
    const size_t name = get(directory, p + 28, 2), extra = get(directory, p + 30, 2),
                 comment = get(directory, p + 32, 2);
    if (directory.size() - p - central_bytes < name + extra + comment) refuse(path, "its directory is damaged");
    ZipEntry e{directory.substr(p + central_bytes, name),
               uint32_t(get(directory, p + 10, 2)),
               uint32_t(get(directory, p + 16, 4)),
               get(directory, p + 20, 4),
               get(directory, p + 24, 4),
               get(directory, p + 42, 4)};
    read_wide(e, std::string_view(directory).substr(p + central_bytes + name, extra), path);
    if (get(directory, p + 8, 2) & 1) refuse(path, quoted(e) + " is encrypted");
    total += e.size;  // below disk_limit
    if (total > most)
      refuse(path, fmt::format("unpacked it has more than {} bytes; torch.load has {{max_bytes = …}}", most));
    budget.spend(e.size, e.name, path);
    entries.push_back(std::move(e));
    p += central_bytes + name + extra + comment;
  }
  if (p != directory.size()) refuse(path, fmt::format("its directory has more than the {} entries it counts", d.count));
  set_apart(entries, d.at, path);
  return entries;
}

ZipStream::ZipStream(Disk& disk, const ZipEntry& e, const std::string& path)
    : disk_(disk), entry_(e), path_(path), at_(zip_data_at(disk, e, path)), packed_left_(e.packed) {
  const bool stored = e.method == 0;
  if (!stored && e.method != 8)
    refuse(path, fmt::format("{} is packed by method {}; luth reads deflate", quoted(e), e.method));
  if (stored ? e.size != e.packed : e.size / most_packing > e.packed) refuse(path, quoted(e) + " has a wrong size");
  if (at_ > disk.size() || e.packed > disk.size() - at_) refuse(path, "it is cut short");
  if (stored) return;
  piece_.resize(std::min<uint64_t>(most_piece, e.packed));  // an archive may have a million entries
  if (inflateInit2(&z_, -MAX_WBITS) != Z_OK) throw Error(ErrorCode::memory, "no memory to unpack '{}'", path);
}

ZipStream::~ZipStream() {
  if (z_.state) inflateEnd(&z_);
}

void ZipStream::next_piece() {
  const uint64_t n = std::min<uint64_t>(packed_left_, piece_.size());
  if (n && !disk_.read(piece_.data(), n, at_)) refuse(path_, disk_.reason());
  at_ += n, packed_left_ -= n;
  z_.next_in = reinterpret_cast<Bytef*>(piece_.data());
  z_.avail_in = uInt(n);
}

// Inflates until `n` bytes are there or the packed data end.
uint64_t ZipStream::inflate_some(Bytef* to, uint64_t n) {
  uint64_t done = 0;
  while (done < n && !ended_) {
    if (!z_.avail_in && packed_left_) next_piece();
    const uInt room = uInt(std::min<uint64_t>(n - done, 1 << 30));
    z_.next_out = to + done;
    z_.avail_out = room;
    const int result = ::inflate(&z_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) break;
    done += room - z_.avail_out;
    ended_ = result == Z_STREAM_END;
  }
  return done;
}

void ZipStream::read(void* to, uint64_t n) {
  auto* bytes = static_cast<Bytef*>(to);
  if (entry_.method) {
    if (inflate_some(bytes, n) != n) refuse(path_, "its packed data are damaged");
  } else if (n > packed_left_ || !disk_.read(to, n, at_)) {
    refuse(path_, n > packed_left_ ? "it is cut short" : disk_.reason());
  } else {
    at_ += n, packed_left_ -= n;
  }
  crc_ = uint32_t(crc32_z(crc_, bytes, n));
}

void ZipStream::finish() {
  Bytef more;
  if (entry_.method && (inflate_some(&more, 1) || !ended_)) refuse(path_, "its packed data are damaged");
  if (crc_ != entry_.crc) refuse(path_, quoted(entry_) + " is damaged: its checksum does not fit");
}

std::string zip_read(Disk& disk, const ZipEntry& e, const std::string& path) {
  ZipStream stream(disk, e, path);
  std::string bytes = room(e.size, path);
  stream.read(bytes.data(), bytes.size());
  stream.finish();
  return bytes;
}

void zip_read_stored(Disk& disk, const ZipEntry& e, const std::string& path, void* to) {
  if (e.method != 0 || e.size != e.packed) refuse(path, quoted(e) + " should be stored without packing");
  const uint64_t at = zip_data_at(disk, e, path);
  if (at > disk.size() || e.size > disk.size() - at) refuse(path, "it is cut short");
  if (e.size && !disk.read(to, e.size, at)) refuse(path, disk.reason());
  check_sum(e, to, path);
}

void ZipWriter::write(const void* p, size_t n) {
  if (!file_.disk().write(p, n, at_)) file_.fail(file_.disk().reason());
  at_ += n;
}

void ZipWriter::add(const std::string& name, const std::string& head, const void* data, size_t bytes) {
  uint64_t size = head.size() + bytes, start = at_;
  if (name.size() > 0xfff0 || ++count_ > 0xfffe) file_.fail("a .npz file takes no such name, or not as many arrays");
  if (size >= limit || start + size + directory_.size() + (1 << 20) >= limit)
    file_.fail("a .npz file takes at most 4 GB; use .h5");
  uint32_t crc = uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size()));
  if (bytes) crc = uint32_t(crc32_z(crc, static_cast<const Bytef*>(data), bytes));
  // version 2.0, names in UTF-8, stored, the first of January 1980
  std::string common;
  put(common, 20, 2), put(common, 0x800, 2), put(common, 0, 2), put(common, 0, 2), put(common, 0x21, 2);
  put(common, crc, 4), put(common, size, 4), put(common, size, 4), put(common, name.size(), 2), put(common, 0, 2);
  std::string local = "PK\x03\x04" + common + name;
  write(local.data(), local.size());
  write(head.data(), head.size());
  write(data, bytes);
  directory_ += "PK\x01\x02";
  put(directory_, 20, 2);
  directory_ += common;
  put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 4), put(directory_, start, 4);
  directory_ += name;
}

void ZipWriter::finish() {
  uint64_t start = at_;
  write(directory_.data(), directory_.size());
  std::string end = "PK\x05\x06";
  put(end, 0, 2), put(end, 0, 2), put(end, count_, 2), put(end, count_, 2);
  put(end, directory_.size(), 4), put(end, start, 4), put(end, 0, 2);
  write(end.data(), end.size());
}

}  // namespace luth::io
