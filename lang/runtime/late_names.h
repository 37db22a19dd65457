// Late names: fields of a table that are made when they are first read, so that a program starts without them.
//
// `t.name`, `rawget(t, name)` and `pairs(t)` see them like any other field; `next(t)` sees those that were made.
// What a script assigns hides a late name of the same key.
#pragma once
#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace luth::lang {

/// Late names of a table. They live as long as the program.
class LateNames {
 public:
  virtual ~LateNames() = default;
  /// Pushes the value of a name; pushes nothing and returns false for another name.
  virtual bool push(lua_State* L, std::string_view name) const = 0;
  virtual std::vector<std::string> names() const = 0;
};

/// Gives the table at `table` these names, too: __index and __pairs of its metatable are set. Of equal names those hold
/// that were added first.
void add_late_names(lua_State* L, int table, const LateNames& names);
/// Whether late names can be added to the table at `table`: it has no metatable, or one with late names, and is not
/// that of globals.
bool takes_late_names(lua_State* L, int table);
/// Pushes the late value for the key at `key`, and keeps it in the table at `table`. Pushes nothing and returns false
/// if the table has none.
bool push_late(lua_State* L, int table, int key);
/// Replaces the key on top of the stack by its raw or late value in the table at `table`.
void rawget_or_late(lua_State* L, int table);
/// Makes all late names of the table at `table`, for those who walk it. Other values may stand there.
void make_late_names(lua_State* L, int table);

/// The names of the table at `table`, late ones too, and `others`, for messages about a name that is missing. It is
/// made once, and again after a script has given the table a new name; it lasts until then. The table has a metatable.
const NameIndex& name_index(lua_State* L, int table, const std::vector<std::string>& others = {});
/// Sets __newindex in the metatable on top of the stack, so that name_index() hears of new names.
void note_new_names(lua_State* L);

}  // namespace luth::lang
