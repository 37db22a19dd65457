// Which GPU a Lua value means, and scopes that change the current device or stream.
#pragma once
#include "core/device/device.h"
#include "lang/values/values.h"

namespace luth::lang {

/// The GPU that the value at `index` names: a number from 0, 'cuda:1', torch.device('cuda'); nil: the current one.
/// Throws where there is none, saying why, and for devices of other kinds.
Device& cuda_at(lua_State* L, int index, const char* function);
/// Whether there are GPUs, usable or not. Opens the device's library; never throws.
bool cuda_present();
/// Whether there is a GPU that luth can use. Opens the device's library; never throws.
bool cuda_available();

/// What a scope changes and puts back: the current device of a kind, the current stream of a device, the default
/// device.
struct Restore {
  Device* current = nullptr;
  Device* of = nullptr;
  Stream* stream = nullptr;
  Device* fallback = nullptr;
  void operator()() const;
};
/// The change is made. Without a function at `first`, pushes a scope, which puts it back when it is closed; else calls
/// the function with what follows, puts it back, and leaves the results. Returns their number. `advice`: how a scope is
/// written, for the warning about one that was never closed.
int in_scope(lua_State* L, const Restore& restore, int first, const char* advice);

/// torch.device(d):scope(f?, …)
int device_scope(lua_State* L);

/// Makes the scopes known.
void open_device_scopes(lua_State* L);

}  // namespace luth::lang
