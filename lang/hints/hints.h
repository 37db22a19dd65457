// Hints in Lua's and luth's words for habits from Python and Torch7: what an error says beyond what is wrong.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace luth::lang {

/// A name that Torch7, Python or numpy has, and what to write instead. `owner` says where it was looked for: "torch",
/// "nn", "optim"; "x" for methods and fields of tensors, "m" for methods of modules, "global", "module" for `require`.
struct ForeignName {
  std::string_view owner, name, instead;
};
/// All of them (foreign_names.cpp), by owner.
std::span<const ForeignName> foreign_names();
/// "; luth has nn.Conv2d", "; not in luth: complex numbers": the end of a message about an unknown name, or "".
std::string foreign_hint(std::string_view owner, std::string_view name);

/// A line "hint: ..." with a newline before it, for an error that Lua raised itself: a syntax error that names a line,
/// a call of an unknown global, a module that is not there. "" where none fits. `source`: the text of the chunk, where
/// it is at hand; else the file that the message names is read.
std::string hint_on(std::string_view message, const std::string* source = nullptr);

}  // namespace luth::lang
