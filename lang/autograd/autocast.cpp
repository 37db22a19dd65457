// torch.autocast in Lua: a scope, or a function that runs in one.
#include "core/dispatch/autocast.h"

#include <algorithm>

#include "core/device/device_names.h"
#include "lang/autograd/open_autograd.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/scope.h"
#include "lang/values/named_arguments.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

struct AutocastBefore {
  AutocastMode mode{};
  void operator()() const { leave_autocast(mode); }
};

// The kind of device at `index`: 'cuda', 'cuda:0' or a torch.device. It need not be there.
std::string kind_at(lua_State* L, int index, const char* function) {
  if (!to_box<DeviceName>(L, index) && lua_type(L, index) != LUA_TSTRING)
    throw Error("{} expects a device first, 'cuda' or 'cpu', got {}", function, given_text(L, index));
  if (lua_type(L, index) == LUA_TSTRING)
    push_device_name(L, lua_tostring(L, index));
  else
    lua_pushvalue(L, index);
  const std::string kind = to_box<DeviceName>(L, -1)->kind;
  lua_pop(L, 1);
  const std::vector<std::string> names = device_names();
  if (kind != "cuda" && kind != "meta" && std::find(names.begin(), names.end(), kind) == names.end())
    throw Error("{}: '{}' is no device; write 'cuda' or 'cpu'", function, kind);
  return kind;
}

bool flag_of(lua_State* L, int index, const char* name) {
  if (!lua_isboolean(L, index))
    throw Error("torch.autocast: argument '{}' expects true or false, got {}", name, given_text(L, index));
  return lua_toboolean(L, index);
}

// (device, dtype, enabled, cache_enabled) by position, or names in a table after those given; then a function, perhaps.
int autocast(lua_State* L) {
  constexpr const char* function = "torch.autocast";
  const std::string kind = kind_at(L, 1, function);
  Dtype dtype = Dtype::bf16;
  bool enabled = true, cache = autocast_cache_enabled();
  int at = 2;
  auto here = [&] { return at <= lua_gettop(L) && lua_type(L, at) != LUA_TFUNCTION && !is_named(L, at); };
  if (here() && !lua_isnil(L, at++)) dtype = check_dtype(L, at - 1);
  if (here() && !lua_isnil(L, at++)) enabled = flag_of(L, at - 1, "enabled");
  if (here() && !lua_isnil(L, at++)) cache = flag_of(L, at - 1, "cache_enabled");
  if (at <= lua_gettop(L) && is_named(L, at)) {
    const int top = lua_gettop(L);
    NamedArguments o(L, at++, function);
    if (int i = o.get("dtype")) dtype = check_dtype(L, i);
    enabled = o.flag("enabled", enabled);
    cache = o.flag("cache_enabled", cache);
    o.done();
    lua_settop(L, top);
  }
  if (at <= lua_gettop(L) && lua_type(L, at) != LUA_TFUNCTION)
    throw Error("torch.autocast expects a function to call in this mode or nothing, got {}", given_text(L, at));
  if (at <= lua_gettop(L)) {
    Autocasting scope(kind, dtype, enabled, cache);
    lua_call(L, lua_gettop(L) - at, LUA_MULTRET);
    return lua_gettop(L) - at + 1;
  }
  auto& scope = push_scope<AutocastBefore>(L, "an autocast", "torch.autocast('cuda')");
  scope.restore = {enter_autocast(kind, dtype, enabled, cache)};
  scope.open = true;
  return 1;
}

int is_enabled(lua_State* L) {
  const bool any = lua_isnoneornil(L, 1);
  return lua_pushboolean(L, any ? autocast_enabled() : autocast_enabled(kind_at(L, 1, "torch.is_autocast_enabled"))), 1;
}
int get_dtype(lua_State* L) {
  const std::string kind = lua_isnoneornil(L, 1) ? "cuda" : kind_at(L, 1, "torch.get_autocast_dtype");
  return push_dtype(L, autocast_dtype(kind)), 1;
}
int is_cache_enabled(lua_State* L) { return lua_pushboolean(L, autocast_cache_enabled()), 1; }
int clear_cache(lua_State*) { return clear_autocast_cache(), 0; }

constexpr Row rows[] = {
    {"autocast", guarded<autocast>,
     "local _ <close> = torch.autocast(device, {dtype = torch.bfloat16, enabled = true, cache_enabled = true})  or  "
     "torch.autocast(device, {...}?, f, ...)",
     "Mixed precision while the scope is open, or while f runs, on that kind of device. Matrix products and "
     "convolutions compute in dtype. Operators that need range or precision (exp, log, softmax, sum, norms, losses) "
     "compute in float32. Weights are cast once."},
    {"is_autocast_enabled", guarded<is_enabled>, "torch.is_autocast_enabled(device?)",
     "Whether autocast is on: for a kind of device, or without one for any."},
    {"get_autocast_dtype", guarded<get_dtype>, "torch.get_autocast_dtype(device = 'cuda')",
     "The dtype in which autocast computes on that kind of device."},
    {"is_autocast_cache_enabled", guarded<is_cache_enabled>, "torch.is_autocast_cache_enabled()",
     "Whether weights are cast once in a scope of autocast."},
    {"clear_autocast_cache", guarded<clear_cache>, "torch.clear_autocast_cache()",
     "Forgets the weights that were cast in the open scopes of autocast."},
};

}  // namespace

void open_autocast(lua_State* L, int torch) {
  open_scopes<AutocastBefore>(L, "torch.autocast");
  add_functions(L, torch, rows);
  lua_createtable(L, 0, 1);  // torch.amp, where PyTorch has it too
  lua_getfield(L, torch, "autocast");
  lua_setfield(L, -2, "autocast");
  document(L, -1, "torch.amp\n  Another place of autocast, as in PyTorch.");
  lua_setfield(L, torch, "amp");
}

}  // namespace luth::lang
