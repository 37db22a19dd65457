// What stands in the current folder is not luth's own code: its modules come from the installation.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// A folder with a file in the place of every module that luth reads.
class StrangeFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"luth/check.lua", "luth/bench.lua", "luth/train.lua", "luth/native.lua", "luth/reference.lua",
          "luth/train/errors.lua", "luth/train/fields.lua", "luth/train/options.lua", "luth/check/parser.lua",
          "luth/bench/workloads.lua", "luth/torch/copies.lua", "luth/torch/arguments.lua", "luth/torch/computed.lua",
          "luth/later.lua", "torch/assert_close.lua", "torch/testing.lua", "models/common.lua", "models/init.lua"})
      dir_.write(name, "print('EVIL')\nreturn {}\n");
    dir_.write("a.lua", "local x = 1\nreturn x\n");
    dir_.write("mine.lua", "return 'mine'\n");
    dir_.write("models/own.lua", "return 'own'\n");
  }
  Result run_here(const std::vector<std::string>& arguments) { return run(arguments, {.dir = dir_.path()}); }
  TempDir dir_;
};

TEST_F(StrangeFolder, SubcommandsRunNothingOfIt) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{"check", "a.lua"},
                                                                                         {"help"},
                                                                                         {"help", "torch.sum"},
                                                                                         {"help", "train"},
                                                                                         {"train", "--help"},
                                                                                         {"bench", "--list"},
                                                                                         {"doctor"},
                                                                                         {"completion", "bash"}}) {
    const Result r = run_here(arguments);
    EXPECT_EQ(r.out.find("EVIL"), std::string::npos) << arguments[0] << ": " << r.out;
    EXPECT_EQ(r.err.find("stack traceback"), std::string::npos) << r.err;
  }
  EXPECT_EQ(run_here({"check", "a.lua"}).code, 0);
  EXPECT_EQ(run_here({"train", "a.lua"}).out, "");
}

TEST_F(StrangeFolder, ScriptsGetLuthsModulesAndTheirOwn) {
  const Result r = run_here({"-e",
                             "torch.split_copy(torch.ones(4), 2)\n"
                             "torch.testing.assert_close(torch.ones(2), torch.ones(2))\n"
                             "assert(require 'models'.resnet18)\n"
                             "assert(require 'mine' == 'mine' and require 'models.own' == 'own')\n"
                             "local ok, why = pcall(require, 'luth.later')\n"
                             "assert(not ok and why:find(\"module 'luth.later' not found\", 1, true), why)\n"
                             "package.preload['torch.later'] = function() return 7 end\n"
                             "assert(require 'torch.later' == 7)"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_NE(r.err.find("require 'models' gives luth's own module; ./models/init.lua is not read, rename it"),
            std::string::npos)
      << r.err;
}

// What a dry run saves is nobody else's.
TEST(TemporaryFolder, IsTheUsersAlone) {
  TempDir dir;
  const std::string code = "print(require('luth.native').temporary_folder())";
  std::string path = run({"-e", code}, {.env = {{"TMPDIR", dir.path()}}}).out;
  ASSERT_TRUE(path.starts_with(dir / "luth-") && path.ends_with("\n")) << path;
  struct stat s {};
  ASSERT_EQ(stat(path.substr(0, path.size() - 1).c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0700u);
}

// The recipe of a run that somebody else has made, which leaves a file where it runs.
TEST(StrangeRun, ItsRecipeIsPrintedAndNotRun) {
  TempDir dir;
  const std::string recipe = "io.open('ran', 'w'):close()\n-- \033[2Ahidden \xc2\x9b \xe2\x80\xae\nreturn recipe {}\n";
  dir.write("run/recipe.lua", recipe);
  dir.write("run/options.json", "{\"recipe\": \"x.lua\", \"words\": []}\n");
  dir.write("run/ckpt/last.h5", "");
  for (const char* what : {"run", "run/ckpt/last.h5", "run/recipe.lua"}) {
    const Result r = luth::testing::run({"eval", what, "--print-recipe"}, {.dir = dir.path()});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out, "-- run/recipe.lua\n" + recipe);
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
  Terminal terminal({"eval", dir / "run", "--print-recipe"});
  EXPECT_TRUE(terminal.expect(R"(-- \x1b[2Ahidden \xc2\x9b \xe2\x80\xae)")) << terminal.seen();
}

// What lies in a folder of somebody else ends in a sentence, and writes nothing outside of it.
TEST(StrangeRun, OptionsNestedDeep) {
  TempDir dir;
  dir.write("run/recipe.lua", "return {}\n");
  dir.write("run/ckpt/last.h5", "");
  dir.write("run/options.json", "{\"words\":" + std::string(20000, '[') + std::string(20000, ']') + "}");
  const Result r = run({"eval", "run", "--print-recipe"}, {.dir = dir.path()});
  EXPECT_LT(r.code, 128) << r.err;
}

TEST(StrangeRun, LinksAreNotWrittenThrough) {
  TempDir dir;
  dir.write("r.lua", points_recipe());
  for (const char* name : {".lock", "log.jsonl", "recipe.lua", "options.json", "ckpt/best.h5", "ckpt/last.h5"}) {
    const bool dangling = name == std::string("ckpt/last.h5");
    dir.write("precious", "precious");
    std::filesystem::create_directories(dir / "run/ckpt");
    std::filesystem::create_symlink(dir / (dangling ? "nothing" : "precious"), dir / ("run/" + std::string(name)));
    const Result r = run({"train", "r.lua", "--dir", "run"}, {.dir = dir.path()});
    EXPECT_NE(r.code, 0) << name;
    EXPECT_EQ(read_file(dir / "precious"), "precious") << name;
    EXPECT_FALSE(std::filesystem::exists(dir / "nothing"));
    std::filesystem::remove_all(dir / "run");
  }
}

// A run that goes on drops from its logs what lies behind its checkpoint, and so writes them anew.
TEST(StrangeRun, LinksAreNotWrittenThroughOnResume) {
  TempDir dir;
  dir.write("r.lua", points_recipe("r.epochs = 1\n"));
  for (const char* name : {"events.out.tfevents.luth", "metrics.csv", "log.jsonl"}) {
    ASSERT_EQ(run({"train", "r.lua", "--dir", "run"}, {.dir = dir.path()}).code, 0);
    dir.write("precious", "precious");
    std::filesystem::remove(dir / ("run/" + std::string(name)));
    std::filesystem::create_symlink(dir / "precious", dir / ("run/" + std::string(name)));
    const Result r = run({"train", "r.lua", "--dir", "run", "--resume", "--epochs", "2"}, {.dir = dir.path()});
    EXPECT_NE(r.code, 0) << name;
    EXPECT_EQ(read_file(dir / "precious"), "precious") << name;
    std::filesystem::remove_all(dir / "run");
  }
}

TEST(StrangeRun, ItsFolderOfCheckpointsIsNoLink) {
  TempDir dir;
  dir.write("r.lua", points_recipe());
  for (const char* resume : {"", "--resume"}) {
    dir.write("elsewhere/mine", "precious");
    std::filesystem::create_directories(dir / "run");
    std::filesystem::create_directory_symlink(dir / "elsewhere", dir / "run/ckpt");
    std::vector<std::string> words{"train", "r.lua", "--dir", "run"};
    if (*resume) words.push_back(resume);
    const Result r = run(words, {.dir = dir.path()});
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_TRUE(has(r.err, "run/ckpt is a symbolic link")) << r.err;
    EXPECT_FALSE(std::filesystem::exists(dir / "elsewhere/last.h5"));
    std::filesystem::remove_all(dir / "run");
  }
}

TEST(StrangeRun, ARecipeIsNoBytecode) {
  TempDir dir;
  dir.write("r.lua", "\x1bLua");
  const Result r = run({"train", "r.lua"}, {.dir = dir.path()});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "r.lua: it is bytecode")) << r.err;
}

// Pipes in the places of files are not waited for, and a folder is no recipe.
TEST(StrangeRun, OnlyFilesAreRead) {
  TempDir dir;
  dir.write("run.lua/recipe.lua", "return {}\n");
  dir.write("run.lua/options.json", "{\"words\": []}");
  dir.write("run.lua/ckpt/last.h5", "");
  const auto print = [&] { return run({"eval", "run.lua", "--print-recipe"}, {.dir = dir.path(), .timeout = 20}); };
  EXPECT_EQ(print().out, "-- run.lua/recipe.lua\nreturn {}\n");
  const Result none = run({"eval", "/dev/zero", "--print-recipe"});
  EXPECT_TRUE(none.code == 2 &&
              has(none.err, "'/dev/zero' belongs to no run: there are no recipe.lua and options.json in '/'"))
      << none.err;
  for (const char* name : {"run.lua/recipe.lua", "run.lua/options.json"}) {
    const std::string text = read_file(dir / name);
    std::filesystem::remove(dir / name);
    ASSERT_EQ(mkfifo((dir / name).c_str(), 0600), 0);
    const Result r = print();
    EXPECT_FALSE(r.timed_out) << name;
    EXPECT_NE(r.code, 0);
    EXPECT_TRUE(has(r.err, "it is a device or pipe")) << r.err;
    std::filesystem::remove(dir / name);
    dir.write(name, text);
  }
  dir.write("run.lua/options.json", "{\"words\": [[1, 2, 300]]}");
  EXPECT_TRUE(has(print().err, "options.json is damaged")) << print().err;
}

// A run whose output nobody reads any more, as after `| head`, and one whose terminal has gone.
TEST(Console, TrainingOutlivesIt) {
  TempDir dir;
  dir.write("p.lua", points_recipe("r.epochs = 30\n"));
  const std::string command =
      "set -o pipefail; cd " + dir.path() + " && " + program() + " train p.lua --dir run 2>&1 | head -n 1";
  EXPECT_EQ(std::system(("bash -c '" + command + " >/dev/null'").c_str()), 0);
  EXPECT_EQ(log_of(dir, "run").empty(), false);
  dir.write("q.lua",
            points_recipe("r.epochs = 30\nr.callbacks = {on_epoch = function() print(('x'):rep(9999)) end}\n"));
  const std::string shown = "cd " + dir.path() + " && " + program() + " train q.lua --dir shown 2>/dev/null";
  EXPECT_EQ(std::system(("bash -c 'set -o pipefail; " + shown + " | head -c 1 >/dev/null'").c_str()), 0);
  Process hung({"train", "p.lua", "--dir", "other"}, {.dir = dir.path()});
  ASSERT_TRUE(hung.wait_for("training on"));
  hung.signal(SIGHUP);
  EXPECT_EQ(hung.wait().code, 0);
  EXPECT_EQ(log_of(dir, "other"), log_of(dir, "run"));
}

// A name in a file, or an error of a script, is text of somebody else.
TEST(Console, NamesOfOthersDoNotCommandIt) {
  TempDir dir;
  const std::string evil = "\033[2J\xe2\x80\xae";
  dir.write("e.lua", "error('" + evil + "')\n");
  EXPECT_NE(luth::testing::run({dir / "e.lua"}).err.find(evil), std::string::npos);
  Terminal script({dir / "e.lua"}), missing({evil}), prompt;
  for (Terminal* t : {&script, &missing}) EXPECT_TRUE(t->expect(R"(\x1b[2J\xe2\x80\xae)")) << t->seen();
  ASSERT_TRUE(prompt.expect("> "));
  prompt.send("error('\\27[2J')\r");
  EXPECT_TRUE(prompt.expect(R"(\x1b[2J)")) << prompt.seen();
}

// Bits are those of one instruction set.
TEST(Console, AnotherInstructionSetIsNoted) {
  const std::string now = luth::testing::run({"-e", "io.write(require 'luth.native'.cpu_isa())"}).out;
  std::string other;
  for (const char* isa : {"v3", "v2"})  // the bits of v2 are others than those of v3 and v4
    if (isa != now && luth::testing::run({"-e", "torch.ones(1)"}, {.env = {{"LUTH_CPU_ISA", isa}}}).code == 0)
      other = isa;
  if (other.empty()) GTEST_SKIP() << "this machine, or this build, has one set";
  TempDir dir;
  dir.write("p.lua", points_recipe("r.epochs = 1 x:copy_(x:matmul(torch.randn(6, 6)))\n"));
  const RunOptions older{.env = {{"LUTH_CPU_ISA", other}}, .dir = dir.path()};
  EXPECT_EQ(luth::testing::run({"train", "p.lua", "--dir", "run"}, older).code, 0);
  Result r = luth::testing::run({"train", "p.lua", "--dir", "run", "--resume", "--epochs", "2"}, {.dir = dir.path()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "instruction set " + other + ", this run goes on with " + now)) << r.err;
  r = luth::testing::run({"train", "p.lua", "--dir", "run", "--resume", "--epochs", "3"}, {.dir = dir.path()});
  EXPECT_FALSE(has(r.err, "instruction set")) << r.err;
}

// Libraries of MPI read the settings of UCX where they are opened.
TEST(Doctor, ReadsNoSettingsOfTheCurrentFolder) {
  TempDir dir;
  const std::string mine = dir.write("mine", "precious");
  dir.write("ucx.conf", "UCX_LOG_LEVEL=trace\nUCX_LOG_FILE=" + mine + "\n");
  Result r = run({"doctor"}, {.dir = dir.path()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(read_file(mine), "precious");
  r = run({"-e", "print(torch.distributed.is_mpi_available(), io.open 'mine':read 'a')"}, {.dir = dir.path()});
  EXPECT_TRUE(has(r.out, "precious")) << r.out << r.err;
}

}  // namespace
}  // namespace luth::testing
