// What the campaigns of files share: changes of bytes, the time that they take, their options.
#pragma once
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>

namespace luth::testing {

class Mutations {
 public:
  explicit Mutations(uint64_t seed) : random_(seed) {}
  uint64_t below(uint64_t n) { return random_() % n; }

  void change(std::string& s, size_t at) {
    if (at >= s.size()) return;
    constexpr uint64_t odd[] = {0,           1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff,
                                ~uint64_t(0)};
    switch (below(8)) {
      case 0: s[at] = char(s[at] ^ (1 << below(8))); break;
      case 1: s[at] = char(below(256)); break;
      case 2: s[at] = char(s[at] + 1); break;
      case 3: s[at] = char(s[at] - 1); break;
      case 4: {
        const uint64_t v = odd[below(std::size(odd))];
        std::memcpy(s.data() + at, &v, std::min<size_t>(size_t(1) << below(4), s.size() - at));
        break;
      }
      case 5: {  // one piece over another
        const size_t from = below(s.size()), n = std::min({below(64) + 1, s.size() - from, s.size() - at});
        std::memmove(s.data() + at, s.data() + from, n);
        break;
      }
      case 6:
        if (!below(16)) s.resize(at);
        break;
      default: s[at] = 0;
    }
  }

 private:
  std::mt19937_64 random_;
};

// Of this process and of the readers that have ended; on a busy machine the clock runs for others too.
inline double processor_seconds() {
  double seconds = 0;
  for (auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& t : {used.ru_utime, used.ru_stime}) seconds += double(t.tv_sec) + double(t.tv_usec) * 1e-6;
  }
  return seconds;
}

struct Options {
  double minutes = 1;
  uint64_t seed = 1, mutants = UINT64_MAX;
  // A disk would be waited for at each mutant; most systems have a folder in memory.
  std::string keep = ::access("/dev/shm", W_OK) ? "." : "/dev/shm", only;
};

inline Options options(int argc, char** argv) {
  Options o;
  if (argc > 1 && std::string(argv[1]) == "--help") {
    printf(
        "usage: %s [--minutes M] [--mutants N] [--seed S] [--only TEXT] [--keep FOLDER]\n"
        "tests/fuzz/README.md says what they mean.\n",
        argv[0]);
    std::exit(0);
  }
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--minutes") o.minutes = std::atof(argv[i + 1]);
    if (name == "--seed") o.seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--mutants") o.mutants = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--only") o.only = argv[i + 1];
    if (name == "--keep") o.keep = argv[i + 1];
  }
  std::filesystem::create_directories(o.keep);
  return o;
}

}  // namespace luth::testing
