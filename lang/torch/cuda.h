// torch.cuda and what else of the language speaks of devices: shared by its files and by tensors' and modules' methods.
#pragma once
#include "core/device/device.h"
#include "lang/values/values.h"

namespace luth::lang {

/// The GPU that the value at `index` names: a number from 0, 'cuda:1', torch.device('cuda'); nil: the current one.
/// Throws where there is none, saying why, and for devices of other kinds.
Device& cuda_at(lua_State* L, int index, const char* function);
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
/// x:record_stream(s)
int record_stream(lua_State* L);

// Each adds to the table `torch`.
void open_cuda(lua_State* L, int torch);          // cuda.cpp: torch.cuda
void open_cuda_streams(lua_State* L, int torch);  // cuda_streams.cpp: into torch.cuda
void open_backends(lua_State* L, int torch);      // backends.cpp: torch.backends, determinism, placement

}  // namespace luth::lang
