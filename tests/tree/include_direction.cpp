// Who may include whom. Includes point one way: cli → lang → core ← devices, never from one device to another; inside
// core from nn, optim, data, io and dist towards ops and the core's own headers, and among those from later layers to
// earlier ones. Each outside library has one place: Lua in lang/, HDF5 in core/io/, OpenBLAS and oneDNN in
// devices/cpu/libs*, CLI11 in cli/. Headers of core that are installed need nothing but the standard library and fmt.
// Tests may include all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Names = std::vector<std::string_view>;

bool starts(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
bool is_header(std::string_view path) { return path.size() > 2 && path.substr(path.size() - 2) == ".h"; }

// "devices/cpu/runtime/device.cpp" is of "devices/cpu"; "core/op/op.h" of "core"; "core/ops/window/conv.h" of
// "core/ops".
std::string_view folder(std::string_view path) { return path.substr(0, path.rfind('/')); }
std::string_view stem(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

// The order of core's folders; those of equal rank do not know each other.
int folder_rank(std::string_view where) {
  if (where == "core") return 0;
  if (where == "core/ops") return 1;
  if (where == "core/nn") return 2;
  if (where == "core/optim") return 3;
  return 4;
}

// The order of the headers directly in core/. One that no line names may include all of them, and none of those named
// may include it.
int layer(std::string_view header) {
  static const std::array<Names, 4> layers = {
      Names{"error", "version", "small", "counted", "dtype", "shape", "scalar", "recycled", "half", "philox",
            "threads"},
      Names{"device"},
      Names{"storage", "tensor", "print"},
      Names{"describe", "op", "registry"},
  };
  for (size_t i = 0; i < layers.size(); ++i)
    if (std::find(layers[i].begin(), layers[i].end(), stem(header)) != layers[i].end()) return int(i);
  return int(layers.size());
}

std::string core_problem(std::string_view from, std::string_view to) {
  if (!starts(to, "core/")) return "core includes nothing but core";
  int here = folder_rank(folder(from)), there = folder_rank(folder(to));
  if (here == 4 && there == 4 && folder(from) != folder(to)) return "data, io and dist do not know each other";
  // core's own .cpp files (the engine, apply) use operators; its headers do not
  if (here == 0 && there == 1 && !is_header(from)) return "";
  if (there > here) return "inside core, includes point from later folders to earlier ones";
  if (here == 0 && there == 0 && is_header(from) && layer(to) > layer(from))
    return "the included header belongs to a later layer";
  return "";
}

// Why the file `from` may not include our own header `to`, both as paths from the root; "" when it may.
std::string own_problem(std::string_view from, std::string_view to) {
  if (starts(from, "tests/")) return "";
  if (to.find('/') == std::string_view::npos) return "own headers are included by their path from the root";
  if (starts(from, "core/")) return core_problem(from, to);
  if (starts(to, "core/")) return "";
  if (starts(from, "devices/")) return folder(to) == folder(from) ? "" : "a device includes core and itself only";
  if (starts(from, "lang/")) return starts(to, "lang/") ? "" : "lang includes core and itself only";
  if (starts(from, "cli/"))
    return starts(to, "lang/") || starts(to, "cli/") ? "" : "cli includes lang, core and itself only";
  return "a folder without a rule: add one to this test";
}

// Why `from` may not include the outside header `to`.
std::string outside_problem(std::string_view from, std::string_view to) {
  struct Place {
    std::string_view prefix;
    std::string_view where;
  };
  static constexpr std::array<Place, 11> places = {{{"lua", "lang/"},
                                                    {"lauxlib.h", "lang/"},
                                                    {"histedit.h", "lang/"},
                                                    {"hdf5", "core/io/"},
                                                    {"H5", "core/io/"},
                                                    {"xxh", "core/io/"},
                                                    {"CLI/", "cli/"},
                                                    {"cblas", "devices/cpu/libraries/libraries"},
                                                    {"lapack", "devices/cpu/libraries/libraries"},
                                                    {"oneapi/dnnl", "devices/cpu/libraries/libraries"},
                                                    {"dnnl", "devices/cpu/libraries/libraries"}}};
  if (starts(from, "tests/")) return "";
  for (const Place& place : places)
    if (starts(to, place.prefix) && !starts(from, place.where))
      return "only " + std::string(place.where) + " includes it";
  bool installed = starts(from, "core/") && is_header(from) && !starts(from, "core/io/");
  bool standard = to.find('.') == std::string_view::npos && to.find('/') == std::string_view::npos;
  if (installed && !standard && !starts(to, "fmt/"))
    return "an installed header needs the standard library and fmt only";
  return "";
}

// The problem of one line of a file, "" for any other line.
std::string line_problem(std::string_view from, std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!starts(line, "#")) return "";
  line.remove_prefix(std::min(line.find_first_not_of(" \t", 1), line.size()));
  if (!starts(line, "include")) return "";
  size_t open = line.find_first_of("\"<"), close = line.find_last_of("\">");
  if (open == std::string_view::npos || close <= open) return "";
  std::string_view to = line.substr(open + 1, close - open - 1);
  return line[open] == '"' ? own_problem(from, to) : outside_problem(from, to);
}

TEST(IncludeDirection, RulesRefuse) {
  auto refused = [](std::string_view from, std::string_view line) { return !line_problem(from, line).empty(); };
  EXPECT_TRUE(refused("core/tensor/tensor.cpp", "#include \"lang/binding/bind.h\""));
  EXPECT_TRUE(refused("core/tensor/tensor.h", "#include \"core/op/op.h\""));
  EXPECT_TRUE(refused("core/base/dtype.h", "#include \"core/tensor/tensor.h\""));
  EXPECT_TRUE(refused("core/op/op.h", "#include \"core/autograd/autograd.h\""));
  EXPECT_TRUE(refused("core/autograd/autograd.h", "#include \"core/ops/reduce/reduce.h\""));
  EXPECT_TRUE(refused("core/ops/window/conv.cpp", "# include \"core/nn/module.h\""));
  EXPECT_TRUE(refused("core/nn/module.h", "#include \"core/optim/sgd.h\""));
  EXPECT_TRUE(refused("core/data/idx.cpp", "#include \"core/io/checkpoint.h\""));
  EXPECT_TRUE(refused("core/data/idx.h", "#include <zlib.h>"));
  EXPECT_TRUE(refused("core/base/threads.h", "#include <tbb/parallel_for.h>"));
  EXPECT_TRUE(refused("core/op.cpp", "#include <lua.hpp>"));
  EXPECT_TRUE(refused("lang/runtime/interp.cpp", "#include <hdf5.h>"));
  EXPECT_TRUE(refused("lang/runtime/interp.cpp", "  #include \"cli/options.h\""));
  EXPECT_TRUE(refused("devices/cpu/kernels/window/conv.cpp", "#include \"devices/meta/meta.h\""));
  EXPECT_TRUE(refused("devices/cpu/kernels/window/conv.cpp", "#include <oneapi/dnnl/dnnl.hpp>"));
  EXPECT_TRUE(refused("devices/cpu/kernels/window/conv.cpp", "#include \"cpu.h\""));
  EXPECT_TRUE(refused("cli/main.cpp", "#include \"devices/cpu/kernels/common/kernels.h\""));
}

TEST(IncludeDirection, RulesAllow) {
  EXPECT_EQ(line_problem("core/tensor/tensor.h", "#include \"core/base/dtype.h\""), "");
  EXPECT_EQ(line_problem("core/autograd/autograd.h", "#include \"core/op/op.h\""), "");
  EXPECT_EQ(line_problem("core/autograd/engine.cpp", "#include \"core/ops/elementwise/elementwise.h\""), "");
  EXPECT_EQ(line_problem("core/optim/sgd.cpp", "#include \"core/nn/module.h\""), "");
  EXPECT_EQ(line_problem("core/io/checkpoint.cpp", "#include <hdf5.h>"), "");
  EXPECT_EQ(line_problem("core/base/error.h", "#include <fmt/format.h>"), "");
  EXPECT_EQ(line_problem("devices/cpu/libs.cpp", "#include <oneapi/dnnl/dnnl.hpp>"), "");
  EXPECT_EQ(line_problem("lang/prompt/repl.cpp", "#include <histedit.h>"), "");
  EXPECT_EQ(line_problem("cli/main.cpp", "#include \"lang/runtime/interp.h\""), "");
}

TEST(IncludeDirection, SourcesFollow) {
  namespace fs = std::filesystem;
  const fs::path root = LUTH_SOURCE_DIR;
  int files = 0;
  for (const char* top : {"core", "devices", "lang", "cli"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".cuh") continue;
      ++files;
      std::string from = fs::relative(entry.path(), root), line;
      std::ifstream in(entry.path());
      for (int number = 1; std::getline(in, line); ++number) {
        std::string problem = line_problem(from, line);
        EXPECT_EQ(problem, "") << from << ":" << number << ": " << line;
      }
    }
  }
  EXPECT_GT(files, 10) << "the sources were not found below " << root;
}

}  // namespace
