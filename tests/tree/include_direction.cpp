// Who may include whom. rooms.txt has the folders and their order. A unit, which is a header with the .cpp of its name,
// includes no unit that leads back to it. Each outside library has one place, and headers of core that are installed
// need nothing but the standard library and fmt. Tests may include all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Graph = std::map<std::string, std::set<std::string>>;
const fs::path root = LUTH_SOURCE_DIR;

struct Room {
  std::string path, floor;
  std::set<std::string> below;  // floors that it may include
  bool ends = false;            // no other room includes it
};
std::vector<Room> read_rooms() {
  std::vector<Room> all;
  Room floor;
  std::ifstream in(root / "tests/tree/rooms.txt");
  for (std::string line, first, second; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    words >> first;
    if (line[0] != ' ') {
      floor = {"", first.substr(0, first.find(':')), {}};
      while (words >> second) floor.below.insert(second);
      continue;
    }
    words >> second;
    all.push_back(floor);
    all.back().path = first == "." ? floor.floor : floor.floor + "/" + first;
    all.back().ends = second == "*";
  }
  return all;
}
const std::vector<Room> rooms = read_rooms();

bool starts(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
bool is_header(std::string_view path) { return path.ends_with(".h") || path.ends_with(".cuh"); }
std::string unit(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }
const Room* room_of(std::string_view path) {
  for (const Room& r : rooms)
    if (path.substr(0, path.rfind('/')) == r.path) return &r;
  return nullptr;
}

// Why the file `from` may not include our own header `to`, both as paths from the root; "" when it may.
std::string own_problem(std::string_view from, std::string_view to) {
  if (to.find('/') == to.npos) return "own headers are included by their path from the root";
  const Room *here = room_of(from), *there = room_of(to);
  if (!here || !there) return "tests/tree/rooms.txt has no such room";
  if (here == there) return "";
  if (here->floor != there->floor)
    return here->below.count(there->floor) ? "" : here->floor + " includes no such floor";
  if (there->ends) return "no other room includes " + there->path;
  return there < here ? "" : there->path + " comes after " + here->path;
}

// Why `from` may not include the outside header `to`.
std::string outside_problem(std::string_view from, std::string_view to) {
  static const std::map<std::string, std::vector<std::string_view>> places = {
      {"lang/", {"lua", "lauxlib.h", "curses.h", "term.h"}},
      {"core/io/", {"hdf5", "H5", "xxh"}},
      {"core/dist/gloo/", {"gloo/"}},
      {"core/dist/mpi/", {"mpi.h"}},
      {"core/image/codecs/", {"png", "turbojpeg", "webp/"}},
      {"core/notebook/zmq/", {"sodium", "zmq"}},
      {"core/text/library/", {"utf8proc", "pcre2"}},
      {"cli/", {"CLI/"}},
      {"devices/cpu/libraries/", {"cblas", "lapack", "oneapi/dnnl", "dnnl"}}};
  for (const auto& [place, prefixes] : places)
    for (std::string_view prefix : prefixes)
      if (starts(to, prefix) && !starts(from, place)) return "only " + place + " includes it";
  const bool internal = starts(from, "core/io/") || starts(from, "core/dist/gloo/") || starts(from, "core/dist/mpi/") ||
                        starts(from, "core/text/library/");
  const bool installed = starts(from, "core/") && is_header(from) && !internal;
  if (installed && to.find_first_of("./") != to.npos && !starts(to, "fmt/"))
    return "an installed header needs the standard library and fmt only";
  return "";
}

struct Include {
  std::string_view to;  // empty: the line includes nothing
  bool own = false;
};
Include included(std::string_view line) {
  auto skip_space = [&](size_t from) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t", from), line.size()));
  };
  skip_space(0);
  if (!starts(line, "#")) return {};
  skip_space(1);
  const size_t open = line.find_first_of("\"<"), close = line.find_last_of("\">");
  if (!starts(line, "include") || open == line.npos || close <= open) return {};
  return {line.substr(open + 1, close - open - 1), line[open] == '"'};
}
std::string line_problem(std::string_view from, std::string_view line) {
  const Include i = included(line);
  return i.to.empty() ? "" : i.own ? own_problem(from, i.to) : outside_problem(from, i.to);
}

// Calls f(path, number, line) for all lines of all sources.
template <class F>
void each_line(F&& f) {
  for (const char* top : {"core", "devices", "lang", "cli"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string from = fs::relative(entry.path(), root), extension = entry.path().extension();
      if (!is_header(from) && extension != ".cpp" && extension != ".cu") continue;
      std::ifstream in(entry.path());
      std::string line;
      for (int number = 1; std::getline(in, line); ++number) f(from, number, line);
    }
}

// A cycle that `at` leads to, "a > b > a"; "" where there is none. `path`, "… > c > ", has led to `at`.
std::string cycle(const Graph& graph, const std::string& path, const std::string& at, std::set<std::string>& done) {
  if (const size_t begin = path.find(at + " > "); begin != path.npos) return path.substr(begin) + at;
  if (!graph.count(at) || !done.insert(at).second) return "";
  for (const std::string& to : graph.at(at))
    if (std::string found = cycle(graph, path + at + " > ", to, done); !found.empty()) return found;
  return "";
}

TEST(IncludeDirection, RulesRefuse) {
  auto refused = [](std::string_view from, std::string_view line) { return !line_problem(from, line).empty(); };
  EXPECT_TRUE(refused("core/tensor/tensor.cpp", "#include \"core/autograd/autograd.h\""));
  EXPECT_TRUE(refused("core/tensor/tensor.cpp", "#include \"core/attic/x.h\""));
  EXPECT_TRUE(refused("core/autograd/engine.cpp", "# include \"core/ops/reduce/reduce.h\""));
  EXPECT_TRUE(refused("core/io/npy.cpp", "  #include \"core/data/idx.h\""));
  EXPECT_TRUE(refused("core/base/dtype.cpp", "#include \"lang/binding/bind.h\""));
  EXPECT_TRUE(refused("devices/cpu/kernels/window/conv.cpp", "#include \"devices/cuda/runtime/wait.h\""));
  EXPECT_TRUE(refused("devices/cpu/kernels/window/conv.cpp", "#include \"conv.h\""));
  EXPECT_TRUE(refused("devices/cpu/kernels/window/conv.cpp", "#include <oneapi/dnnl/dnnl.hpp>"));
  EXPECT_TRUE(refused("core/data/idx.h", "#include <zlib.h>"));
  std::set<std::string> done;
  EXPECT_EQ(cycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}, "", "a", done), "b > c > b");
}

TEST(IncludeDirection, SourcesFollow) {
  std::set<const Room*> used;
  each_line([&](const std::string& from, int number, const std::string& line) {
    EXPECT_EQ(line_problem(from, line), "") << from << ":" << number << ": " << line;
    EXPECT_TRUE(number > 1 || room_of(from)) << from << " is in no room of tests/tree/rooms.txt";
    used.insert(room_of(from));
  });
  for (const Room& r : rooms) EXPECT_TRUE(used.count(&r)) << r.path << " has no sources";
}

TEST(IncludeDirection, UnitsFormNoCycle) {
  Graph graph;
  each_line([&](const std::string& from, int, const std::string& line) {
    const Include i = included(line);
    if (i.own && unit(from) != unit(i.to)) graph[unit(from)].insert(unit(i.to));
  });
  EXPECT_GT(graph.size(), 100u) << "the sources were not found below " << root;
  std::set<std::string> done;
  for (const auto& [at, _] : graph) EXPECT_EQ(cycle(graph, "", at, done), "");
}

}  // namespace
