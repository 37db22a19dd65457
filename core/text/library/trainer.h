// Models made of texts.
#pragma once
#include "core/text/library/pipeline.h"

namespace luth::text {

/// Pieces of texts and how often each is there.
using Counts = std::unordered_map<std::string, int64_t>;
Counts count_pieces(const Pipeline& like, const NextText& next);

/// The "model" of a tree, with vocabulary and merges.
Json train_bpe(Json model, const Training& how, const Counts& counts);
Json train_word_level(Json model, const Training& how, const Counts& counts);

}  // namespace luth::text
