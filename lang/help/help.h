// help(x): texts for operators (from their description), for functions written by hand (from their rows), for anything
// else that has been documented.
#pragma once
#include <string>

#include "lang/tensor/tensor.h"

namespace luth::lang {

/// Remembers the row as the help of the function at `index`.
void document_row(lua_State* L, int index, const Row& row);
/// Whether the function at `index` has another row already.
bool has_other_row(lua_State* L, int index, const Row& row);
/// A text for a name that is no value of its own: a field ("shape"), a word of recipes.
void document_name(lua_State* L, const char* name, const char* text);
/// The help of the value at `index`, "" where there is none.
std::string help_text(lua_State* L, int index);
/// The help of what a name means, "torch.topk", "topk", "x:sum", "zero_grad"; "" where nothing has it.
std::string named_help(lua_State* L, const std::string& name);
/// Sets the global `help`.
void open_help(lua_State* L);

}  // namespace luth::lang
