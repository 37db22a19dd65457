#include "core/text/text_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/interrupt.h"
#include "core/base/open_file.h"

namespace luth::text {

TextFile::TextFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  file_ = open_file(path_, status);
  size_ = status.st_size;
}

TextFile::~TextFile() { ::close(file_); }

void TextFile::read(int64_t from, int64_t n, char* to) const {
  poll_interrupt();
  while (n > 0) {
    const ssize_t got = ::pread(file_, to, size_t(n), from);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Error("cannot read '{}' at byte {}: {}", path_, from + 1,
                  got ? strerror(errno) : "it has become shorter since it was opened");
    from += got, n -= got, to += got;
  }
}

std::string TextFile::read(int64_t from, int64_t n) const {
  std::string text(size_t(n), '\0');
  read(from, n, text.data());
  return text;
}

std::string TextFile::lines(int64_t from, int64_t n) const {
  const int64_t most = 100 * n;
  std::string text;
  for (int64_t step = n; from + int64_t(text.size()) < size_; step = std::max<int64_t>(4096, n / 16)) {
    const size_t before = text.size();
    text += read(from + int64_t(before), std::min(step, size_ - from - int64_t(before)));
    if (from + int64_t(text.size()) == size_) break;
    const size_t end = std::string_view(text).substr(before).rfind('\n');
    if (end != text.npos) return text.resize(before + end + 1), text;
    if (int64_t(text.size()) < most) continue;
    size_t cut = text.size();
    while (cut > 1 && (text[cut - 1] & 0xc0) == 0x80) --cut;
    if (cut > 1) text.resize(cut - 1);
    break;
  }
  return text;
}

}  // namespace luth::text
