// Byte-level tokens as GPT-2 has them: characters that stand for bytes, and where words end.
#pragma once
#include "core/text/library/steps.h"

namespace luth::text {

/// Appends the words of `s`, whose first byte counts as `shift`: letters, numbers or other characters, each with the
/// space before it; endings such as 's; spaces.
void cut_words(std::string_view s, size_t shift, std::vector<Piece>& out);

}  // namespace luth::text
