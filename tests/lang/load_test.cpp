// torch.load of files that describe objects which cannot be: the fault is the file's, and the error names it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/io/files.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

// Exit code and error of a script that loads a file of such a value; `before` runs first.
std::pair<int, std::string> loaded(const io::Item& value, const std::string& before = "") {
  const std::string path = ::testing::TempDir() + "odd" + std::to_string(getpid()) + ".h5";
  io::save(value, path);
  Interp interp;
  ::testing::internal::CaptureStderr();
  const int code = interp.run_string(before + "torch.load('" + path + "')", "=code");
  const std::string error = ::testing::internal::GetCapturedStderr();
  std::filesystem::remove(path);
  const std::string start = "luth: code:1: cannot use '" + path + "': ";
  EXPECT_TRUE(error.starts_with(start)) << error;
  return {code, error.substr(std::min(start.size(), error.size()))};
}

io::Map object(const char* kind, const char* what, const char* name) {
  io::Map map;
  map.kind = kind;
  map.add(what, name);
  return map;
}

TEST(Load, FunctionsThatAreNotThere) {
  for (const char* name : {"torch.nope", "os.execute", "F.", "torch.ops"}) {
    const auto [code, error] = loaded(object("function", "name", name));
    EXPECT_EQ(code, int(ErrorCode::checkpoint)) << name << ": " << error;
  }
}

TEST(Load, ModulesWithOddSettings) {
  io::Map linear = object("module", "class", "Linear");
  linear.add("id", 1);
  linear.add("settings", "in_features=-1;out_features=2;");
  const auto [code, error] = loaded(linear);
  EXPECT_EQ(code, int(ErrorCode::checkpoint));
  EXPECT_TRUE(error.starts_with("the file describes a Linear that cannot be")) << error;
}

// Of a class that the script has: its code raises the error.
TEST(Load, ObjectsThatTheirClassRefuses) {
  io::Map own = object("optimizer", "class", "Mine");
  own.add("language", "Lua");
  own.add("groups", io::List());
  own.add("state", io::Map());
  const std::string defines = "local Mine = optim.class('Mine') function Mine:load_state_dict() error('no state') end ";
  const auto [code, error] = loaded(own, defines);
  EXPECT_EQ(code, int(ErrorCode::checkpoint));
  EXPECT_TRUE(error.starts_with("no state")) << error;
}

// The system would take another file.
TEST(Load, PathsWithAZeroByte) {
  Interp interp;
  EXPECT_EQ(interp.run_string("for _, f in ipairs{torch.load, function(p) torch.save({}, p) end} do\n"
                              "local ok, e = pcall(f, 'no such folder/x\\0y.h5')\n"
                              "assert(not ok and e:find('zero byte', 1, true), e) end",
                              "=code"),
            0);
}

TEST(Load, ErrorObjectsOfAClassPass) {
  io::Map own = object("optimizer", "class", "Mine");
  own.add("language", "Lua");
  own.add("groups", io::List());
  own.add("state", io::Map());
  const std::string path = ::testing::TempDir() + "odd" + std::to_string(getpid()) + ".h5";
  io::save(own, path);
  Interp interp;
  const std::string code =
      "local Mine = optim.class('Mine') function Mine:load_state_dict() error({7}) end "
      "local ok, e = pcall(torch.load, '" +
      path + "') assert(not ok and e[1] == 7)";
  EXPECT_EQ(interp.run_string(code, "=code"), 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace luth::lang
