#include "core/base/limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/threads.h"

namespace luth {
namespace {

class ControlGroups : public ::testing::Test {
 protected:
  ControlGroups() : root_(::testing::TempDir() + "groups-" + std::to_string(getpid())) {
    for (const char* group : {"/cpu/a/b", "/memory", "/a/b"}) std::filesystem::create_directories(root_ + group);
  }
  ~ControlGroups() override { std::filesystem::remove_all(root_); }
  using Folders = std::vector<std::string>;
  const std::string root_;
};

TEST_F(ControlGroups, AreItsOwnAndThoseAround) {
  const Folders both{root_ + "/cpu/a/b", root_ + "/cpu/a", root_ + "/cpu"};
  EXPECT_EQ(control_groups("cpu", "9:name=systemd:/\n2:cpuacct,cpu:/a/b\n", root_), both);
  const Folders unified{root_ + "/a/b", root_ + "/a", root_};
  EXPECT_EQ(control_groups("cpu", "0::/a/b\n", root_), unified);
}

// As in a container, which sees its own group as the root.
TEST_F(ControlGroups, AreTheRootWhereTheirFolderIsNotSeen) {
  EXPECT_EQ(control_groups("memory", "4:memory:/docker/0123\n", root_), Folders{root_ + "/memory"});
  EXPECT_EQ(control_groups("memory", "4:memoryless:/\n", root_), Folders{});
  EXPECT_EQ(control_groups("memory", "", root_), Folders{});
  EXPECT_EQ(control_groups("pids", "8:pids:/\n", root_), Folders{});
}

TEST_F(ControlGroups, FilesHaveNumbers) {
  const std::string file = root_ + "/stat";
  std::ofstream(file) << "inactive_file 12\nactive_file 34\nmax\n";
  EXPECT_EQ(number_in(file, "active_file "), 34);
  EXPECT_EQ(number_in(file, "inactive_file "), 12);
  EXPECT_EQ(number_in(file), std::nullopt);
  EXPECT_EQ(number_in(file, "other "), std::nullopt);
  EXPECT_EQ(number_in(root_ + "/none"), std::nullopt);
  std::ofstream(file) << "4096\n";
  EXPECT_EQ(number_in(file), 4096);
}

TEST(Threads, RunAndAreJoined) {
  std::atomic<int> sum{0};
  Threads all;
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(all.start([&sum, i] { sum += i; }));
  EXPECT_EQ(all.count(), 3);
  all.join();
  EXPECT_EQ(all.count(), 0);
  EXPECT_EQ(sum, 6);
}

TEST(Threads, AsManyAsCanBeStarted) {
  EXPECT_EQ(startable_threads(0), 0);
  EXPECT_EQ(startable_threads(-1), 0);
  EXPECT_EQ(startable_threads(5), 5);
}

#ifndef __SANITIZE_ADDRESS__
TEST(AddressSpace, BoundsThreadsAndMemory) {
  // In a process of its own: what other tests have mapped and given back is room that the limits do not count.
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EQ(address_space_left(), std::nullopt);
  auto in_child = [](__rlimit_resource_t which, const char* key) {
    const int64_t used = *number_in("/proc/self/status", key) * 1024, room = int64_t(400) << 20;
    const rlimit limit{rlim_t(used + room), rlim_t(used + room)};
    const bool set = setrlimit(which, &limit) == 0;
    const auto left = address_space_left();
    const bool close = left && *left <= room && *left > room / 2;
    const int threads = startable_threads(1000);
    std::_Exit(set && close && threads >= 1 && threads <= 3 && available_memory() <= room &&
                       memory_for(size_t(100) << 20) && !memory_for(size_t(500) << 20)
                   ? 0
                   : 1);
  };
  EXPECT_EXIT(in_child(RLIMIT_AS, "VmSize:"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(in_child(RLIMIT_DATA, "VmData:"), ::testing::ExitedWithCode(0), "");
}
#endif

TEST(Memory, OfTheMachine) {
  EXPECT_GT(total_memory(), int64_t(64) << 20);
  EXPECT_GT(available_memory(), 0);
  EXPECT_LE(available_memory(), int64_t(1) << 50);
  EXPECT_TRUE(memory_for(1));
  EXPECT_FALSE(memory_for(size_t(1) << 60));
}

}  // namespace
}  // namespace luth
