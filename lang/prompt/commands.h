// Lines at the prompt that are no Lua: `:time f(x)`, `? name`, `!ls`, `exit`. share/luth/prompt/commands.lua runs them.
#pragma once
#include <string>
#include <string_view>

#include "lang/prompt/session.h"

namespace luth::lang {

/// What a block is. A line that begins with `:` is a command only where the word behind it is one.
enum class Command { none, help, lua, leave };
Command command_of(std::string_view block);
/// Whether a line that begins with `:` or `..` goes on with the statement before it.
bool continues_statement(std::string_view line);
/// The names of the commands that begin with `:`.
std::vector<std::string> command_names();

/// What is wrong with a block that begins with a colon and is neither command nor label, "" for any other.
std::string colon_mistake(std::string_view block);
/// Whether the block is a word such as `exit`, which no variable has for a name.
bool leaves(Session& session, std::string_view block);

/// Runs a block of Command::lua.
void run_command(Session& session, const std::string& block);

}  // namespace luth::lang
