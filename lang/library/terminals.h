// Functions of luth.native about terminals.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth::lang {

/// is_tty(descriptor): whether it is a terminal.
int is_terminal(lua_State* L);
/// columns(descriptor): the width of a terminal in characters, at least 20; 80 where it does not say.
int terminal_columns(lua_State* L);
/// ask_terminal(question, seconds): what the terminal answers to codes that end in a question for its attributes
/// ("\x1b[c"), within that time. "" where stdin and stdout are no terminal, where this process is in the background, or
/// where text has been typed already, which would be lost.
int ask_terminal(lua_State* L);

}  // namespace luth::lang
