// References from C++ to Lua values: hooks, callbacks, fields of modules, datasets written in Lua.
//
// The invariant that lets Lua's collector see, and free, cycles through C++:
//   - A Lua value that a C++ object needs is a user value of the object's userdata. C++ keeps only a WeakRef, or looks
//     the value up on the userdata.
//   - A C++ object that holds others (a module its children, a loader its dataset) has their userdata among its user
//     values too. So a value lives as long as the userdata of any holder.
//   - Code that holds such an object for longer than a call holds its userdata, never a bare Ref.
// Hooks of tensors cannot follow these rules, because a tensor has many userdata and many holders. They are LuaRefs,
// which are roots except during full collections: see lang/collector/cycle_collector.h.
#pragma once
#include <lua5.4/lua.hpp>
#include <memory>

namespace luth::lang {

/// A weak reference to a Lua value: a table, function or userdata. Copies refer to the same value. May be destroyed on
/// any thread and after the interpreter.
class WeakRef {
 public:
  WeakRef() = default;
  /// To the value at `index`, which something else keeps alive.
  WeakRef(lua_State* L, int index);
  /// Pushes the value, nil when it was collected. `L` is any Lua thread of its interpreter.
  void push(lua_State* L) const;
  /// The running Lua thread, on which a callback may be called; throws where the interpreter is gone.
  lua_State* running() const;
  explicit operator bool() const { return bool(slot_); }

 protected:
  struct Slot;  // in tables of the registry; may outlive the interpreter
  std::shared_ptr<Slot> slot_;
};

/// A strong reference while it is rooted, as at first; else a weak one. Copies share the root. May be destroyed on any
/// thread and after the interpreter: the next reference or drop_dead_roots then gives the root up.
class LuaRef : public WeakRef {
 public:
  LuaRef() = default;
  LuaRef(lua_State* L, int index);
  /// Gives the root up or takes it again. Taking it has no effect once the value was collected.
  void set_rooted(lua_State* L, bool on);
};

/// Call before anything of the script's is made: Lua finalizes in reverse order, and finalizers may use references.
void open_refs(lua_State* L);

/// Gives up the roots of LuaRefs that were destroyed.
void drop_dead_roots(lua_State* L);

}  // namespace luth::lang
