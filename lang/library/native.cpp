// require 'luth.native': C++ functions for the Lua library in share/luth: errors with exit codes, folders, terminals,
// interrupts, JSON, checkpoints that rotate. Not for scripts.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "core/base/crc32c.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/base/visible.h"
#include "core/base/warn.h"
#include "core/device/device.h"
#include "core/device/device_support.h"
#include "core/io/checkpoint.h"
#include "core/io/disk.h"
#include "core/io/files.h"
#include "core/io/json.h"
#include "lang/data/data.h"
#include "lang/hints/lua_lexer.h"
#include "lang/library/choose_device.h"
#include "lang/library/debugging.h"
#include "lang/library/lua_tree.h"
#include "lang/library/processes.h"
#include "lang/library/profiles.h"
#include "lang/library/terminals.h"
#include "lang/library/versions.h"
#include "lang/nn/nn.h"
#include "lang/optim/optim.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/tables.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// fail(code, text): raises an error with an exit code and without a position, because it is about the user's input.
int fail(lua_State* L) { raise(L, ErrorCode(int(luaL_checkinteger(L, 1))), luaL_tolstring(L, 2, nullptr), false); }

// traceback(text): the text of an error with a traceback, without luth's own functions.
int traceback_text(lua_State* L) {
  luaL_checkstring(L, 1);
  lua_settop(L, 1);
  return add_traceback(L), 1;
}

// code(text): the exit code that belongs to the text of an error.
int code_of(lua_State* L) { return lua_pushinteger(L, int(error_code(L, luaL_checkstring(L, 1)))), 1; }

int is_interrupted(lua_State* L) { return lua_pushinteger(L, Interp::of(L).poll_signals()), 1; }
int defer(lua_State* L) { return Interp::of(L).defer_signals(lua_toboolean(L, 1)), 0; }

// are_on(batch, device): whether all tensors of a batch, a table with n, are there.
int are_on(lua_State* L) {
  const Device& device = check_device(L, 2);
  bool there = true;
  lua_getfield(L, 1, "n");
  for (lua_Integer i = lua_tointeger(L, -1); i >= 1 && there; --i, lua_pop(L, 1)) {
    lua_rawgeti(L, 1, i);
    if (const Tensor* t = to_tensor(L, -1)) there = &t->device() == &device;
  }
  return lua_pushboolean(L, there), 1;
}

int make_folders(lua_State* L) {
  const char* path = luaL_checkstring(L, 1);
  io::make_folders(path);
  if (access(path, W_OK) != 0)
    throw Error(ErrorCode::usage, "cannot write to the folder {}: {}", path, strerror(errno));
  return 0;
}
// temporary_folder(): a new one, which is this user's alone.
int temporary_folder(lua_State* L) {
  std::error_code error;
  const std::filesystem::path wanted = std::filesystem::temp_directory_path(error);  // by TMPDIR
  std::string path = ((error ? "/tmp" : wanted) / "luth-XXXXXX").string();
  if (!mkdtemp(path.data())) throw Error(ErrorCode::usage, "cannot make the folder {}: {}", path, strerror(errno));
  return lua_pushlstring(L, path.data(), path.size()), 1;
}
// The locks of this process: what the file of a path was.
std::map<std::string, std::pair<dev_t, ino_t>>& held_locks() {
  static std::map<std::string, std::pair<dev_t, ino_t>> held;
  return held;
}
// lock(path): nil when this process holds the lock of the file from now to its end, however that comes; else the text
// that the holder has left there, its process number. File systems without locks let everybody pass.
int lock_file(lua_State* L) {
  const char* path = luaL_checkstring(L, 1);
  const int file = io::open_own(path, O_RDWR);
  if (file < 0) throw Error(ErrorCode::usage, "cannot write {}: {}", path, strerror(errno));
  char text[32] = "";
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    return lua_pushlstring(L, text, n > 0 ? size_t(n) : 0), 1;
  }
  const int n = snprintf(text, sizeof text, "%d", int(getpid()));
  if (ftruncate(file, 0) != 0 || write(file, text, size_t(n)) != n) text[0] = 0;  // the number is a mere help
  struct stat st;
  if (fstat(file, &st) == 0) held_locks()[path] = {st.st_dev, st.st_ino};
  return 0;  // the file stays open: closing it would end the lock
}
// holds(path): whether the file of the path is the one that this process has locked; nil where there is none.
int holds_lock(lua_State* L) {
  const char* path = luaL_checkstring(L, 1);
  struct stat st;
  if (stat(path, &st) != 0) return 0;
  const auto held = held_locks().find(path);
  return lua_pushboolean(L, held != held_locks().end() && held->second == std::pair(st.st_dev, st.st_ino)), 1;
}
// replace(path, text): writes a file, whole or not at all.
int replace(lua_State* L) {
  size_t n = 0;
  const char* text = luaL_checklstring(L, 2, &n);
  io::replace_file(luaL_checkstring(L, 1), text, n);
  return 0;
}
// read(path, most, code): the text of a regular file; an error with the exit code for anything else or more bytes.
int read_file(lua_State* L) {
  const ErrorCode code = ErrorCode(int(luaL_checkinteger(L, 3)));
  const std::string text = io::read_whole(luaL_checkstring(L, 1), uint64_t(luaL_checkinteger(L, 2)), code);
  return lua_pushlstring(L, text.data(), text.size()), 1;
}
// entries(folder): the names in it, sorted; none where it cannot be read.
int entries(lua_State* L) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto& entry : std::filesystem::directory_iterator(luaL_checkstring(L, 1), error))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  push_items(L, names, [&](auto& name) { lua_pushlstring(L, name.data(), name.size()); });
  return 1;
}
int link_there(lua_State* L) { return lua_pushboolean(L, io::is_link(luaL_checkstring(L, 1))), 1; }
int file_there(lua_State* L) {
  std::error_code none;
  return lua_pushboolean(L, std::filesystem::is_regular_file(luaL_checkstring(L, 1), none)), 1;
}
// append(path, text, later): adds to a file, and returns when the disk has it, or, with `later`, at once.
int append(lua_State* L) {
  size_t n = 0;
  const char* text = luaL_checklstring(L, 2, &n);
  io::append_file(luaL_checkstring(L, 1), text, n, !lua_toboolean(L, 3));
  return 0;
}
// whole(path): true for a checkpoint whose seal holds.
int is_whole(lua_State* L) {
  bool whole = false;
  try {
    const io::Seal seal = io::inspect(luaL_checkstring(L, 1));
    whole = seal.present && seal.problem.empty();
  } catch (const Error&) {}
  return lua_pushboolean(L, whole), 1;
}
// described_well(path): whether the description in a file says the same as its HDF5.
int is_described_well(lua_State* L) { return lua_pushboolean(L, io::is_described_well(luaL_checkstring(L, 1))), 1; }
// metadata(path): the texts of a .safetensors file by name.
int metadata_of(lua_State* L) { return push_item(L, io::metadata(luaL_checkstring(L, 1))), 1; }
// save(value, path, metadata): torch.save, with texts that only .safetensors can have.
int save_with(lua_State* L) {
  const io::Item metadata = to_item(L, 3);
  return io::save(to_item(L, 1), luaL_checkstring(L, 2), metadata.as<io::Map>() ? *metadata.as<io::Map>() : io::Map()),
         0;
}
// kind(value): "tensor", "module", "optimizer", "schedule", "dataset", "class" (of modules), else Lua's type.
int kind(lua_State* L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  const char* name = to_tensor(L, 1)                     ? "tensor"
                     : to_module(L, 1)                   ? "module"
                     : to_box<optim::OptimizerRef>(L, 1) ? "optimizer"
                     : to_box<optim::ScheduleRef>(L, 1)  ? "schedule"
                                                         : luaL_typename(L, 1);
  if (lua_istable(L, 1) && lua_getmetatable(L, 1) && lua_istable(L, -1) &&
      lua_getfield(L, -1, "instance") == LUA_TTABLE)
    name = "class";
  else if ((lua_istable(L, 1) || !strcmp(name, "userdata")) && (is_dataset(L, 1) || is_stream(L, 1)))
    name = "dataset";
  return lua_pushstring(L, name), 1;
}
// class_of(module): the class of a module.
int class_of(lua_State* L) {
  const nn::Module* m = to_module(L, 1);
  if (!m) throw Error("class_of: expects a module, got {}", given_text(L, 1));
  return push_class_of(L, *m), 1;
}
// exists(path). A file of which that cannot be told is no missing one: a run must not begin anew over its checkpoints.
int exists(lua_State* L) {
  const char* path = luaL_checkstring(L, 1);
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::none) throw Error("cannot look at {}: {}", path, error.message());
  return lua_pushboolean(L, kind != std::filesystem::file_type::not_found), 1;
}
int now(lua_State* L) {
  using namespace std::chrono;
  return lua_pushnumber(L, duration<double>(steady_clock::now().time_since_epoch()).count()), 1;
}
int share(lua_State* L) { return lua_pushstring(L, share_dir().c_str()), 1; }

// choose_device(name): the device of --device; ErrorCode::usage where it cannot be used.
int pick_device(lua_State* L) {
  std::string reason;
  try {
    return push_device(L, choose_device(luaL_checkstring(L, 1), reason)), 1;
  } catch (const Error& e) { raise(L, e.code(), e.what(), false); }
}

int version_text(lua_State* L) { return lua_pushstring(L, version), 1; }

// build(): {commit, build, compiler, libraries = {name = version}} of what computes here: of GPUs' libraries, those of
// devices that are open. commit is nil where it is not known.
int build_facts(lua_State* L) {
  lua_newtable(L);
  const auto set = [&](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    lua_pushlstring(L, value.data(), value.size());
    lua_setfield(L, -2, name.c_str());
  };
  set("commit", commit_text());
  set("build", build_type);
  set("compiler", compiler_text());
  lua_newtable(L);
  for (auto& l : library_versions()) set(l.name, l.version);
  for (auto* d : open_devices())
    for (auto& l : device_libraries(d->kind())) set(l.name, l.version ? l.text : "");
  return lua_setfield(L, -2, "libraries"), 1;
}

int instruction_set(lua_State* L) { return lua_pushstring(L, cpu_isa().c_str()), 1; }

// warnings(from): the warnings of this process, without the first `from` ones.
int warnings_text(lua_State* L) {
  push_items(L, warnings_said(size_t(luaL_checkinteger(L, 1))),
             [&](auto& line) { lua_pushlstring(L, line.data(), line.size()); });
  return 1;
}

int nearest_name(lua_State* L) {
  std::vector<std::string> names;
  each_element(L, 2, [&](int at, lua_Integer) {
    names.emplace_back(luaL_tolstring(L, at, nullptr));
    lua_pop(L, 1);
  });
  return lua_pushstring(L, nearest(luaL_checkstring(L, 1), names).c_str()), 1;
}

int json_encode(lua_State* L) {
  const std::string text = io::to_json(to_item(L, 1));
  return lua_pushlstring(L, text.data(), text.size()), 1;
}
int crc32c_of(lua_State* L) {
  size_t n = 0;
  const char* text = luaL_checklstring(L, 1, &n);
  return lua_pushinteger(L, crc32c({text, n})), 1;
}
// place(module, name, tensor): puts a tensor, which may be the result of others, into the place of a parameter or
// buffer; without a tensor the place becomes empty.
int place(lua_State* L) {
  nn::ModuleRef m = check_module(L, 1);
  const std::string name = luaL_checkstring(L, 2);
  const Tensor* given = to_tensor(L, 3);
  const Tensor value = given ? *given : Tensor();
  if (auto* p = m->find_parameter(name))
    p->value = value;
  else if (auto* b = m->find_buffer(name))
    b->value = value;
  else
    throw Error("{} has no place '{}'", m->type(), name);
  return 0;
}
// visible(text): with what a terminal would obey as escapes.
int visible_text(lua_State* L) {
  size_t n;
  const char* text = luaL_checklstring(L, 1, &n);
  const std::string shown = visible({text, n});
  return lua_pushlstring(L, shown.data(), shown.size()), 1;
}
// foreign(text [, most]): the text in one line, of at most `most` characters, and what a terminal would obey as
// escapes.
int foreign_text(lua_State* L) {
  size_t n;
  const char* text = luaL_checklstring(L, 1, &n);
  const std::string shown = foreign({text, n}, size_t(luaL_optinteger(L, 2, LUA_MAXINTEGER)));
  return lua_pushlstring(L, shown.data(), shown.size()), 1;
}
// document(value, text): the help of a value that the library makes.
int document_value(lua_State* L) {
  luaL_checkany(L, 1);
  luaL_checkstring(L, 2);
  return document(L, 1, 2), 0;
}
int json_decode(lua_State* L) {
  size_t n;
  const char* text = luaL_checklstring(L, 1, &n);
  return push_item(L, io::from_json({text, n})), 1;
}
// tokens(text): the kinds of the tokens of a chunk, their texts and their lines, three lists. Kinds: "name", "word" (of
// Lua), "number", "string", "op". Comments are left out.
int tokens_of(lua_State* L) {
  constexpr const char* kinds[] = {"name", "word", "word", "number", "string", nullptr, "op", "op"};
  size_t n;
  const char* text = luaL_checklstring(L, 1, &n);
  auto tokens = lua_tokens({text, n});
  std::erase_if(tokens, [](const LuaToken& t) { return t.kind == LuaToken::Kind::comment; });
  push_items(L, tokens, [&](const LuaToken& t) { lua_pushstring(L, kinds[size_t(t.kind)]); });
  push_items(L, tokens, [&](const LuaToken& t) { lua_pushlstring(L, text + t.begin, t.end - t.begin); });
  size_t at = 0;
  lua_Integer line = 1;
  push_items(L, tokens, [&](const LuaToken& t) {
    line += std::count(text + at, text + t.begin, '\n');
    at = t.begin;
    lua_pushinteger(L, line);
  });
  return 3;
}

int save_rotating(lua_State* L) { return io::save_rotating(to_item(L, 1), luaL_checkstring(L, 2)), 0; }

constexpr luaL_Reg functions[] = {
    {"fail", fail},
    {"code", guarded<code_of>},
    {"traceback", guarded<traceback_text>},
    {"interrupted", guarded<is_interrupted>},
    {"are_on", guarded<are_on>},
    {"defer_interrupts", guarded<defer>},
    {"mkdirs", guarded<make_folders>},
    {"temporary_folder", guarded<temporary_folder>},
    {"exists", guarded<exists>},
    {"lock", guarded<lock_file>},
    {"holds", guarded<holds_lock>},
    {"replace", guarded<replace>},
    {"read", guarded<read_file>},
    {"entries", guarded<entries>},
    {"is_link", guarded<link_there>},
    {"is_file", guarded<file_there>},
    {"append", guarded<append>},
    {"described_well", guarded<is_described_well>},
    {"whole", guarded<is_whole>},
    {"metadata", guarded<metadata_of>},
    {"save", guarded<save_with>},
    {"kind", guarded<kind>},
    {"class_of", guarded<class_of>},
    {"is_tty", guarded<is_terminal>},
    {"ask_terminal", guarded<ask_terminal>},
    {"visible", guarded<visible_text>},
    {"foreign", guarded<foreign_text>},
    {"columns", guarded<terminal_columns>},
    {"now", guarded<now>},
    {"share_dir", guarded<share>},
    {"choose_device", guarded<pick_device>},
    {"version", guarded<version_text>},
    {"build", guarded<build_facts>},
    {"cpu_isa", guarded<instruction_set>},
    {"warnings", guarded<warnings_text>},
    {"nearest", guarded<nearest_name>},
    {"place", guarded<place>},
    {"document", guarded<document_value>},
    {"crc32c", guarded<crc32c_of>},
    {"json_encode", guarded<json_encode>},
    {"json_decode", guarded<json_decode>},
    {"tokens", guarded<tokens_of>},
    {"save_rotating", guarded<save_rotating>},
    {"run", guarded<run_process>},
    {"start", guarded<start_process>},
    {"wait", guarded<wait_process>},
    {"profile_start", guarded<profile_start>},
    {"profile_stop", guarded<profile_stop>},
    {"profile_begin", guarded<profile_begin>},
    {"profile_end", guarded<profile_end>},
    {"signal", guarded<signal_process>},
    {"program", guarded<program_path>},
    {"process", guarded<process_number>},
    {"counted", guarded<counted_call>},
    {"counted_all", guarded<counted_all>},
    {"hook_lines", guarded<hook_lines>},
    {"running", guarded<running_threads>},
    {"compiler", guarded<compiler_name>},
    {"matching", guarded<matching_names>},
    {nullptr, nullptr},
};

void open_native(lua_State* L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "luth.native");
}
const Open opener("luth.native", Open::extras, open_native);

}  // namespace
}  // namespace luth::lang
