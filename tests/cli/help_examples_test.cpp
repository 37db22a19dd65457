// The examples of `luth help SUBCOMMAND` and `luth help recipe.FIELD` run.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// The lines behind "Example", which are the last ones.
std::string example_of(const std::vector<std::string>& question) {
  const Result r = run(question);
  EXPECT_EQ(r.code, 0) << r.err;
  const size_t at = r.out.rfind("\nExample\n  ");
  EXPECT_NE(at, std::string::npos) << r.out;
  return at == std::string::npos ? "" : r.out.substr(at + 9);
}

// What the lines that begin with two blanks say up to the next blank or the end, as `luth --help` lists subcommands.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    if (text.compare(at, 2, "  ") == 0 && text[at + 2] != ' ')
      names.push_back(text.substr(at + 2, text.find_first_of(" \n", at + 2) - at - 2));
  return names;
}

TEST(HelpExamples, OfSubcommands) {
  TempDir dir;
  dir.write("points.lua", points_recipe());
  dir.write("script.lua", "print(1)\n");
  std::string table = "a,b,class\n";
  for (int i = 0; i < 12; ++i) table += std::to_string(i) + ",2," + (i % 2 ? "x" : "y") + "\n";
  dir.write("points.csv", table);
  Result r = run_in(dir, {"-e",
                          "torch.save({w = torch.ones(2)}, 'before.h5')"
                          " torch.save({w = torch.ones(2)}, 'after.h5')"
                          " torch.save(torch.randn(3, 6), 'points.npy')"});
  ASSERT_EQ(r.code, 0) << r.err;
  ASSERT_EQ(run_in(dir, {"train", "points.lua", "--dir", "runs/points-1"}).code, 0);
  dir.write("initialize.txt",
            "Content-Length: 58\r\n\r\n"
            R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"
            "Content-Length: 44\r\n\r\n"
            R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})");
  const std::string all = run({"--help"}).out;
  const auto names = names_in(all.substr(all.find("subcommands"), all.find("\noptions:") - all.find("subcommands")));
  EXPECT_GE(names.size(), 16u);
  for (auto& name : names) {
    std::string code = example_of({name, "--help"});
    EXPECT_TRUE(has(code, name == "lsp" ? "'lsp'" : "luth " + name)) << code;
    // an editor's configuration: what it starts is run
    if (name == "lsp") code = "luth lsp <initialize.txt";
    dir.write("x.sh", "set -e\nluth() { '" + program() + "' \"$@\"; }\n" + code);
    EXPECT_EQ(system(("cd '" + dir.path() + "' && bash x.sh >out 2>&1").c_str()), 0) << code << read_file(dir / "out");
  }
}

TEST(HelpExamples, OfFieldsOfRecipes) {
  TempDir dir;
  dir.write("r.lua", points_recipe());
  ASSERT_EQ(run_in(dir, {"train", "r.lua", "--dir", "runs/points-1"}).code, 0);
  const auto names =
      names_in(run({"-e", "for name in pairs(require('luth.train.fields').all) do print('  ' .. name) end"}).out);
  EXPECT_GE(names.size(), 34u);
  for (auto& name : names) {
    const std::string code = example_of({"help", "recipe." + name});
    EXPECT_TRUE(code.starts_with("  " + name + " = ")) << code;
    dir.write("r.lua", points_recipe("local model = r.model\nfor k, v in pairs {\n" + code + "} do r[k] = v end"));
    const Result r = run_in(dir, {"train", "r.lua", "--dry-run"});
    EXPECT_EQ(r.code, 0) << code << r.err;
  }
}

}  // namespace
}  // namespace luth::testing
