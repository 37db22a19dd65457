// What the prompt has to know about the text of a chunk: its names, and the variables it declares at top level.
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

/// The tokens of any text, in their order: names, keywords and single characters of it; a string comes as "\"", a
/// number as "0", comments not at all.
std::vector<std::string_view> split_chunk(std::string_view text);

/// Reads a chunk that Lua has already accepted.
ChunkNames scan_chunk(std::string_view text);

}  // namespace luth::lang
