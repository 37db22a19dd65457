// Values of samples between Lua and C++.
#pragma once
#include "core/data/dataset.h"
#include "lang/runtime/ref.h"

namespace luth::lang {

/// A value of a sample that knows how it becomes one of Lua.
class LanguageValue : public data::OtherValue {
 public:
  /// Pushes it.
  virtual void push(lua_State* L) const = 0;
};

/// The values on the stack from `first` to the top as a sample. Tables, functions and userdata that are no tensors stay
/// values of this interpreter, which the sample keeps. Throws for nil and for no value at all.
data::Sample sample_from_stack(lua_State* L, int first);
/// Pushes the values of a sample; returns their number.
int push_sample(lua_State* L, const data::Sample& sample);

/// How JSON becomes values of Lua; set by the library, which knows trees.
extern void (*push_json)(lua_State* L, const std::string& text);

}  // namespace luth::lang
