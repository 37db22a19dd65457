#include "core/data/tar.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/visible.h"

namespace luth::data {
namespace {

constexpr uint64_t block = 512;
constexpr uint64_t longest_name = 4096, longest_record = 1 << 20;

// A header as it lies in the archive.
struct Header {
  char name[100], mode[8], user[8], group[8], size[12], time[12], checksum[8];
  char kind;
  char link[100], magic[6], version[2], user_name[32], group_name[32], major[8], minor[8], prefix[155], rest[12];
};
static_assert(sizeof(Header) == block);

std::string_view text_of(const char* field, size_t n) { return {field, strnlen(field, n)}; }

// The number that a text begins with, and how many digits it has: 0 where there is none or it is too large.
std::pair<uint64_t, size_t> first_number(std::string_view text, int base) {
  uint64_t v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v, base);
  return {v, r.ec == std::errc() ? size_t(r.ptr - text.data()) : 0};
}

class Reader {
 public:
  explicit Reader(const File& archive) : archive_(archive) {}

  void run(const std::function<void(TarMember)>& visit) {
    for (;;) {
      Header h;
      start_ = at_;
      if (at_ + block > archive_.size()) fail("it ends without its end mark; it was cut short");
      read(&h, block);
      if (is_empty(h)) return;
      check(h);
      const bool of_next = h.kind == 'L' || h.kind == 'K' || h.kind == 'x' || h.kind == 'g';
      const uint64_t size = has_size_ && !of_next ? size_ : number(h.size, sizeof h.size);
      if (!of_next && name_.empty()) name_ = ustar_name(h);
      if (size > archive_.size() - at_)
        fail("a member of {} bytes reaches beyond the end of the archive; it was cut short", size);
      member(h, size, visit);
      at_ += (size + block - 1) / block * block;
    }
  }

 private:
  template <class... A>
  [[noreturn]] void fail(fmt::format_string<A...> text, A&&... arguments) {
    const std::string name = name_.empty() ? "" : " (member '" + foreign(name_) + "')";
    throw Error("'{}' cannot be read as tar, at byte {}{}: {}", archive_.path(), start_, name,
                fmt::format(text, std::forward<A>(arguments)...));
  }
  void read(void* to, uint64_t n) {
    archive_.read(to, n, at_);
    at_ += n;
  }
  static bool is_empty(const Header& h) {
    const char* bytes = reinterpret_cast<const char*>(&h);
    return std::all_of(bytes, bytes + block, [](char c) { return c == 0; });
  }
  void check(const Header& h) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&h);
    if (start_ == 0 && bytes[0] == 0x1f && bytes[1] == 0x8b) fail("it is compressed by gzip; unpack it with gunzip");
    uint64_t sum = 0;
    for (size_t i = 0; i < block; ++i) sum += bytes[i];
    for (char c : h.checksum) sum += ' ' - uint64_t(static_cast<unsigned char>(c));
    if (sum != number(h.checksum, sizeof h.checksum)) fail("the checksum of a header is wrong");
  }

  // Octal digits, or GNU's binary form.
  uint64_t number(const char* field, size_t n) {
    if (static_cast<unsigned char>(field[0]) == 0x80) {
      uint64_t v = 0;
      for (size_t i = 1; i < n; ++i) {
        if (v >> 55) fail("a header has a number out of range");
        v = v << 8 | static_cast<unsigned char>(field[i]);
      }
      return v;
    }
    std::string_view digits(field, n);
    while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
    const auto [v, n_digits] = first_number(digits, 8);
    if (!n_digits || digits.find_first_not_of(std::string_view(" \0", 2), n_digits) != digits.npos)
      fail("a header has a field that is no number");
    return v;
  }

  std::string contents(uint64_t size, uint64_t most) {
    if (size > most) fail("a record of {} bytes is longer than {}", size, most);
    std::string bytes(size, '\0');
    archive_.read(bytes.data(), size, at_);
    return bytes;
  }

  void member(const Header& h, uint64_t size, const std::function<void(TarMember)>& visit) {
    if (h.kind == 'L') return void(name_ = text_of(contents(size, longest_name).c_str(), longest_name));
    if (h.kind == 'x') return records(contents(size, longest_record));
    if (h.kind == 'g' || h.kind == 'K') return;  // of all members, and of links: neither names nor sizes
    if (h.kind == 'S' || sparse_) fail("it is sparse, which luth does not read");
    if (h.kind == '0' || h.kind == '\0' || h.kind == '7') visit({name_, at_, size});
    name_.clear();
    has_size_ = sparse_ = false;
  }

  static std::string ustar_name(const Header& h) {
    const std::string name(text_of(h.name, sizeof h.name));
    const std::string_view prefix = text_of(h.prefix, sizeof h.prefix);
    if (std::memcmp(h.magic, "ustar", 6) != 0 || prefix.empty()) return name;
    return std::string(prefix) + "/" + name;
  }

  // "27 path=images/000001.jpg\n": the length counts the whole record.
  void records(const std::string& text) {
    for (std::string_view left = text; !left.empty() && left[0] != '\0';) {
      const auto [n, digits] = first_number(left, 10);
      if (!digits || n > left.size() || n < digits + 3 || left[digits] != ' ' || left[n - 1] != '\n')
        fail("a pax header is damaged");
      record(left.substr(digits + 1, n - digits - 2));
      left.remove_prefix(n);
    }
  }
  void record(std::string_view text) {
    const size_t equal = text.find('=');
    if (equal == text.npos) fail("a pax header is damaged");
    const std::string_view key = text.substr(0, equal), value = text.substr(equal + 1);
    if (key.starts_with("GNU.sparse")) sparse_ = true;
    if (key == "path") {
      if (value.size() > longest_name) fail("a name of {} bytes is too long", value.size());
      name_ = value;
    }
    if (key != "size") return;
    const auto [size, digits] = first_number(value, 10);
    if (!digits || digits != value.size()) fail("a pax header has a size that is no number");
    size_ = size;
    has_size_ = true;
  }

  const File& archive_;
  uint64_t at_ = 0, start_ = 0;  // the next block, the last header
  // what headers before the next one say of it
  std::string name_;
  uint64_t size_ = 0;
  bool has_size_ = false, sparse_ = false;
};

}  // namespace

void read_tar(const File& archive, const std::function<void(TarMember)>& visit) { Reader(archive).run(visit); }

}  // namespace luth::data
