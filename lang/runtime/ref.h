// Lua values that objects of C++ need: hooks, callbacks, fields of modules, datasets written in Lua.
//
// The invariant that lets Lua's collector see, and free, cycles through C++:
//   - A Lua value that an object of C++ needs hangs on the object's userdata, as one of its user values; C++ keeps no
//     more than a WeakRef, or looks it up on the userdata.
//   - An object of C++ that holds others (a module its children, a loader its dataset, a schedule of schedules) has
//     their userdata among its user values too. So a value lives as long as the userdata of any holder.
//   - So whoever holds such an object for longer than a call holds its userdata, never a bare Ref.
// What cannot follow this, because tensors have many userdata and many holders, is a LuaRef: a hook of a tensor. It is
// a root, except while all of Lua is collected: see lang/autograd/tensor_hooks.h.
#pragma once
#include <lua5.4/lua.hpp>
#include <memory>

namespace luth::lang {

/// Finds a Lua value (a table, function or userdata) and does not keep it alive. Copies find the same. May be destroyed
/// on any thread and after the interpreter.
class WeakRef {
 public:
  WeakRef() = default;
  /// The value at `index`, which something else keeps.
  WeakRef(lua_State* L, int index);
  /// Pushes the value, nil when it was collected. `L` is any Lua thread of its interpreter.
  void push(lua_State* L) const;
  /// The Lua thread that is running now, on which a callback may be called; throws where the interpreter is gone.
  lua_State* running() const;
  explicit operator bool() const { return bool(place_); }

 protected:
  struct Place;  // in tables of the interpreter; outlives it while references do
  std::shared_ptr<Place> place_;
};

/// Keeps a Lua value alive while `rooted`, as at first. Copies share it. May be destroyed on any thread and after the
/// interpreter: the root is then given up by the next reference or drop_dead_roots.
class LuaRef : public WeakRef {
 public:
  LuaRef() = default;
  LuaRef(lua_State* L, int index);
  /// Gives the root up, or takes it again; the latter has no effect when the value was collected.
  void set_rooted(lua_State* L, bool on);
};

/// Before anything of the script's: what is made first is finalized last, and finalizers may use references.
void open_refs(lua_State* L);

/// Gives up the roots of the LuaRefs that were destroyed since.
void drop_dead_roots(lua_State* L);

}  // namespace luth::lang
