// The tokens of a Lua chunk, its names, and the variables that it declares at top level.
#pragma once
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace luth::lang {

struct ChunkNames {
  std::unordered_set<std::string> used;  // every identifier, fields included
  std::vector<std::string> locals;       // declared by `local` outside any block, each once; without <close> variables
  size_t end;                            // where statements may be added: before a final `return`, else the end
};

/// The tokens of any text, in order: names, keywords and single characters. A string becomes "\"", a number "0";
/// comments are left out.
std::vector<std::string_view> split_tokens(std::string_view text);

/// The names of a chunk that Lua has already accepted.
ChunkNames scan_chunk(std::string_view text);

}  // namespace luth::lang
