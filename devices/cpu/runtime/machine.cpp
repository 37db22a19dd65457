#include <cstdio>
#include <cstring>

#include "devices/cpu/runtime/allocator.h"

namespace luth::cpu {

std::string processor_name() {
  std::string name = "CPU";
  FILE* f = std::fopen("/proc/cpuinfo", "re");
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
