// Completion of lines at the prompt that are no Lua: `:loa`, `:load fi`, `!ls fi`, `!luth train --`.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/prompt/complete.h"

namespace luth::lang {

/// What luth's own command line takes behind these words: subcommands, options, their values.
using OfferWords = std::function<std::vector<std::string>(const std::vector<std::string>& before)>;
void offer_words(OfferWords offer);

/// Completes a line that begins with `:` or `!`. False where it is Lua, or Lua follows: `:time x:su`; `line` then
/// begins there.
bool complete_command(std::string_view& line, Completion& result);

}  // namespace luth::lang
