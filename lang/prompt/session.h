// A session at the prompt: chunks run as if they were one chunk, so `local` variables live on.
//
// How: a chunk is compiled as the body of a function inside declarations of those earlier locals that it names,
//
//   local keep, a, b = ...; return function(...) <chunk> ; keep(function() return x, y end, 'x', x, 'y', y) end
//
// and its upvalues a and b are joined (lua_upvaluejoin) to the variables themselves, so functions defined on different
// lines share them, as in a file. `keep` remembers the variables x, y that the chunk declared at top level. A chunk
// that fails keeps none of its own. A `<close>` variable is closed when its chunk ends. Globals are the real ones.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "lang/prompt/complete.h"
#include "lang/runtime/interp.h"

namespace luth::lang {

class Session {
 public:
  explicit Session(Interp& interp);

  enum class Outcome { done, incomplete, failed };
  /// Runs `text`; an expression's values are printed with the global `print`. `incomplete`: more lines are needed,
  /// nothing ran. `failed`: the error has been printed on stderr, without the frames of the prompt itself.
  Outcome run(std::string_view text);
  /// `? name`: calls the global `help` with the value of that name (x:sum and x.sum are the same) and the name itself,
  /// or with the name alone when nothing has it.
  void help(std::string name);

  /// The completions of the last name of a line.
  Completion complete(std::string_view line);

 private:
  bool push_variable(const std::string& name);
  bool load_chunk(const std::string& text);  // pushes the function, or an error message
  void join(int function);
  Outcome finish(int status, bool print);
  static int keep(lua_State* L);
  struct Asked;
  static int completed(lua_State* L);

  Interp& interp_;
  lua_State* L_;
  // where each variable is: an upvalue of a function in the table at `functions_` of the registry, under the same name
  std::map<std::string, int> variables_;
  int functions_;
};

}  // namespace luth::lang
