// Texts of cells: places, names, errors.
#pragma once
#include <string>
#include <string_view>

#include "lang/notebook/message.h"

namespace luth::lang {

/// Without spaces at both ends.
std::string trimmed(std::string_view text);
/// The byte at which the letter of number `letter` begins, from 0; the front end counts letters.
size_t byte_at(std::string_view text, size_t letter);
/// How many letters begin before that byte.
size_t letters_in(std::string_view text, size_t byte);
/// The name around a byte, with what it is a field of: "torch.topk", "x:sum"; "" where none is.
std::string name_at(std::string_view text, size_t byte);
/// Whether a text fits a pattern with * and ?.
bool matches(const std::string& text, const std::string& pattern);
/// What the kernel tells of itself.
Json kernel_info();

/// ename, evalue and traceback of a message of Lua.
Json error_of(const std::string& text);

}  // namespace luth::lang
