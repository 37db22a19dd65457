#include "core/records/file_window.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/interrupt.h"

namespace luth::data {

constexpr size_t piece = size_t(1) << 20;  // bytes

FileWindow::FileWindow(const std::string& path) : file_(path), bytes_(piece, '\0') {}

bool FileWindow::more() {
  if (ended_) return false;
  poll_interrupt();
  if (begin_) {
    std::memmove(bytes_.data(), begin(), end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (bytes_.size() - end_ < piece / 2) bytes_.resize(2 * bytes_.size());  // rows that grow are read in linear time
  const auto wanted = int64_t(bytes_.size() - end_), got = file_.read(bytes_.data() + end_, wanted);
  zeros_ = zeros_ || std::memchr(bytes_.data() + end_, 0, size_t(got));
  end_ += size_t(got);
  ended_ = got < wanted;
  return got > 0;
}

void FileWindow::begin_text(const std::string& name) {
  more();
  const std::string_view start(begin(), size_t(end() - begin()));
  if (start.starts_with("\xef\xbb\xbf")) drop(3);
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff"))
    throw Error("{} is UTF-16; luth reads UTF-8: iconv -f UTF-16 -t UTF-8 <FILE >NEW", name);
}

}  // namespace luth::data
