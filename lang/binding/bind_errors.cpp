#include "lang/binding/bind_errors.h"

#include <algorithm>

#include "core/base/text.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

std::string_view python_name(std::string_view name) { return name == "stop" ? "end" : name; }

std::string expects(const Param& p) {
  if (!p.input) return expectation(p.field);
  return p.list ? "a list of tensors" : p.number ? "a tensor or a number" : "a tensor";
}

}  // namespace

int find_param(const Overload& overload, std::string_view name) {
  for (int i = 0; i < int(overload.params.size()); ++i)
    if (overload.params[i].name == name) return i;
  for (int i = 0; i < int(overload.params.size()); ++i)
    if (overload.params[i].name == python_name(name) || (!name.empty() && overload.params[i].also == name)) return i;
  return -1;
}

std::string CallErrors::argument_text(const Param& p, int index, bool position) const {
  if (index > given_.positions && !position) return fmt::format("argument '{}'", p.name);
  int number = index - is_method();
  if (number == 0) return fmt::format("the tensor itself ({})", p.name);
  return fmt::format("argument {} ({})", number, p.name);
}
int CallErrors::is_method() const {
  lua_Debug ar;
  return lua_getstack(L_, 0, &ar) && lua_getinfo(L_, "n", &ar) && std::string_view(ar.namewhat) == "method";
}

std::string CallErrors::explain(const Overload& overload, const Mismatch& m) const {
  const Param& p = overload.params.empty() ? Param() : overload.params[m.param];
  switch (m.why) {
    case Mismatch::too_many:
      return fmt::format("too many arguments, got {}: it is {}", given_.positions - is_method(),
                         signature(function_, overload));
    case Mismatch::unknown:
      return fmt::format("no argument is named '{}'{}: it is {}", m.name, nearest_name(m.name),
                         signature(function_, overload));
    case Mismatch::twice: return fmt::format("argument '{}' is given by position and by name", m.name);
    case Mismatch::missing:
      if (m.param < given_.top && m.param < overload.positional)
        return fmt::format("{} expects {}, got nil", argument_text(p, m.param + 1, true), expects(p));
      return fmt::format("argument '{}' is missing: it is {}{}", p.name, signature(function_, overload), colon_hint());
    case Mismatch::kind: {
      return fmt::format("{} expects {}, got {}{}", argument_text(p, m.index), expects(p), given_text(L_, m.index),
                         m.index == 1 && p.input ? colon_hint() : "");
    }
    case Mismatch::none: break;
  }
  return "";
}

// For a method that was called with a dot: its tensor is not among the arguments.
std::string CallErrors::colon_hint() const {
  if (is_method() || !function_.is_method || (given_.positions > 0 && to_tensor(L_, 1))) return "";
  return fmt::format(" (a method takes a colon: x:{}(...))", function_.name);
}

std::string CallErrors::nearest_name(std::string_view name) const {
  std::vector<std::string> known;
  for (auto* overload : function_.overloads())
    for (auto& p : overload->params) known.push_back(p.name);
  for (const char* own : {"out", "generator"}) known.push_back(own);
  for (auto [numpy, ours] : {std::pair{"axis", "dim"}, {"axes", "dims"}, {"keepdims", "keepdim"}})
    if (name == numpy && std::find(known.begin(), known.end(), ours) != known.end())
      return fmt::format("; did you mean '{}'?", ours);
  return did_you_mean(name, known);
}

bool CallErrors::known_name(std::string_view name) const {
  return std::any_of(function_.overloads().begin(), function_.overloads().end(),
                     [&](auto* f) { return find_param(*f, name) >= 0; });
}

void CallErrors::refuse(const Overload& overload, const Mismatch& m) const {
  throw Error("{}: {}", function_.name, explain(overload, m));
}
void CallErrors::refuse() const {
  for (auto& [name, index] : given_.named)
    if (!known_name(name))
      throw Error("{}: no argument is named '{}'{}{}", function_.name, name, nearest_name(name), overloads_text());
  std::string got;
  for (int a = 1; a <= given_.positions; ++a) got += (a > 1 ? ", " : "") + given_text(L_, a);
  for (auto& [name, index] : given_.named)
    got += fmt::format("{}{} = {}", got.empty() ? "" : ", ", name, given_text(L_, index));
  throw Error("{}: these arguments fit none of its forms: {}{}{}", function_.name, got.empty() ? "none" : got,
              overloads_text(), colon_hint());
}

std::string CallErrors::overloads_text() const {
  std::string s = "; it is";
  for (auto* overload : function_.overloads()) s += "\n  " + signature(function_, *overload);
  return s;
}

}  // namespace luth::lang
