// Texts that are too long or too short: what tokenizer.json calls truncation and padding.
#pragma once
#include "core/text/library/config.h"

namespace luth::text {

Truncation read_truncation(const Node& node);
Padding read_padding(const Node& node);
Json json_of(const Truncation& t);
Json json_of(const Padding& p);

/// Cuts one encoding or two, so that they and `around` special tokens are no longer than the limit.
void truncate(std::vector<Encoding>& all, const Truncation& how, size_t around);
/// One after the other.
Encoding joined(std::vector<Encoding> all);

}  // namespace luth::text
