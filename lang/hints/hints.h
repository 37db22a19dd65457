// Hints that errors give to users of Python and Torch7: the same thing in Lua's and luth's words.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace luth::lang {

/// A name of Torch7, Python or numpy, and what to write instead. `owner` is where it was looked up: "torch", "nn",
/// "nn.functional", "optim"; "x" for methods and fields of tensors, "m" for methods of modules, "global", "module" for
/// `require`.
struct ForeignName {
  std::string_view owner, name, instead;
};
/// All of them (foreign_names.cpp), by owner.
std::span<const ForeignName> foreign_names();
/// The end of a message about an unknown name: "; luth has nn.Conv2d", "; not in luth: complex numbers", or "".
std::string foreign_hint(std::string_view owner, std::string_view name);

/// The names of the methods of modules, among which a misspelt one is looked for.
std::vector<std::string>& module_methods();

/// A line "hint: ..." with a newline before it, for an error of Lua itself: a syntax error that names a line, a call of
/// an unknown global, a missing module. "" where no hint fits. `source`: the text of the chunk; null: the file that the
/// message names is read.
std::string hint_on(std::string_view message, const std::string* source = nullptr);

}  // namespace luth::lang
