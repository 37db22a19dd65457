// What stands in the current folder is not luth's own code: its modules come from the installation.
#include <gtest/gtest.h>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

// A folder with a file in the place of every module that luth reads.
class StrangeFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"luth/check.lua", "luth/bench.lua", "luth/train.lua", "luth/native.lua", "luth/reference.lua",
          "luth/train/errors.lua", "luth/train/fields.lua", "luth/train/options.lua", "luth/check/lexer.lua",
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

}  // namespace
}  // namespace luth::testing
