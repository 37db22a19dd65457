// Warnings: what is probably a mistake and yet runs. Said on stderr, each once per place.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace luth {

/// Says "luth: warning: PLACE: `text`" on stderr, once per place and text; the place is that of the language's code
/// that runs on this thread, where there is any.
void warn(std::string_view text);
/// The same for another place, "train.lua:12: " or "".
void warn_at(std::string_view place, std::string_view text);

/// The warnings of this process, "train.lua:12: text", without the first `from` ones, in the order in which they were
/// said.
std::vector<std::string> warnings_said(size_t from);

/// The place of the code that runs on this thread, "train.lua:12: " or "".
using Where = std::string (*)();
/// The language says how to find it.
void set_warning_place(Where where);

}  // namespace luth
