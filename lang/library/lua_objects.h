// Modules, optimizers and schedules as trees, and back. Internal to the conversion of Lua values (lua_tree.h).
#pragma once
#include <functional>
#include <lua5.4/lua.hpp>
#include <map>

#include "core/io/module.h"
#include "core/optim/schedule.h"
#include "lang/runtime/ref.h"

namespace luth::lang {

/// Writes the objects of one tree. `value` makes the tree of the Lua value on top of the stack, which it leaves there;
/// its text is the place, ".lr".
class ObjectWriter : public io::ModuleWriter {
 public:
  using Value = std::function<io::Item(const std::string& place)>;
  ObjectWriter(lua_State* L, Value value) : L_(L), value_(std::move(value)) {}
  /// False where the value at `index` is no object.
  bool write_object(int index, io::Item& item);

 protected:
  void add(const nn::Module& m, io::Map& map) override;

 private:
  void check_one_class(const nn::Module& m);
  io::Item state_of(int index);
  void add_own(int index, const std::string& base, io::Map& map);
  io::Item optimizer(int index);
  io::Item schedule(int index);

  lua_State* L_;
  Value value_;
  std::map<std::string, LuaRef> classes_;  // by name
};

/// Makes the objects of one tree. `push` pushes the Lua value of a tree.
class ObjectReader : public io::ModuleReader {
 public:
  using Push = std::function<void(const io::Item&)>;
  /// `kept` is the stack index of a table that keeps what is made.
  ObjectReader(lua_State* L, int kept, Push push) : L_(L), kept_(kept), push_(std::move(push)) {}
  /// Pushes the object that a map with a kind describes.
  void push_object(const io::Map& map);

 protected:
  nn::ModuleRef make(const io::Map& map) override;
  void made(const nn::ModuleRef& m) override;
  void filled(const nn::ModuleRef& m, const io::Map& map) override;

 private:
  void keep();
  void load_state(const io::Map& map);
  void push_own_values(const io::Map& map);
  void push_optimizer_of(const io::Map& map);
  void push_schedule_of(const io::Map& map);

  lua_State* L_;
  int kept_;
  Push push_;
  std::map<int64_t, int> others_;  // optimizers and schedules by number: places in the table
};

}  // namespace luth::lang
