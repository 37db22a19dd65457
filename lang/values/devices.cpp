#include "lang/values/devices.h"

#include "core/device/device_support.h"
#include "lang/runtime/scope.h"

namespace luth::lang {
namespace {

struct Undo {
  const Restore& restore;
  ~Undo() { restore(); }
};

}  // namespace

bool cuda_present() {
  try {
    static_cast<void>(device("cuda"));
  } catch (const std::exception&) {}
  for (Device* d : open_devices())
    if (d->kind() == "cuda") return true;
  return false;
}

bool cuda_available() {
  if (!cuda_present()) return false;
  for (Device* d : open_devices())
    if (d->kind() == "cuda" && device_support(*d).trouble.empty()) return true;
  return false;
}

Device& cuda_at(lua_State* L, int index, const char* function) {
  if (is_none(L, index)) return current_device("cuda");
  if (lua_type(L, index) == LUA_TNUMBER) {
    const int64_t i = check_integer(L, index);
    if (i < 0 || i > 9999) throw Error("{}: devices count from 0, got {}", function, i);
    return device("cuda:" + std::to_string(i));
  }
  Device& d = check_device(L, index);
  if (d.kind() != "cuda") throw Error("{} expects a CUDA device, got '{}'", function, d.name());
  return d;
}

void Restore::operator()() const {
  if (of) of->set_current_stream(stream);
  if (current) set_current_device(*current);
  if (fallback) set_default_device(*fallback);
}

int in_scope(lua_State* L, const Restore& restore, int first, const char* advice) {
  if (lua_isnoneornil(L, first)) {
    auto& scope = push_scope<Restore>(L, "a device", advice);
    scope.restore = restore;
    scope.open = true;
    return 1;
  }
  Undo undo{restore};
  if (lua_type(L, first) != LUA_TFUNCTION)
    throw Error("expects a function to call or nothing, got {}", given_text(L, first));
  lua_call(L, lua_gettop(L) - first, LUA_MULTRET);
  return lua_gettop(L) - first + 1;
}

int device_scope(lua_State* L) {
  Device& d = check_device(L, 1);
  Restore r{.fallback = &default_device()};
  set_default_device(d);
  return in_scope(L, r, 2, "torch.device(d):scope()");
}

void open_device_scopes(lua_State* L) { open_scopes<Restore>(L, "torch.device.scope"); }

}  // namespace luth::lang
