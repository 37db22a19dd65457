// Text in Lua.
#pragma once
#include "core/text/tokenizer.h"
#include "lang/data/data.h"

namespace luth::lang {

int push_tokenizer(lua_State* L, text::TokenizerRef tokenizer);
/// The list of texts at `index`. `what` begins the message: "encode_batch: expects".
std::vector<std::string> check_texts(lua_State* L, int index, const char* what);
/// The texts of the path or the list at `index`. `replaced`: what is no UTF-8 becomes U+FFFD.
text::NextText check_source(lua_State* L, int index, bool replaced);

}  // namespace luth::lang
