#include "core/base/limits.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>

#include "core/base/block_signals.h"

namespace luth {
namespace {

using Work = std::function<void()>;

void* run(void* work) {
  std::unique_ptr<Work> mine(static_cast<Work*>(work));
  (*mine)();
  return nullptr;
}

// The threads of this process, those included that have ended and are not gone yet.
unsigned long existing_threads() {
  struct stat folder {};
  return stat("/proc/self/task", &folder) == 0 && folder.st_nlink > 2 ? folder.st_nlink - 2 : 0;
}

// A thread that has been joined still counts for a moment.
void wait_until_gone(unsigned long before) {
  for (int i = 0; i < 200 && before && existing_threads() > before; ++i) usleep(100);
}

std::string text_of(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// One of the words between commas.
bool names(std::string_view list, std::string_view word) {
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

int64_t meminfo(const char* key) { return number_in("/proc/meminfo", key).value_or(0) * 1024; }

// Files of a control group, and the keys in memory.stat of what the system can drop.
struct GroupFiles {
  const char *limit, *used, *idle_files, *files;
};
constexpr GroupFiles versions[] = {
    {"/memory.max", "/memory.current", "inactive_file ", "active_file "},
    {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file ", "total_active_file "}};

constexpr int64_t unlimited = INT64_MAX;

// The least that `f` finds in a control group: bytes, by the files of its version and its limit.
template <class F>
int64_t least_of_groups(F&& f) {
  int64_t least = unlimited;
  for (auto& group : control_groups("memory"))
    for (auto& v : versions)
      if (auto limit = number_in(group + v.limit); limit && *limit >= 0 && *limit < int64_t(1) << 60)
        least = std::min<int64_t>(least, f(group, v, *limit));
  return least;
}

int64_t left_in(const std::string& group, const GroupFiles& v, int64_t limit) {
  const std::string stat = group + "/memory.stat";
  return limit - number_in(group + v.used).value_or(0) + number_in(stat, v.idle_files).value_or(0) +
         number_in(stat, v.files).value_or(0);
}

// How many of `wanted` threads half of the address space has room for, with the heap that malloc makes for each. Where
// that is not all, there is one heap for all: to make one, malloc takes twice its size for a moment.
int fitting_threads(int wanted) {
  constexpr int64_t heap = int64_t(64) << 20;
  const auto left = address_space_left();
  if (!left) return wanted;
  const int64_t fitting = *left / 2 / (Threads::stack + heap);
  if (fitting < wanted) mallopt(M_ARENA_MAX, 1);
  return int(std::min<int64_t>(wanted, fitting));
}

}  // namespace

int64_t total_memory() {
  return std::min(meminfo("MemTotal:"),
                  least_of_groups([](const std::string&, const GroupFiles&, int64_t limit) { return limit; }));
}

int64_t available_memory() {
  const int64_t swap = meminfo("SwapFree:"), machine = meminfo("MemAvailable:") + swap;
  const int64_t groups = least_of_groups(left_in);
  const int64_t left = std::min(groups == unlimited ? groups : groups + swap, address_space_left().value_or(unlimited));
  if (left == unlimited) return machine;
  return std::max<int64_t>(machine ? std::min(left, machine) : left, 1);  // without /proc, the limits alone are known
}

bool memory_for(size_t bytes) {
  constexpr int64_t kept = int64_t(2) << 20, at_start = int64_t(4) << 20;
  static std::atomic<int64_t> unasked{at_start};  // what may be taken before the next question
  constexpr auto relaxed = std::memory_order_relaxed;
  static thread_local bool asking = false;  // the question itself takes memory, and a stream hides that it got none
  const int64_t wanted = int64_t(std::min<size_t>(bytes, size_t(1) << 60)), rest = unasked.load(relaxed) - wanted;
  unasked.store(rest, relaxed);
  if (rest >= 0 || asking) return true;
  struct Asking {
    Asking() { asking = true; }
    ~Asking() { asking = false; }
  } const now;
  int64_t left = available_memory();
  if (left && left < wanted + kept) {
    malloc_trim(0);
    left = available_memory();
  }
  const bool enough = !left || left >= wanted + kept;
  unasked.store(enough ? std::clamp<int64_t>((left - wanted) / 8, 256 << 10, 64 << 20) : 0, relaxed);
  return enough;
}

std::optional<int64_t> address_space_left() {
  std::optional<int64_t> least;
  const auto bound = [&](__rlimit_resource_t which, std::string_view used) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const int64_t bytes = number_in("/proc/self/status", used).value_or(0) * 1024;
    const int64_t left = std::max<int64_t>(int64_t(std::min<rlim_t>(limit.rlim_cur, INT64_MAX)) - bytes, 0);
    least = std::min(least.value_or(left), left);
  };
  bound(RLIMIT_AS, "VmSize:");
  bound(RLIMIT_DATA, "VmData:");  // Linux counts the private memory that is mapped, touched or not
  return least;
}

bool Threads::start(Work work) {
  BlockSignals meanwhile;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  auto mine = std::make_unique<Work>(std::move(work));
  all_.emplace_back();
  const bool started = pthread_create(&all_.back(), &attributes, run, mine.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (started)
    mine.release();
  else
    all_.pop_back();
  return started;
}

void Threads::join() {
  for (auto t : all_) pthread_join(t, nullptr);
  all_.clear();
}

int startable_threads(int wanted) {
  constexpr int spare = 1;  // for what else the process starts
  wanted = fitting_threads(wanted);
  if (wanted < 1) return 0;
  const unsigned long before = existing_threads();
  std::mutex gate;
  Threads all;
  {
    std::lock_guard closed(gate);
    while (all.count() < wanted + spare && all.start([&gate] { std::lock_guard passed(gate); })) {}
  }
  const int started = all.count();
  all.join();
  wait_until_gone(before);
  return std::clamp(started - spare, 0, wanted);
}

std::vector<std::string> control_groups(std::string_view controller, const std::string& memberships,
                                        const std::string& mounted) {
  std::vector<std::string> folders;
  std::istringstream lines(memberships);  // number:controllers:/group; version 2 names no controllers
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !names(controllers, controller)) continue;
    const std::string root = controllers.empty() ? mounted : mounted + '/' + std::string(controller);
    for (std::string group = line.substr(second + 1);; group.resize(group.rfind('/'))) {
      while (!group.empty() && group.back() == '/') group.pop_back();
      if (std::error_code ignored; std::filesystem::is_directory(root + group, ignored))
        folders.push_back(root + group);
      if (group.empty()) break;
    }
  }
  return folders;
}

std::vector<std::string> control_groups(std::string_view controller) {
  return control_groups(controller, text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
}

std::optional<int64_t> number_in(const std::string& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    char* end = nullptr;
    const char* from = line.c_str() + key.size();
    const long long n = std::strtoll(from, &end, 10);
    if (end != from) return n;
  }
  return {};
}

}  // namespace luth
