// The interpreter: owns the lua_State, opens Lua's libraries and luth's, calls Lua with tracebacks, reports errors with
// exit codes, and turns SIGINT and SIGTERM into Lua errors. `lang` is the only folder that includes Lua; it includes
// core, never cli.
//
// A part of the language (torch, nn, data, ...) registers itself:
//
//   void open_torch(lua_State* L) { ...lua_setglobal(L, "torch"); }        // may throw luth::Error
//   static const Open torch_opener("torch", Open::tables, open_torch);    // runs in every Interp; require 'torch'
//   works
//
// Several Interps may live at once, each on one thread at a time.
#pragma once
#include <lua5.4/lua.hpp>

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/state.h"

namespace luth::lang {

using Opener = void (*)(lua_State*);

/// Registers an opener, before main. Openers run by ascending order, then by name, with an empty stack (what they leave
/// on it is dropped). If the global `name` is a table afterwards, `require(name)` returns it.
struct Open {
  enum Order { language = 0, tables = 100, modules = 200, extras = 300 };  // any number between them is as good
  Open(const char* name, int order, Opener opener);
};

/// The interpreter. StateData is a base, so that lower layers reach it without this class.
class Interp : public StateData {
 public:
  struct Options {
    bool ignore_environment = false;  // -E: LUA_PATH, LUA_CPATH and LUA_INIT count for nothing
  };

  /// A state with Lua's libraries and everything that registered an Open. Throws luth::Error when an opener fails.
  Interp();
  explicit Interp(Options options);
  ~Interp();
  Interp(const Interp&) = delete;
  Interp& operator=(const Interp&) = delete;

  lua_State* state() const { return L_; }
  /// The Interp of any of its Lua threads.
  static Interp& of(lua_State* L) { return static_cast<Interp&>(StateData::of(L)); }

  /// Calls the function below its `nargs` arguments, as lua_pcall does. Adds a traceback to an error message. After
  /// handle_signals, an interrupt is raised as an error. Returns Lua's status; on an error the message is on the stack
  /// as a string.
  int call(int nargs, int nresults);
  /// Prints the error message on top of the stack on stderr as "luth: ...", pops it, and returns its exit code.
  int report(int status);
  /// The exit code that the message on top of the stack deserves.
  ErrorCode code_of(int status) const;

  // Each runs something to its end and returns the exit code: 0, or that of the error, which report() has printed.
  int run_string(std::string_view code, const char* chunkname);
  int run_file(const char* path);  // nullptr: standard input. The chunk gets the global `arg`[1...] as `...`
  int require(const char* module, const char* global);
  /// Runs $LUA_INIT_5_4 or $LUA_INIT (code, or @file) unless the environment is ignored.
  int run_init();

  /// `require` looks for Lua modules in the folder of that script first, as Python does.
  void find_modules_beside(const std::string& script);
  /// The global `arg`: argv[script] at 0, what follows at 1..., what precedes at -1...
  void set_arg(int argc, char** argv, int script);

  /// From now on SIGINT, SIGTERM and SIGXCPU (as SIGTERM) stop this Interp's Lua code with the errors "interrupted"
  /// (130) and "terminated" (143) at its next instruction. A second signal ends the process at once with that exit
  /// code. Only the thread that calls this is ever stopped, and one Interp of the process. Signals never restart system
  /// calls: EINTR must be expected.
  void handle_signals();

  /// While on, signals stop nothing: the caller asks poll_signals() where it can stop, as a training loop between
  /// steps. A second signal still ends the process, and so does the first one after 30 seconds in which no Lua ran, or
  /// five minutes, without a call of poll_signals().
  void defer_signals(bool on);
  /// interrupted(), for a caller that ends where it is not 0, and may take its time for that.
  int poll_signals();

  /// Whether a signal has come that this Interp obeys. Its error must not be caught.
  bool stop_requested() const;

 private:
  int push_stop();  // pushes that as an error message, returns LUA_ERRRUN

  Allocator allocator_;  // outlives the state
  lua_State* L_;
  Options options_;
};

/// Appends the hint of lang/hints/hints.h to the error message on top of the stack. `source`: the text of the chunk.
void add_hint(lua_State* L, const std::string* source = nullptr);

/// Appends a traceback to the error message on top of the stack, without luth's own functions in Lua, what they have
/// called, and functions in C that have no name.
void add_traceback(lua_State* L);

/// The signal, SIGINT or SIGTERM, that came and was not cleared; else 0. Long work polls this where it can stop, as a
/// training loop between steps, and may then save and leave. Any thread may ask.
int interrupted();
void clear_interrupt();
/// Throws luth::Error "interrupted" or "terminated" with its code when interrupted().
void check_interrupt();

}  // namespace luth::lang
