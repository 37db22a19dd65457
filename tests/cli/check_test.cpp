// luth check from the command line: exit codes and output. What it finds is in tests/lang/check.lua.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Check, WaitsForNoPipe) {
  TempDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  const Result r = run({"check", dir / "pipe"}, {.timeout = 60});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "luth check takes files, and '" + (dir / "pipe") + "' is a device or pipe")) << r.err;
}

TEST(Check, FindsAndExitsWithOne) {
  TempDir dir;
  const std::string bad = dir.write("bad.lua", "local x = torch.ones(2)\n\nif x:gt(0) then\n  print(x)\nend\n");
  const std::string good = dir.write("good.lua", "local x = torch.ones(2)\nif x:gt(0):all() then print(x) end\n");
  Result r = run({"check", bad});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(r.out.starts_with(bad + ":3: if x:gt(…): a tensor is always true")) << r.out;
  EXPECT_EQ(r.err, "");
  r = run({"check", good});
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_EQ(r.out + r.err, "");
  r = run({"check", good, bad});
  EXPECT_EQ(r.code, 1);
  r = run({"check", "--json", bad});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(r.out.starts_with("{\"file\":\"" + bad + "\",\"line\":3,\"text\":\"if x:gt")) << r.out;
}

TEST(Check, SyntaxErrors) {
  TempDir dir;
  Result r = run({"check", dir.write("a.lua", "local x = 1\nx += 1\n")});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.out, "a.lua:2: syntax error near '+'; Lua has no +=")) << r.out;
}

TEST(Check, Usage) {
  TempDir dir;
  EXPECT_EQ(run({"check"}).code, 2);
  Result r = run({"check", dir / "none.lua"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "none.lua")) << r.err;
  EXPECT_EQ(run({"check", dir.path()}).code, 2);
  EXPECT_EQ(run({"check", "--bad"}).code, 2);
  EXPECT_EQ(run({"check", "--help"}).code, 0);
}

// The same hints follow errors of scripts, of modules that they require, and of the prompt.
TEST(Hints, FollowErrors) {
  TempDir dir;
  Result r = run({dir.write("a.lua", "local x = 1\nx += 1\n")});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "a.lua:2: syntax error near '+'\nhint: Lua has no +=: write x = x + 1")) << r.err;
  dir.write("m.lua", "def f(x):\n");
  r = run({"-e", "require 'm'"}, {.dir = dir.path()});
  EXPECT_TRUE(has(r.err, "hint: functions are written local function f(x)")) << r.err;
  r = run({"-e", "for i in range(3) do end"});
  EXPECT_TRUE(has(r.err, "hint: luth has for i = 1, n do")) << r.err;
  r = run({"-i"}, {.in = "x = torch.ones(2, requires_grad=true)\nx = None\n"});
  EXPECT_TRUE(has(r.err, "hint: named arguments stand in a table")) << r.err;
  EXPECT_TRUE(has(r.err, "'None' is Python's")) << r.err;
  r = run({"-e", "syntax error here"});
  EXPECT_FALSE(has(r.err, "hint:")) << r.err;
}

// What luth itself ships is clean.
TEST(Check, OwnFiles) {
  std::vector<std::string> words{"check"};
  for (const char* folder : {"scripts", "share"})
    for (auto& entry : std::filesystem::recursive_directory_iterator(std::string(LUTH_SOURCE_DIR "/") + folder))
      if (entry.path().extension() == ".lua" && entry.path().string().find("/types/") == std::string::npos)
        words.push_back(entry.path().string());
  ASSERT_GT(words.size(), 15u);
  Result r = run(words);
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

}  // namespace
}  // namespace luth::testing
