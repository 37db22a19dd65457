// Reading and saving where an allocation fails, each in turn.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>

#include "core/io/background.h"
#include "core/io/checkpoint.h"
#include "core/io/files.h"
#include "core/io/module.h"
#include "core/io/rows.h"
#include "core/nn/container.h"
#include "core/nn/linear.h"
#include "tests/core/io/io_util.h"

#if !defined(__SANITIZE_ADDRESS__)  // which has an `operator new` of its own
namespace {
struct Plan {
  int64_t left = -1;   // allocations before the one that fails; -1: none does
  bool after = false;  // those after it fail as well
  bool failed = false;
};
thread_local Plan plan;
}  // namespace

void* operator new(size_t bytes) {
  if (plan.left == 0) {
    plan.failed = true;
    if (!plan.after) plan.left = -1;
    throw std::bad_alloc();
  }
  if (plan.left > 0) --plan.left;
  if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace luth::io {
namespace {

using namespace testing;

// Runs `work` where its n-th allocation fails, and all after it where `after` is set. False where it has no such one.
template <class Work>
bool fail_one(int64_t n, bool after, Work work) {
  plan = {n, after, false};
  try {
    work();
  } catch (const std::bad_alloc&) { plan.left = -1; } catch (const Error& e) {
    plan.left = -1;
    EXPECT_NE(int(e.code()), int(ErrorCode::usage)) << "allocation " << n << ": " << e.what();
  }
  plan.left = -1;
  return plan.failed;
}

// Runs `work` once for each of its allocations, which fails, and `check` behind each. Returns how many they were.
template <class Work, class Check>
int64_t fail_each(Work work, Check check) {
  for (int64_t n = 0;; ++n)
    for (const bool after : {false, true}) {
      if (!fail_one(n, after, work)) return n;
      check();
    }
}

Item tree() {
  List names, numbers;
  for (int i = 0; i < 20; ++i)
    names.push_back("a name that is no short string " + std::to_string(i)), numbers.push_back(i);
  Map many;
  for (int i = 0; i < 20; ++i) many.add("an entry that has a long name " + std::to_string(i), i);
  return map_of({{"weights of the first layer", counted({3, 4})},
                 {"nested below a long name", map_of({{"mask of the layer", counted({5}, Dtype::boolean)}, {"n", 1}})},
                 {"names of the classes", names},
                 {"numbers", numbers},
                 {"many entries", many},
                 {"text", std::string(100, 'x')},
                 {"a text that is a dataset", std::string(40'000, 'y')}});
}

// Where HDF5 reports what it reads, what the report throws must not pass HDF5's frames.
TEST(FailingMemory, LeavesReadingWhole) {
  const Folder dir;
  const std::string path = dir / "a file with a long name.h5";
  const Item expected = tree();
  save(expected, path);
  LoadOptions trusted;
  trusted.trusted = true;
  for (const LoadOptions& how : {trusted, LoadOptions()}) {
    load(path, how);  // what is made once
    EXPECT_GT(fail_each([&] { load(path, how); }, [] {}), 100);
    EXPECT_EQ(difference(load(path, how), expected), "");
  }
}

TEST(FailingMemory, LeavesOtherFormatsWhole) {
  const Folder dir;
  const Item tensors =
      map_of({{"weights of the first layer", counted({3, 4})}, {"bias of the first layer", counted({3})}});
  for (const char* name : {"a.safetensors", "a.npz", "a.npy"}) {
    const Item expected = name == std::string("a.npy") ? Item(counted({3, 4})) : tensors;
    const auto check = [&] { ASSERT_EQ(dir.count(), 1) << name; };
    save(expected, dir / name);
    EXPECT_GT(fail_each([&] { save(expected, dir / name); }, check), 5) << name;
    EXPECT_GT(fail_each([&] { load(dir / name); }, [] {}), 5) << name;
    EXPECT_GT(fail_each([&] { RowsFile(dir / name, {}).batch(std::array<int64_t, 2>{0, 1}, 1); }, [] {}), 5) << name;
    EXPECT_EQ(difference(load(dir / name), expected), "") << name;
    std::filesystem::remove(dir / name);
  }
}

TEST(FailingMemory, LeavesModulesWhole) {
  const nn::ModuleRef m = nn::sequential({nn::create<nn::Linear>({.in_features = 2, .out_features = 2})});
  const Item item = to_item(*m);
  EXPECT_GT(fail_each([&] { to_item(*m); }, [] {}), 5);
  EXPECT_GT(fail_each([&] { to_module(item); }, [] {}), 5);
  EXPECT_EQ(to_module(item)->repr(), m->repr());
}

// HDF5's complaint is read from within its frames.
TEST(FailingMemory, LeavesErrorsWhole) {
  const Folder dir;
  const std::string path = dir / "a.h5";
  save(tree(), path);
  std::string bytes = slurp(path).substr(512);  // without the seal
  bytes[8] = 9;                                 // the version of the superblock
  spit(path, bytes);
  LoadOptions trusted;
  trusted.trusted = true;
  const auto expected = failure([&] { load(path, trusted); });
  EXPECT_TRUE(contains(expected.text, "bad superblock version number")) << expected.text;
  EXPECT_GT(fail_each([&] { load(path, trusted); }, [] {}), 5);
  EXPECT_EQ(failure([&] { load(path, trusted); }).text, expected.text);
}

TEST(FailingMemory, LeavesTheOldFileOrTheNewOne) {
  const Folder dir;
  Item old = tree(), next = tree();
  std::get<Map>(old.value).add("version", 1), std::get<Map>(next.value).add("version", 2);
  const std::string path = dir / "a.h5";
  LoadOptions trusted;
  trusted.trusted = true;
  save(old, path);
  const auto whole = [&] {
    ASSERT_EQ(dir.count(), 1);
    const Item now = load(path, trusted);
    if (difference(now, next).empty())
      save(old, path);
    else
      ASSERT_EQ(difference(now, old), "");
  };
  EXPECT_GT(fail_each([&] { save(next, path); }, whole), 100);
}

// Where there is no memory for a copy the state is written at once.
TEST(FailingMemory, LeavesSavesBesideTheCaller) {
  const Folder dir;
  const Item state = tree();
  BackgroundSaver saver;
  int written = 0, thrown = 0;
  const auto work = [&] { saver.save(state, {{{dir / "a.h5"}}, {}}); };
  for (int64_t n = 0; fail_one(n, false, work); ++n) {
    saver.wait();
    const auto outcomes = saver.take_outcomes();
    outcomes.empty() ? ++thrown : ++written;
    for (auto& o : outcomes) EXPECT_EQ(o.problem, "");
  }
  EXPECT_GT(written, 2 * thrown);
}

}  // namespace
}  // namespace luth::io
#endif
