#include "lang/prompt/history.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/io/disk.h"

namespace luth::lang {
namespace {

constexpr long most_bytes = 4 << 20;  // that are read

std::string state_dir() {
  if (const char* state = getenv("XDG_STATE_HOME"); state && state[0] == '/') return state;
  const char* home = getenv("HOME");
  return home && *home ? std::string(home) + "/.local/state" : std::string();
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

}  // namespace

HistoryFile::HistoryFile() {
  const std::string state = state_dir();
  if (state.empty() || io::is_link(state + "/luth/history")) return;
  path_ = state + "/luth/history";
  const int fd = make_folders(state + "/luth") ? open_file(path_) : -1;
  if (fd < 0)
    warn(errno);
  else
    close(fd);
}

void HistoryFile::warn(int why) {
  fprintf(stderr, "luth: warning: history is not kept: %s: %s\n", path_.c_str(), strerror(why));
  path_.clear();
}

std::vector<std::string> HistoryFile::load() {
  std::vector<std::string> lines;
  FILE* f = path_.empty() ? nullptr : fopen(path_.c_str(), "re");
  if (!f) return lines;
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
  return lines;
}

void HistoryFile::cut(const std::vector<std::string>& lines) {
  std::string text;
  for (auto& line : lines) text += line + '\n';
  try {
    io::replace_file(path_, text.data(), text.size());
  } catch (const Error&) {}  // it stays long
}

void HistoryFile::append(const std::string& line) {
  if (path_.empty() || line.empty()) return;
  const int fd = open_file(path_);
  if (fd < 0 || !write_all(fd, line + '\n')) warn(errno);
  if (fd >= 0) close(fd);
}

}  // namespace luth::lang
