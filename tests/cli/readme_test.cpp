// What the README shows works as it shows it: the session at the prompt, the script, the recipe, each command.
// The C++ lines stand in tests/consumer; demo.sh and test.sh are what .ci/run calls.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

const std::string program = "build/release/bin/luth";

std::vector<std::string> readme_lines() {
  std::ifstream file(LUTH_SOURCE_DIR "/README.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The fenced blocks that begin with "```" + language.
std::vector<std::string> blocks(const std::string& language) {
  std::vector<std::string> found;
  bool inside = false, wanted = false;
  for (const std::string& line : readme_lines()) {
    if (line.starts_with("```")) {
      wanted = !inside && line == "```" + language;
      if (wanted) found.emplace_back();
      inside = !inside;
    } else if (inside && wanted) {
      found.back() += line + "\n";
    }
  }
  return found;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> list;
  for (std::string word; in >> word && word != "#";) list.push_back(word);
  return list;
}

TEST(Readme, PromptSession) {
  std::vector<std::string> found = blocks("");
  ASSERT_EQ(found.size(), 1u);
  std::istringstream session(found[0]);
  std::string line, typed, shown;
  std::getline(session, line);
  ASSERT_EQ(line, "$ " + program);
  while (std::getline(session, line))
    if (line.starts_with("> "))
      typed += line.substr(2) + "\n";
    else
      shown += line + "\n";
  Result r = run({"-i"}, {.in = typed});
  EXPECT_EQ(r.out.substr(r.out.find('\n') + 1), shown) << r.err;
  EXPECT_EQ(r.err, "");
}

TEST(Readme, ScriptAndRecipe) {
  std::vector<std::string> lua = blocks("lua");
  ASSERT_EQ(lua.size(), 2u);
  TempDir dir;
  Result r = run({dir.write("script.lua", lua[0])});
  double slope = 0, offset = 0;
  ASSERT_EQ(std::sscanf(r.out.c_str(), "%lf %lf", &slope, &offset), 2) << r.out << r.err;
  EXPECT_NEAR(slope, 3, 0.1);
  EXPECT_NEAR(offset, 2, 0.1);

  write_mnist(dir, "data/mnist", 120, 28);
  dir.write("recipe.lua", lua[1]);
  r = run_in(dir, {"train", "recipe.lua", "--epochs", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
}

// The commands as they stand, with data of a size for tests.
TEST(Readme, Commands) {
  TempDir dir;
  write_mnist(dir, "digits", 120, 28);
  int commands = 0;
  for (const std::string& line : readme_lines()) {
    if (!line.starts_with("    " + program)) continue;
    ++commands;
    std::vector<std::string> args = words(line);
    args.erase(args.begin());
    const bool trains = args[0] == "train" && args.back() != "--help";
    for (auto& a : args)
      if (a.starts_with("scripts/")) a = LUTH_SOURCE_DIR "/" + a;
    if (trains) args.insert(args.end(), {"--root", "digits"});
    Result r = run_in(dir, args);
    EXPECT_EQ(r.code, 0) << line << "\n" << r.err;
  }
  EXPECT_GE(commands, 4);
}

}  // namespace
}  // namespace luth::testing
