#include "lang/prompt/history.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <unordered_set>

#include "core/io/disk.h"

namespace luth::lang {
namespace {

constexpr long most_bytes = 4 << 20;  // that are read

std::string state_dir() {
  if (const char* state = getenv("XDG_STATE_HOME"); state && state[0] == '/') return state;
  const char* home = getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.local/state" : std::string();
}

// Makes a folder and those above it, for its owner only.
bool make_folders(const std::string& path) {
  for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    if (mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST && at == path.npos) return false;
    if (at == path.npos) return true;
  }
}

// A link there, often one to /dev/null, means that no history is wanted. A file of somebody else is left alone.
int open_file(const std::string& path) {
  const int fd = io::open_own(path, O_APPEND | O_WRONLY);
  if (fd >= 0) fchmod(fd, 0600);
  return fd;
}

bool write_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += size_t(n);
  }
  return true;
}

// Blocks as lines of the file, and back.
constexpr char newline_in_file = '\x1e';
std::string exchanged(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

// Of equal blocks the last stays.
void drop_duplicates(std::vector<std::string>& blocks) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> kept;
  for (size_t i = blocks.size(); i-- > 0;)
    if (seen.insert(blocks[i]).second) kept.push_back(blocks[i]);
  blocks.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace

History::History(std::vector<std::string> blocks) : blocks_(std::move(blocks)) { drop_duplicates(blocks_); }

History::History() {
  const std::string state = state_dir();
  if (state.empty() || io::is_link(state + "/luth/history")) return;
  path_ = state + "/luth/history";
  const int fd = make_folders(state + "/luth") ? open_file(path_) : -1;
  if (fd < 0) {
    warn(errno);
  } else {
    close(fd);
    load();
  }
}

void History::warn(int why) {
  fprintf(stderr, "luth: warning: history is not kept: %s: %s\n", path_.c_str(), strerror(why));
  path_.clear();
}

void History::load() {
  FILE* f = fopen(path_.c_str(), "re");
  if (!f) return;
  std::vector<std::string> lines;
  char* buffer = nullptr;
  size_t size = 0;
  if (fseek(f, -most_bytes, SEEK_END) == 0 && getline(&buffer, &size, f) < 0) clearerr(f);  // the rest of a line
  for (ssize_t n; (n = getline(&buffer, &size, f)) > 0;) {
    if (buffer[n - 1] == '\n') --n;
    if (n > 0) lines.emplace_back(buffer, size_t(n));
  }
  free(buffer);
  fclose(f);
  const bool long_file = lines.size() >= 2 * length;
  if (lines.size() > length) lines.erase(lines.begin(), lines.end() - long(length));
  if (long_file) cut(lines);
  for (auto& line : lines) line = exchanged(std::move(line), newline_in_file, '\n');
  drop_duplicates(lines);
  blocks_ = std::move(lines);
}

void History::cut(const std::vector<std::string>& lines) {
  std::string text;
  for (auto& line : lines) text += line + '\n';
  try {
    io::replace_file(path_, text.data(), text.size());
  } catch (const Error&) {}  // it stays long
}

void History::append(const std::string& line) {
  if (path_.empty()) return;
  const int fd = open_file(path_);
  if (fd < 0 || !write_all(fd, line + '\n')) warn(errno);
  if (fd >= 0) close(fd);
}

void History::add(const std::string& block) {
  if (block.empty()) return;
  const bool repeats_last = !blocks_.empty() && blocks_.back() == block;
  std::erase(blocks_, block);
  blocks_.push_back(block);
  if (!repeats_last) append(exchanged(block, '\n', newline_in_file));
}

size_t History::older(size_t from, std::string_view prefix) const {
  while (from-- > 0)
    if (blocks_[from].starts_with(prefix)) return from;
  return std::string::npos;
}

size_t History::newer(size_t from, std::string_view prefix) const {
  while (++from < blocks_.size())
    if (blocks_[from].starts_with(prefix)) return from;
  return std::string::npos;
}

size_t History::find_older(size_t from, std::string_view text) const {
  while (from-- > 0)
    if (blocks_[from].find(text) != std::string::npos) return from;
  return std::string::npos;
}

size_t History::find_newer(size_t from, std::string_view text) const {
  while (++from < blocks_.size())
    if (blocks_[from].find(text) != std::string::npos) return from;
  return std::string::npos;
}

}  // namespace luth::lang
