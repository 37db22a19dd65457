// luth bench: reads the options; the workloads are in the Lua library (share/luth/bench.lua).
#include <fmt/format.h>

#include <cstdlib>

#include "cli/common_options.h"
#include "cli/environment.h"
#include "cli/library.h"
#include "cli/subcommands.h"
#include "core/base/backends.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace luth::cli {
namespace {

double seconds_of(const Arguments& arguments) {
  const std::string text = arguments.text("--seconds").value_or("0.5");
  const double seconds = to_double(text).value_or(-1);
  if (!(seconds >= 0 && seconds <= 3600))
    throw Error(ErrorCode::usage, "--seconds expects a number from 0 to 3600, got '{}'", text);
  return seconds;
}

void push_environment(lua_State* L) {
  lua_newtable(L);
  for (auto& s : environment_settings()) {
    lua_pushlstring(L, s.value.data(), s.value.size());
    lua_setfield(L, -2, s.name.c_str());
  }
}

// {list =, json =, seconds =, filter =, check =, environment =}
void push_settings(lua_State* L, const Arguments& arguments, double seconds) {
  lua_newtable(L);
  lua_pushboolean(L, arguments.has("--list"));
  lua_setfield(L, -2, "list");
  lua_pushboolean(L, arguments.has("--json"));
  lua_setfield(L, -2, "json");
  lua_pushnumber(L, seconds);
  lua_setfield(L, -2, "seconds");
  set_texts(L, arguments, {"filter", "check"});
  push_environment(L);
  lua_setfield(L, -2, "environment");
}

}  // namespace

int bench(const Arguments& arguments) {
  use_device(arguments);
  const double seconds = seconds_of(arguments);
  if (arguments.has("--no-cudnn")) backends().cudnn_enabled = false;

  const std::string environment = environment_line();
  if (!arguments.has("--list") && !environment.empty())
    fmt::print(stderr, "luth: the environment sets {}\n", environment);
  return run_library("luth.bench", "run", [&](lua_State* L) { return push_settings(L, arguments, seconds), 1; });
}

}  // namespace luth::cli
