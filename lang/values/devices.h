// Which GPU a Lua value means, and scopes that change the current device or stream.
#pragma once
#include "core/device/device.h"
#include "lang/values/values.h"

namespace luth::lang {

/// The GPU that the value at `index` names: a number from 0, 'cuda:1', torch.device('cuda'); nil: the current GPU.
/// Throws with the reason where there is none, and for devices of other kinds.
Device& cuda_at(lua_State* L, int index, const char* function);
/// Whether there are GPUs, usable or not. Opens the device's library; never throws.
bool cuda_present();
/// Whether there is a GPU that luth can use. Opens the device's library; never throws.
bool cuda_available();

/// The settings before a scope, for restoring: current device of a kind, current stream of a device, default device.
struct Restore {
  Device* current = nullptr;
  Device* of = nullptr;
  Stream* stream = nullptr;
  Device* fallback = nullptr;
  void operator()() const;
};
/// Call after a setting was changed. Without a function at `first`: pushes a scope that restores the setting when it is
/// closed. With one: calls it with the values above it, restores the setting, and leaves the results. Returns the
/// number of values on the stack. `advice`: the call that the warning about a scope that was never closed advises.
int in_scope(lua_State* L, const Restore& restore, int first, const char* advice);

/// torch.device(d):scope(f?, …)
int device_scope(lua_State* L);

/// Makes the scopes known.
void open_device_scopes(lua_State* L);

}  // namespace luth::lang
