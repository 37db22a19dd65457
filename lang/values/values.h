// Values of torch in Lua: dtypes, devices, sizes, memory formats, torch.none. And attributes (core/tensor/describe.h)
// read from Lua and pushed to it, for operators, modules, optimizers and datasets.
#pragma once
#include <string>
#include <string_view>

#include "core/tensor/describe.h"
#include "lang/runtime/box.h"

namespace luth::lang {

/// The name of a device, which may not exist on this machine. `index` is -1 where none was given.
struct DeviceName {
  char kind[16] = "cpu";
  int index = -1;
};

/// Pushes the unique userdata of the dtype. Those of devices, formats and torch.none are unique too, so == compares
/// them.
void push_dtype(lua_State* L, Dtype d);
void push_device(lua_State* L, const Device& d);
/// "cuda:1"; throws for text that names no device.
void push_device_name(lua_State* L, std::string_view name);
void push_format(lua_State* L, MemoryFormat f);
void push_size(lua_State* L, const Shape& s);
void push_none(lua_State* L);

/// Whether the value is nil, nothing, or torch.none.
bool is_none(lua_State* L, int index);

// Each throws "expects a dtype, got ..." for another value. A string with the name of a dtype, device or format counts.
Dtype check_dtype(lua_State* L, int index);
Device& check_device(lua_State* L, int index);
MemoryFormat check_format(lua_State* L, int index);
/// A torch.Size, a table of integers, or one integer.
Ints check_ints(lua_State* L, int index);
/// The same, or the `n` separate integers from `index` on.
Ints check_sizes(lua_State* L, int index, int n);
/// An integer, or a float or a tensor of one element that is one.
int64_t check_integer(lua_State* L, int index);

/// Whether read_attr takes a value of this kind. `loose`: a tensor of one element counts as a number.
bool accepts(lua_State* L, int index, const FieldInfo& info, bool loose = true);
/// The value at `index` as an attribute: dims and indices counted from 1 become those of C++. Throws "expects ..., got
/// ...". `count` > 1: a list that was given as that many separate arguments.
Attr read_attr(lua_State* L, int index, const FieldInfo& info, int count = 1);
/// The inverse.
void push_attr(lua_State* L, const Attr& value, unsigned as = as::plain);
/// The attribute as help and messages write it: `{1, 2}`, `nil`, dims counted from 1.
std::string lua_text(const Attr& value, unsigned as);

/// "an integer", "a list of integers", ...
const char* expectation(const FieldInfo& info);
/// The value at `index` as messages write it: "nil", "number 2.5", "string 'abc'", "a float32[2, 3] tensor".
std::string given_text(lua_State* L, int index);

/// Refuses argument 1 of a method, "expects a module, got … (a method takes a colon)". `variable`: the advice names the
/// method where it is known, "m:train(...)".
[[noreturn]] void refuse_self(lua_State* L, const char* expected, const char* variable = nullptr);
/// The reference-counted object at `index`. Throws "{what} {expected}, got …" for another value.
template <class Ref>
const Ref& check_ref(lua_State* L, int index, const char* what, const char* expected) {
  if (const Ref* r = to_box<Ref>(L, index); r && *r) return *r;
  throw Error("{} {}, got {}", what, expected, given_text(L, index));
}
/// The object that a method was called on.
template <class Ref>
auto& self_ref(lua_State* L, const char* expected) {
  if (const Ref* r = to_box<Ref>(L, 1); r && *r) return **r;
  refuse_self(L, expected);
}

/// Makes the metatables, and torch.float32, torch.Size, torch.none, ... in the table on top of the stack.
void open_values(lua_State* L);

}  // namespace luth::lang
