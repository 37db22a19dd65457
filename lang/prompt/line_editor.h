// The input of the prompt: a terminal with an editor for blocks, or any other standard input.
#pragma once
#include <memory>

#include "lang/prompt/line_reader.h"

namespace luth::lang {

/// An editor when standard input and output are a terminal that can move its cursor; else a reader of lines, which
/// prompts at a terminal only.
std::unique_ptr<LineReader> open_line_reader(LineReader::Asks asks);

}  // namespace luth::lang
