// The tokens of Lua text that is being typed: nothing is required to be complete.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace luth::lang {

struct LuaToken {
  enum class Kind : uint8_t { name, keyword, constant, number, string, comment, sign, bad };
  Kind kind;
  bool open = false;  // a string or comment that the text does not end
  size_t begin, end;
};

/// All tokens in order, comments too. "bad" is a byte that Lua does not know.
std::vector<LuaToken> lua_tokens(std::string_view text);

/// Whether the byte at `at` is within a string or comment, or ends within it because that is open.
bool in_literal(const std::vector<LuaToken>& tokens, size_t at);

/// The place of the bracket that belongs to the one at `at` or, if none is there, before it; `at` gets the place of
/// that one. npos where there is none.
size_t matching_bracket(std::string_view text, const std::vector<LuaToken>& tokens, size_t& at);

/// The blanks with which the line after the byte `at` begins: those of the line of `at`, two more for what it opens.
std::string next_indent(std::string_view text, const std::vector<LuaToken>& tokens, size_t at);

/// How many blanks a line loses that begins with what ends a block: `end`, `else`, `}`.
size_t outdent(std::string_view line);

}  // namespace luth::lang
