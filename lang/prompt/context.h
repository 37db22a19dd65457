// Where the cursor is in the Lua that is being typed: what may follow there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace luth::lang {

/// A step of a path: a name, `[3]` or `['key']`.
struct PathStep {
  std::string name;
  long long position = 0;  // where there is no name
};
/// `a.b[1]:c`, without the name that is being typed.
using Path = std::vector<PathStep>;

struct Context {
  enum class Kind {
    nothing,    // a comment, a number, a new name
    text,       // within a string
    field,      // after `a.b.`
    method,     // after `a.b:`
    value,      // where an expression begins
    statement,  // where a statement may begin, too
    option,     // in the braces of a call, before `=`
  };
  Kind kind = Kind::statement;
  std::string typed;              // what is there of the name or string
  Path owner;                     // of fields and methods, and of the key that a text is: `a.b['`
  Path call;                      // the function in whose arguments the cursor is
  bool is_method_call = false;    // its last step stands after a colon
  std::string option;             // the option whose value is typed
  std::vector<std::string> used;  // options of the call that are there already
};

/// The context at the end of the text.
Context context_of(std::string_view before);

}  // namespace luth::lang
