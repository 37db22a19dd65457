// What no registry can know of itself: operators and modules that the sources have and no .cpp registers, and facts of
// operators outside their Traits.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/registry/cases.h"

namespace luth::test {
namespace {

namespace fs = std::filesystem;

/// Calls f(path from the root, text) for each header and source file below `folder`.
template <class F>
void each_source(const std::string& folder, F&& f) {
  const fs::path root = LUTH_SOURCE_DIR;
  for (auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    f(fs::relative(entry.path(), root).string(), text);
  }
}
/// The first group of each match.
std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) all.push_back((*at)[1]);
  return all;
}

TEST(Sources, EveryOperatorIsRegistered) {
  std::set<std::string> registered;
  for (auto& name : operator_names()) registered.insert(name);
  size_t seen = 0;
  each_source("core/ops", [&](const std::string& path, const std::string& text) {
    for (auto& name : found(text, R"re(Doc doc\{\s*"([^"]+)")re")) {
      ++seen;
      EXPECT_TRUE(registered.count(name)) << path << " has operator '" << name << "', which no Define registers";
    }
    for (auto& name : found(text, R"re(string_view backward = "([^"]+)")re"))
      EXPECT_TRUE(registered.count(name)) << path << " has gradient '" << name << "', which no Define registers";
  });
  EXPECT_GT(seen, 500u);
}

// A misspelt `traits`, or a fact beside it, would be read by nobody.
TEST(Sources, FactsOfOperatorsAreTraits) {
  each_source("core/ops", [&](const std::string& path, const std::string& text) {
    if (!path.ends_with(".h") || path.ends_with("/rules.h")) return;  // update rules are no operators
    for (auto& member : found(text, R"re(\n +static constexpr (\S+ \w+))re")) {
      static const std::set<std::string> known = {"Doc doc",
                                                  "Doc docs",
                                                  "Traits traits",
                                                  "Traits family",
                                                  "std::string_view name",
                                                  "std::string_view backward"};
      const bool number = member.starts_with("double "), label = member.starts_with("JoinedName<");
      EXPECT_TRUE(known.count(member) || number || label)
          << path << ": nothing reads `static constexpr " << member << "`";
    }
  });
}

}  // namespace
}  // namespace luth::test
