// Saves beside the training loop, and the signal that asks for one, for luth.native.
#include <atomic>
#include <csignal>

#include "core/io/background.h"
#include "lang/library/lua_tree.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

// Ends, with what it still writes, before HDF5 does.
io::BackgroundSaver& saver() {
  static io::BackgroundSaver saver;
  return saver;
}

// save_later(state, paths, removals): copies the state, and writes it into each file beside the caller, one after the
// other; of a file last.h5 the one before stays as prev.h5. Then files are removed, unless one could not be written.
// Waits for the save before. Returns its number.
int save_later(lua_State* L) {
  io::SaveJob job;
  for (auto& path : read_names(L, 2)) job.targets.push_back({path, path.ends_with("/last.h5")});
  job.removals = read_names(L, 3);
  return lua_pushinteger(L, saver().save(to_item(L, 1), std::move(job))), 1;
}
// saved(wait): a list {number, problem = nil for none, failed = paths} of the saves that have ended since the last
// call; all of them with `wait`.
int saved(lua_State* L) {
  if (lua_toboolean(L, 1)) saver().wait();
  return push_items(L, saver().take_outcomes(), [&](const io::SaveOutcome& o) {
    lua_createtable(L, 0, 3);
    lua_pushinteger(L, o.number);
    lua_setfield(L, -2, "number");
    push_items(L, o.failed, [&](const std::string& path) { lua_pushlstring(L, path.data(), path.size()); });
    lua_setfield(L, -2, "failed");
    if (o.problem.empty()) return;
    lua_pushlstring(L, o.problem.data(), o.problem.size());
    lua_setfield(L, -2, "problem");
  });
}
std::atomic<bool> asked{false};
// catch_save_signal(): from here on SIGUSR1 asks for a save, and ends no process.
int catch_save_signal(lua_State*) {
  struct sigaction action {};
  action.sa_handler = [](int) { asked = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  return 0;
}
// asked(): the signal that has come, SIGINT or SIGTERM; else 1 where SIGUSR1 has since the last call, and 0 for none.
int asked_for(lua_State* L) {
  int signal = Interp::of(L).poll_signals();
  if (signal == 0 && asked.load(std::memory_order_relaxed)) signal = asked.exchange(false);
  return lua_pushinteger(L, signal), 1;
}

constexpr luaL_Reg functions[] = {{"save_later", guarded<save_later>},
                                  {"saved", guarded<saved>},
                                  {"catch_save_signal", catch_save_signal},
                                  {"asked", guarded<asked_for>},
                                  {nullptr, nullptr}};

void open_saves(lua_State* L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "luth.native");
  luaL_setfuncs(L, functions, 0);
}
const Open opener("luth.native.saves", Open::extras + 1, open_saves);

}  // namespace
}  // namespace luth::lang
