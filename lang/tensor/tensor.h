// Tensors in Lua: pushing and checking them, for all of lang. The Tensor class is opened by tensor.cpp, operators by
// bind.cpp.
#pragma once
#include <optional>
#include <span>

#include "core/op/op.h"
#include "lang/runtime/memory.h"
#include "lang/values/values.h"

namespace luth::lang {

/// Pushes a tensor; nil for a null one. Two userdata of one tensor are equal in Lua.
inline void push_tensor(lua_State* L, Tensor t) {
  if (!t) return lua_pushnil(L);
  const Tensor& kept = push_box<Tensor>(L, std::move(t));
  note_tensor(L, kept);
}

/// The tensor at `index`, or null for another value. A tensor that free() released is null inside.
inline const Tensor* to_tensor(lua_State* L, int index) { return to_box<Tensor>(L, index); }
/// Throws "expects a tensor, got ..."; `what` begins the message.
const Tensor& check_tensor(lua_State* L, int index, const char* what = "expects");
/// A table of tensors (or a single tensor), in order. Throws with the position of what is none.
Tensors check_tensors(lua_State* L, int index, const char* what = "expects");
/// A tensor, a number or a boolean; nothing for any other value.
Value to_value(lua_State* L, int index);
/// Pushes a table with them.
void push_list(lua_State* L, const Tensors& list);
/// A tensor as it is, a number as a 0-dimensional tensor, nested tables as torch.tensor makes them; of `dtype` where
/// given.
Tensor make_tensor(lua_State* L, int index, std::optional<Dtype> dtype, Device& device);
/// Pushes a boolean, an integer or a float.
void push_scalar(lua_State* L, const Scalar& s);

/// Calls an operator by its registered name, with attributes by name: `Invoke("select").set("dim",
/// int64_t(0))({x})[0]`.
class Invoke {
 public:
  explicit Invoke(std::string_view op);
  /// Throws for an attribute that the operator does not have.
  Invoke& set(std::string_view attribute, Attr value);
  Tensors operator()(Inputs in) const { return apply(*info_, op_.get(), std::move(in)); }
  Tensor inplace(Inputs in) const { return apply_inplace(*info_, op_.get(), std::move(in)); }

 private:
  const OpInfo* info_;
  OpValue op_;
};

// ---- Functions written by hand ------------------------------------------------------------------------------------

/// One row per function: its name, the function (guarded), how it is called, what it does. Help comes from here.
struct Row {
  const char* name;
  lua_CFunction f;
  const char* signature;  // "save(value, path)"
  const char* brief;
};
/// Sets them in the table at `table` and remembers their help. The rows live as long as the program.
void add_functions(lua_State* L, int table, std::span<const Row> rows);
/// The same for functions of the same names in a module of luth's Lua library, which is read at the first call; the
/// rows have no functions.
void add_library(lua_State* L, int table, const char* module, std::span<const Row> rows);
/// Gives the function (or table) at `index` a help text; for what has no row.
void document(lua_State* L, int index, const char* text);

/// The trailing table of named arguments at `index` (0 or nil: none), read field by field; `done` refuses what nobody
/// asked for, with the nearest name. Messages begin with `function`.
class Options {
 public:
  Options(lua_State* L, int index, const char* function);
  /// Pushes the value and returns its index, or 0 (and pushes nothing) when it is absent.
  int get(const char* name);
  bool flag(const char* name, bool otherwise);
  double number(const char* name, double otherwise);
  int64_t integer(const char* name, int64_t otherwise);
  void done() const;

 private:
  lua_State* L_;
  int index_;
  const char* function_;
  std::vector<std::string> known_;
};
/// The argument at `index` of a function that takes one flag, by position or in a table of named arguments.
bool flag_at(lua_State* L, int index, const char* function, const char* name, bool otherwise = true);
/// True for a table with string keys: named arguments. A sequence and the empty table are values.
bool is_named(lua_State* L, int index);

}  // namespace luth::lang
