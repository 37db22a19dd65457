// luth bench: reads the options; the workloads are in the Lua library (share/luth/bench.lua).
#include "cli/cli.h"
#include "cli/device_option.h"
#include "cli/options.h"
#include "core/base/backends.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

void set(lua_State* L, const char* name, bool v) {
  lua_pushboolean(L, v);
  lua_setfield(L, -2, name);
}

int bench(int argc, char** argv) {
  CLI::App app("Measure luth: the same workloads under the same names as a peer's benchmark", "luth bench");
  bool list = false, json = false, no_cudnn = false, log = false;
  std::string filter, device;
  double seconds = 0.5;
  app.add_flag("--list", list, "print the names of the workloads and stop");
  app.add_flag("--json", json, "one JSON object a line");
  app.add_option("--filter", filter, "run what has this Lua pattern in its name");
  app.add_option("--seconds", seconds, "how long to take samples of each workload")->check(CLI::Range(0.0, 3600.0));
  app.add_option("--device", device, "where to compute: cpu, cuda, cuda:1, or auto: a GPU where there is one");
  app.add_flag("--no-cudnn", no_cudnn, "convolution on a GPU by luth's own kernels");
  app.add_flag("--log-device-placement", log, "print where each operator runs");
  if (auto done = parse(app, argc, argv)) return *done;
  if (!device.empty()) use_device(device);
  if (log) log_placement();
  if (no_cudnn) backends().cudnn_enabled = false;

  lang::Interp interp;
  interp.handle_signals();
  lua_State* L = interp.state();
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.bench");
  if (int status = interp.call(1, 1)) return interp.report(status);
  lua_getfield(L, -1, "run");
  lua_newtable(L);
  set(L, "list", list);
  set(L, "json", json);
  lua_pushnumber(L, seconds);
  lua_setfield(L, -2, "seconds");
  if (!filter.empty()) {
    lua_pushstring(L, filter.c_str());
    lua_setfield(L, -2, "filter");
  }
  int status = interp.call(1, 0);
  return status ? interp.report(status) : 0;
}

const Register entry{{"bench", "measure luth", bench}};

}  // namespace
}  // namespace luth::cli
