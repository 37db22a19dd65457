// What a thread has of its own: when it is made and goes, and that no code of luth uses the language's way.
#include "core/base/per_thread.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace luth {
namespace {

std::string order;  // what has ended

struct First {
  int value = 1;
  ~First() { order += "first "; }
};
constinit thread_local PerThread<First> first;
struct Second {
  ~Second() { order += first->value == 1 ? "second " : "? "; }
};
constinit thread_local PerThread<Second> second;

TEST(PerThread, EachThreadHasItsOwn) {
  order = "";
  first->value = 5;
  std::thread([] {
    EXPECT_EQ(first->value, 1);
    first->value = 7;
    EXPECT_EQ(first->value, 7);
  }).join();
  EXPECT_EQ(first->value, 5);
  EXPECT_EQ(order, "first ");
  first->value = 1;
}

TEST(PerThread, WhatIsAskedForAtTheEndIsMadeAnewAndEnds) {
  order = "";
  std::thread([] { first.get(), second.get(); }).join();
  EXPECT_EQ(order, "second first ");
  order = "";
  std::thread([] { second.get(), first.get(); }).join();
  EXPECT_EQ(order, "first second first ") << "the second one's end needs another first one";
}

// A thread_local object with a destructor is registered by __cxa_thread_atexit, which needs memory.
TEST(PerThread, NoLibraryRegistersThreadLocalObjects) {
  if (std::system("nm --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "nm is not installed (binutils)";
  const std::string build = LUTH_BINARY_DIR;
  int seen = 0;
  std::vector<std::string> files{build + "/bin/luth"};
  for (auto& entry : std::filesystem::directory_iterator(build + "/lib"))
    if (entry.path().extension() == ".so") files.push_back(entry.path().string());
  for (auto& file : files) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("nm -D -u '" + file + "'").c_str(), "r"), pclose);
    for (char line[4096]; pipe && fgets(line, sizeof line, pipe.get()); ++seen)
      EXPECT_EQ(std::string(line).find("__cxa_thread_atexit"), std::string::npos)
          << file << " has a thread_local object with a destructor: make it a PerThread";
  }
  EXPECT_GT(seen, 100) << "nm shows no symbols";
}

}  // namespace
}  // namespace luth
