// A session at the prompt: chunks run as if they were one chunk, so `local` variables live on.
//
// How: a chunk is compiled as the body of a function inside declarations of those earlier locals that it names,
//
//   local keep, a, b = ...; return function(...) <chunk> ; keep(function() return x, y end, 'x', x, 'y', y) end
//
// and its upvalues a and b are joined (lua_upvaluejoin) to the variables themselves, so functions defined on different
// lines share them, as in a file. `keep` remembers the variables x, y that the chunk declared at top level. A chunk
// that fails keeps none of its own. Chunks are called [1], [2] …; their texts are in the registry's table "luth.chunks"
// by that name, and the names of those that ran without an error in "luth.session", in order. A `<close>` variable is
// closed when its chunk ends. Globals are the real ones.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "lang/prompt/complete.h"
#include "lang/runtime/interp.h"

namespace luth::lang {

/// Pushes what the prompt gives `print` for the value at `index`: its text, or the value itself.
void push_shown(lua_State* L, int index);

class Session {
 public:
  explicit Session(Interp& interp);

  lua_State* state() const { return L_; }

  enum class Outcome { done, failed };
  /// Runs `text`; an expression's values are printed with the global `print`, and kept in the globals _, _1, _2 …, the
  /// last one first, where the user has no variables of these names. `failed`: the error has been printed on stderr,
  /// without the frames of the prompt itself.
  /// `whole`: what the name of the chunk stands for, where the text is but a part of it.
  Outcome run(std::string_view text, std::string_view whole = {});
  /// The next chunk is called so: [8].
  void number_next(int number) { number_ = number - 1; }
  /// Whether `text` needs more lines.
  bool is_incomplete(const std::string& text);
  /// Where the expression begins that is the last line, or lines, of statements: the notebook shows its values. 0 where
  /// there is none. What Lua would read as going on with the line before is none.
  size_t last_expression(const std::string& text);
  /// From now on values go to the Lua function at `printer` of the registry, as tables of values and of what they print
  /// as and their number, and the text of an error goes to `failed`.
  void print_with(int printer, std::function<void(const std::string&)> failed);
  /// `? name`: calls the global `help` with the value of that name (x:sum and x.sum are the same) and the name itself,
  /// or with the name alone when nothing has it.
  void help(std::string name);
  /// The text that `? name` prints, "" where there is none.
  std::string help_text(const std::string& name);

  /// Calls the function below its arguments, and prints its error as run() does.
  Outcome call(int nargs);

  /// The completions of the last name of a line.
  Completion complete(std::string_view line);

  /// Pushes the variable of that name, or returns false.
  bool push_variable(const std::string& name);
  /// Pushes a function that runs the text, with the session's variables, and returns an expression's values. Pushes the
  /// message and returns false for text that is no Lua.
  bool push_function(const std::string& text);
  std::vector<std::string> variables() const;
  /// Replaces the values on the stack by what is printed for them, and keeps them in _, _1 …
  void print_results();
  /// Whether the global was there when the session began.
  bool is_builtin(const std::string& name) const { return builtin_.contains(name); }
  /// The globals that are there now count as builtin, too.
  void note_builtins();

 private:
  int compile_block(std::string& statement);
  int compile(const std::string& text);
  bool compiles(const std::string& text);
  bool load_chunk(const std::string& text);  // pushes the function, or an error message
  void join(int function);
  Outcome finish(int status, bool print);
  int print_values();
  bool push_named(const std::string& name);
  void begin_chunk(std::string_view text);
  void keep_result(int index);
  static int keep(lua_State* L);
  struct Asked;
  static int completed(lua_State* L);

  Interp& interp_;
  lua_State* L_;
  // where each variable is: an upvalue of a function in the table at `functions_` of the registry, under the same name
  std::map<std::string, int> variables_;
  int functions_;
  int printer_ = LUA_NOREF;
  std::function<void(const std::string&)> failed_;
  std::unordered_set<std::string> builtin_;
  int number_ = 0;             // of the chunks so far
  std::string chunk_ = "[1]";  // the name of the chunk that is compiled
  int results_;                // the registry's table of the last results, the newest first
  bool incomplete_ = false;    // what compile_block() found
};

}  // namespace luth::lang
