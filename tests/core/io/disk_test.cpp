// The unfinished file of a save: whatever lies in its folder stays as it is, and killed savers leave nothing for good.
#include "core/io/disk.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <set>
#include <tuple>

#include "core/base/mapped.h"
#include "core/io/checkpoint.h"
#include "tests/core/io/io_util.h"

namespace luth::io {
namespace {

using namespace testing;
namespace fs = std::filesystem;

void save_text(const std::string& path, const std::string& text) { replace_file(path, text.data(), text.size()); }

// The one file of the folder whose name ends as unfinished ones do.
std::string unfinished(const Folder& dir) {
  std::string found;
  for (auto& entry : fs::directory_iterator(dir.path))
    if (entry.path().extension() == ".saving") found += entry.path();
  return found;
}
unsigned mode(const std::string& path) {
  struct stat s {};
  EXPECT_EQ(stat(path.c_str(), &s), 0) << path;
  return s.st_mode & 07777;
}
// Runs `body` in a process of its own, which ends at once.
void elsewhere(const std::function<void()>& body) {
  const pid_t pid = fork();
  if (pid == 0) body(), _exit(0);
  waitpid(pid, nullptr, 0);
}

TEST(Unfinished, LinksAndLocksOfOthersDoNoHarm) {
  Folder dir;
  save_text(dir / "precious", "precious");
  fs::create_hard_link(dir / "precious", dir / ".q.saving");
  fs::create_symlink(dir / "precious", dir / ".r.saving");
  const int held = open((dir / ".v.saving").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  for (const char* name : {"q", "r", "v"}) {
    save_text(dir / name, "new");
    EXPECT_EQ(slurp(dir / name), "new");
  }
  EXPECT_EQ(slurp(dir / "precious"), "precious");
  close(held);
}

TEST(Unfinished, HasANameOfItsOwnAndTheModeOfTheTarget) {
  Folder dir;
  save_text(dir / "q", "old");
  ASSERT_EQ(chmod((dir / "q").c_str(), 0600), 0);
  {
    Replacement file(dir / "q"), other(dir / "new");
    std::set<std::string> names;
    for (auto& entry : fs::directory_iterator(dir.path)) names.insert(entry.path().filename());
    EXPECT_EQ(names.size(), 3u);
  }
  EXPECT_EQ(dir.count(), 1);
  {
    Replacement file(dir / "q");
    EXPECT_EQ(mode(unfinished(dir)), 0600u);
    file.commit();
  }
  EXPECT_EQ(mode(dir / "q"), 0600u);
  const std::string longest(255, 'n');
  save_text(dir / longest, "text");
  EXPECT_EQ(slurp(dir / longest), "text");
}

TEST(Unfinished, LeftoversOfKilledProcessesGo) {
  Folder dir;
  elsewhere([&] {
    auto* file = new Replacement(dir / "x");
    file->disk().write("half", 4, 0);
  });
  ASSERT_NE(unfinished(dir), "");
  const std::string foreign = dir / ".x.not-sixteen-digits.saving";
  spit(foreign, "of the user");
  elsewhere([&] { save_text(dir / "y", "whole"); });
  EXPECT_EQ(unfinished(dir), foreign);
  EXPECT_EQ(slurp(dir / "y"), "whole");
}

TEST(Unfinished, FilesThatAreBeingWrittenStay) {
  Folder dir;
  Replacement file(dir / "x");
  file.disk().write("whole", 5, 0);
  elsewhere([&] { save_text(dir / "y", "other"); });
  file.commit();
  EXPECT_EQ(slurp(dir / "x"), "whole");
  EXPECT_EQ(dir.count(), 2);
}

// A kill between link() and rename() leaves a second name of last.h5.
TEST(Unfinished, ASecondNameOfTheLastCheckpoint) {
  Folder dir;
  const std::string left = dir / ".prev.h5.0123456789abcdef.saving";
  elsewhere([&] { save_rotating(map_of({{"w", 1}}), dir.path); });
  const std::string last = slurp(dir / "last.h5");
  fs::create_hard_link(dir / "last.h5", left);
  elsewhere([&] { save_file(map_of({{"w", 2}}), dir / "prev.h5"); });
  EXPECT_EQ(slurp(dir / "last.h5"), last);
  EXPECT_FALSE(fs::exists(left));
}

TEST(Unfinished, ThePreviousOneLiesBesideTheLink) {
  Folder dir;
  fs::create_directory(dir / "elsewhere");
  save_file(map_of({{"w", 1}}), dir / "elsewhere/real.h5");
  fs::create_symlink("elsewhere/real.h5", dir / "last.h5");
  const std::string old = slurp(dir / "last.h5");
  save_rotating(map_of({{"w", 2}}), dir.path);
  EXPECT_EQ(slurp(dir / "prev.h5"), old);
  EXPECT_TRUE(fs::is_symlink(dir / "last.h5"));
  EXPECT_NE(slurp(dir / "elsewhere/real.h5"), old);
}

// Whoever may put a link into a folder could else have root write anywhere.
TEST(Unfinished, LinksOfOthersAreNotFollowed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a link of another user";
  Folder dir;
  save_text(dir / "precious", "precious");
  fs::create_symlink(dir / "precious", dir / "x");
  save_text(dir / "x", "ours");
  EXPECT_EQ(slurp(dir / "precious"), "ours");
  ASSERT_EQ(lchown((dir / "x").c_str(), 65534, 65534), 0);
  EXPECT_TRUE(contains(failure([&] { save_text(dir / "x", "new"); }).text, "another user has put a symbolic link"));
  EXPECT_EQ(slurp(dir / "precious"), "ours");
}

// A new file belongs to whom the old one did. Where that cannot be, nobody gets rights that he did not have.
TEST(Unfinished, KeepsOwnerAndGroup) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  Folder dir;
  fs::permissions(dir.path, fs::perms::all);
  save_text(dir / "x", "old");
  ASSERT_EQ(chown((dir / "x").c_str(), 65534, 100), 0);
  ASSERT_EQ(chmod((dir / "x").c_str(), 0640), 0);
  const auto rights = [&] {
    struct stat s {};
    EXPECT_EQ(stat((dir / "x").c_str(), &s), 0);
    return std::tuple(s.st_uid, s.st_gid, s.st_mode & 0777u);
  };
  save_text(dir / "x", "new");
  EXPECT_EQ(rights(), std::tuple(65534u, 100u, 0640u));
  elsewhere([&] {
    if (!setgroups(0, nullptr) && !setgid(60) && !setuid(65534)) save_text(dir / "x", "newer");
  });
  EXPECT_EQ(slurp(dir / "x"), "newer");
  EXPECT_EQ(rights(), std::tuple(65534u, 60u, 0600u));
}

// Its writers could make a program of it, which runs as the user who has saved.
TEST(Unfinished, RunsAsNobody) {
  Folder dir;
  spit(dir / "x", "of another");
  ASSERT_EQ(chmod((dir / "x").c_str(), 06777), 0);
  save_text(dir / "x", "new");
  EXPECT_EQ(mode(dir / "x"), 0777u);
}

// In a folder that all may write, another may change what a name stands for.
TEST(Unfinished, AFileThatAnotherHasPutInItsPlaceIsNotTaken) {
  Folder dir;
  save_text(dir / "x", "old");
  Replacement file(dir / "x");
  const std::string name = unfinished(dir);
  fs::remove(name);
  spit(name, "of another");
  EXPECT_TRUE(contains(failure([&] { file.commit(); }).text, "is not the file that was written"));
  EXPECT_EQ(slurp(dir / "x"), "old");
}

// A size that is not known is not 0: to undo a failed write would empty the file.
TEST(Disk, SizesThatAreNotKnown) {
  Disk none;
  EXPECT_FALSE(none.measure());
  EXPECT_EQ(none.error(), EBADF);
}

// Bytes that are not there any more would end the process.
TEST(Mapped, AFileThatBecomesShorter) {
  Folder dir;
  spit(dir / "x", std::string(8192, 'a'));
  const Disk disk = Disk::open(dir / "x", ErrorCode::runtime);
  const void* bytes = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, disk.fd(), 0);
  ASSERT_NE(bytes, MAP_FAILED);
  std::string to(8192, 'b');
  const int64_t rows[] = {1, 0};
  EXPECT_TRUE(copy_mapped(to.data(), bytes, rows, 4096));
  EXPECT_EQ(to, std::string(8192, 'a'));
  fs::resize_file(dir / "x", 0);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(copy_mapped(to.data(), bytes, rows, 4096));
  munmap(const_cast<void*>(bytes), 8192);
}

}  // namespace
}  // namespace luth::io
