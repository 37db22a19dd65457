// What goes wrong with checkpoints: damaged files, full disks, killed processes, trees that cannot be written.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "core/io/checkpoint.h"
#include "tests/core/io/io_util.h"

namespace luth::io {
namespace {

using namespace testing;

Item small_tree() {
  return map_of({{"model", map_of({{"1.weight", counted({4, 3})}, {"1.bias", counted({3})}})},
                 {"optim", map_of({{"lr", 0.1}, {"betas", List{0.9, 0.999}}, {"name", "Adam"}, {1, Map()}})},
                 {"epoch", 3}});
}

TEST(CheckpointBad, EveryFlippedByteIsSeen) {
  Folder dir;
  save_file(small_tree(), dir / "a.h5");
  std::string good = slurp(dir / "a.h5");
  std::fstream file(dir / "a.h5", std::ios::in | std::ios::out | std::ios::binary);
  for (size_t i = 0; i < good.size(); i += one_in) {
    file.seekp(std::streamoff(i)).put(char(good[i] ^ (1 << i % 8))).flush();
    Failure f = failure([&] { load_file(dir / "a.h5"); });
    ASSERT_EQ(f.code, 5) << "byte " << i << ": " << f.text;
    ASSERT_TRUE(contains(f.text, dir / "a.h5")) << f.text;
    file.seekp(std::streamoff(i)).put(good[i]).flush();
  }
  EXPECT_NO_THROW(load_file(dir / "a.h5"));
}

TEST(CheckpointBad, EveryTruncationIsSeen) {
  Folder dir;
  save_file(small_tree(), dir / "a.h5");
  std::string good = slurp(dir / "a.h5");
  for (size_t n = good.size(); n-- > 0;) {
    if (n % one_in) continue;
    std::filesystem::resize_file(dir / "a.h5", n);
    Failure f = failure([&] { load_file(dir / "a.h5"); });
    ASSERT_EQ(f.code, 5) << n << " bytes: " << f.text;
    ASSERT_TRUE(n < 24 || contains(f.text, fmt::format("{} of {} bytes", n, good.size()))) << f.text;
  }
  spit(dir / "b.h5", good + "x");
  EXPECT_TRUE(contains(failure([&] { load_file(dir / "b.h5"); }).text, "1 bytes follow"));
}

TEST(CheckpointBad, OtherFiles) {
  Folder dir;
  auto text_of = [&](const std::string& path) {
    Failure f = failure([&] { load_file(path); });
    EXPECT_EQ(f.code, 5) << path;
    EXPECT_TRUE(contains(f.text, path)) << f.text;
    return f.text;
  };
  spit(dir / "text", "#!/bin/sh\n" + std::string(2000, 'x'));
  EXPECT_TRUE(contains(text_of(dir / "text"), "no HDF5 file"));
  spit(dir / "zip", "PK\x03\x04 and so on");
  EXPECT_TRUE(contains(text_of(dir / "zip"), "zip archive"));
  spit(dir / "empty", "");
  EXPECT_TRUE(contains(text_of(dir / "empty"), "0 bytes"));
  EXPECT_TRUE(contains(text_of(dir / "missing"), "No such file"));
  EXPECT_TRUE(contains(text_of(dir.path), "folder"));
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(contains(text_of(dir / "pipe"), "pipe"));
}

TEST(CheckpointBad, ANewerSealIsNamed) {
  Folder dir;
  save_file(Item(1), dir / "a.h5");
  std::string bytes = slurp(dir / "a.h5");
  bytes[8] = 9;
  spit(dir / "a.h5", bytes);
  EXPECT_TRUE(contains(failure([&] { load_file(dir / "a.h5"); }).text, "version 9"));
}

// A failed save says why, names the file, keeps the old file and leaves nothing behind.
void expect_failed_save(const Folder& dir, const std::string& path, const Item& item, const std::string& why) {
  int before = dir.count();
  bool existed = std::filesystem::is_regular_file(path);
  std::string old = existed ? slurp(path) : "";
  Failure f = failure([&] { save_file(item, path); });
  EXPECT_EQ(f.code, 1) << f.text;
  EXPECT_TRUE(contains(f.text, why) && contains(f.text, path)) << f.text;
  EXPECT_EQ(contains(f.text, "unchanged"), existed) << f.text;
  EXPECT_EQ(dir.count(), before);
  EXPECT_TRUE(!existed || slurp(path) == old);
}

TEST(CheckpointBad, PlacesThatCannotBeWritten) {
  Folder dir;
  spit(dir / "file", "x");
  EXPECT_TRUE(contains(failure([&] { save_file(Item(1), dir / "file/ckpt/last.h5"); }).text, "Not a directory"));
  EXPECT_TRUE(contains(failure([&] { save_file(Item(1), dir / "none/last.h5"); }).text, "No such file"));
  EXPECT_TRUE(contains(failure([&] { save_file(Item(1), dir.path); }).text, "folder"));
  EXPECT_EQ(failure([&] { save_file(Item(1), ""); }).code, 1);
  EXPECT_EQ(failure([&] { save_file(Item(1), dir / ""); }).code, 1);
  EXPECT_EQ(failure([&] { save_rotating(Item(1), dir / "file"); }).code, 1);
  EXPECT_EQ(dir.count(), 1);
}

// A limit on the size of files stands for any write that fails half-way; it needs no rights.
TEST(CheckpointBad, AShortWriteLeavesTheOldFile) {
  Folder dir;
  save_file(small_tree(), dir / "a.h5");
  std::string old = slurp(dir / "a.h5");
  pid_t child = fork();
  if (!child) {
    signal(SIGXFSZ, SIG_IGN);
    bool good = true;
    for (rlim_t most : {100u, 600u, 1000u, 3000u, 100000u, 3999000u}) {
      rlimit limit{most, RLIM_INFINITY};
      setrlimit(RLIMIT_FSIZE, &limit);
      Failure f = failure([&] { save_file(map_of({{"x", counted({1000, 1000})}}), dir / "a.h5"); });
      good &= f.code == 1 && contains(f.text, "File too large") && contains(f.text, "unchanged") && dir.count() == 1;
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(slurp(dir / "a.h5") == old);
}

TEST(CheckpointBad, AFullDiskLeavesTheOldFile) {
  Folder dir;
  std::string disk = dir / "disk";
  std::filesystem::create_directory(disk);
  if (mount("luth-test", disk.c_str(), "tmpfs", 0, "size=1m")) GTEST_SKIP() << "skipped: may not mount a small tmpfs";
  struct Unmount {
    std::string path;
    ~Unmount() { umount2(path.c_str(), MNT_DETACH); }
  } unmount{disk};
  std::string path = disk + "/last.h5";
  save_file(small_tree(), path);
  std::string old = slurp(path);
  for (int kilobytes : {1020, 1021, 1023, 1024, 1100, 4000}) {  // for the first the tensor itself fits
    Failure f = failure([&] { save_file(map_of({{"x", counted({kilobytes, 256})}}), path); });
    EXPECT_EQ(f.code, 1) << kilobytes;
    EXPECT_TRUE(contains(f.text, "No space left") && contains(f.text, "unchanged")) << f.text;
    EXPECT_TRUE(slurp(path) == old);
  }
  for (int i = 0; i < 50; ++i) save_rotating(small_tree(), disk);  // no space was lost to files that failed
  Map many;
  for (int i = 0; i < 60000; ++i) many.add(i, "values only");
  EXPECT_TRUE(contains(failure([&] { save_rotating(many, disk); }).text, "No space left"));
  EXPECT_EQ(difference(load_file(path), small_tree()), "");
}

TEST(CheckpointBad, TreesThatCannotBeWritten) {
  Folder dir;
  save_file(Item(1), dir / "a.h5");
  Item deep = 1;
  for (int i = 0; i < max_depth + 1; ++i) deep = map_of({{"a", deep}});
  expect_failed_save(dir, dir / "b.h5", deep, "deeper than 100");
  expect_failed_save(dir, dir / "b.h5", map_of({{std::string(5000, 'k'), 1}}), "4,096");
  expect_failed_save(dir, dir / "b.h5", map_of({{"twice", 1}, {"twice", 2}}), "twice");
}

// Saves as fast as it can until it is killed; the file must be whole whenever that is.
TEST(CheckpointBad, AKilledSaveLeavesAWholeFile) {
  Folder dir;
  save_rotating(map_of({{"x", counted({100000})}, {"step", -1}}), dir.path);
  srand(1);
  int64_t last = -1;
  for (int round = 0; round < 12 || (last < 0 && round < 60); ++round) {  // a busy machine finishes no save at first
    pid_t child = fork();
    if (!child) {
      for (int step = int(last) + 1;; ++step)
        save_rotating(map_of({{"x", counted({100000})}, {"step", step}}), dir.path);
    }
    usleep(useconds_t(3000 + rand() % 40000 * (round / 12 + 1)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (const char* name : {"last.h5", "prev.h5"}) {
      if (!std::filesystem::exists(dir / name)) continue;
      Item item = load_file(dir / name);
      int64_t step = *item.as<Map>()->find("step")->as<int64_t>();
      if (name[0] == 'l') {
        EXPECT_GE(step, last);
        last = step;
      }
    }
  }
  EXPECT_GE(last, 0) << "no child finished a save";
  save_rotating(Item(1), dir.path);
  EXPECT_EQ(dir.count(), 2) << "what a killed save left is cleared by the next";
}

TEST(CheckpointBad, TwoSaversOfOneFileTakeTurns) {
  Folder dir;
  pid_t children[3];
  for (int c = 0; c < 3; ++c)
    if (!(children[c] = fork())) {
      Failure f = failure([&] {
        for (int i = 0; i < 20; ++i) save_file(map_of({{"x", counted({c + 1, 5000})}}), dir / "a.h5");
      });
      _exit(f.code);
    }
  for (pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_NO_THROW(load_file(dir / "a.h5"));
  EXPECT_EQ(dir.count(), 1);
}

}  // namespace
}  // namespace luth::io
