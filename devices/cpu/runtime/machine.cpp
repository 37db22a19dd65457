// Memory and processor of this machine, by /proc and the cgroup of the process.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "devices/cpu/runtime/allocator.h"

namespace luth::cpu {
namespace {

// The number after `key` in a file of lines "key   number"; an empty key: the file is one number. -1: not found.
int64_t number_in(const char* file, const char* key) {
  FILE* f = std::fopen(file, "r");
  if (!f) return -1;
  int64_t found = -1;
  char line[256];
  size_t n = std::strlen(key);
  while (found < 0 && std::fgets(line, sizeof line, f)) {
    char* end = nullptr;
    if (std::strncmp(line, key, n)) continue;
    long long v = std::strtoll(line + n, &end, 10);
    if (end != line + n) found = v;
  }
  std::fclose(f);
  return found;
}
int64_t meminfo(const char* key) { return std::max<int64_t>(number_in("/proc/meminfo", key), 0) * 1024; }

// cgroup v2, else v1; limits of parent groups are not seen. limit -1: none.
struct Group {
  int64_t limit, used;
};
Group group() {
  int64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
  if (limit >= 0)
    return {limit, std::max<int64_t>(number_in("/sys/fs/cgroup/memory.current", ""), 0) -
                       std::max<int64_t>(number_in("/sys/fs/cgroup/memory.stat", "inactive_file "), 0)};
  limit = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "");
  if (limit < 0 || limit > int64_t(1) << 60) return {-1, 0};
  return {limit, std::max<int64_t>(number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes", ""), 0) -
                     std::max<int64_t>(number_in("/sys/fs/cgroup/memory/memory.stat", "total_inactive_file "), 0)};
}

}  // namespace

int64_t total_memory() {
  int64_t total = meminfo("MemTotal:"), limit = group().limit;
  return limit > 0 ? std::min(total, limit) : total;
}

int64_t available_memory() {
  int64_t available = meminfo("MemAvailable:") + meminfo("SwapFree:");
  Group g = group();
  return g.limit > 0 ? std::clamp<int64_t>(g.limit - g.used, 1, std::max<int64_t>(available, 1)) : available;
}

std::string processor_name() {
  std::string name = "CPU";
  FILE* f = std::fopen("/proc/cpuinfo", "r");
  if (!f) return name;
  char line[512];
  while (std::fgets(line, sizeof line, f))
    if (!std::strncmp(line, "model name", 10))
      if (const char* colon = std::strchr(line, ':')) {
        name = colon + 1;
        break;
      }
  std::fclose(f);
  name.erase(0, name.find_first_not_of(" \t"));
  while (!name.empty() && name.back() <= ' ') name.pop_back();
  return name;
}

}  // namespace luth::cpu
