// torch.save and torch.load.
#include <cstring>

#include "core/io/files.h"
#include "lang/library/lua_tree.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/values/named_arguments.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

// The system would end the path at its first zero byte, and so take another file.
const char* check_path(lua_State* L, int index, const char* function) {
  size_t bytes = 0;
  const char* path = lua_tolstring(L, index, &bytes);
  if (std::strlen(path) != bytes) throw Error("{}: the path has a zero byte, after '{}'", function, path);
  return path;
}

// PyTorch's order is (value, path); Torch7's (path, value) is taken too. Two strings: the second is the path.
int save(lua_State* L) {
  if (lua_gettop(L) != 2) throw Error("torch.save: expects a value and a path, got {} arguments", lua_gettop(L));
  int path = lua_type(L, 2) == LUA_TSTRING ? 2 : 1;
  if (lua_type(L, path) != LUA_TSTRING) throw Error("torch.save: expects a path, got {}", given_text(L, 2));
  const char* name = check_path(L, path, "torch.save");
  io::save(to_item(L, 3 - path), name);
  return 0;
}

// What a file describes and cannot be is the file's fault: the error names it and has its code.
[[noreturn]] void blame(const char* path, std::string_view why) {
  throw Error(ErrorCode::checkpoint, "cannot use '{}': {}", path, why);
}
bool may_be_the_files(ErrorCode code) {
  return code == ErrorCode::runtime || code == ErrorCode::usage || code == ErrorCode::checkpoint;
}

io::Item read(const char* path, const io::LoadOptions& how) {
  try {
    return io::load(path, how);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::checkpoint || !may_be_the_files(e.code())) throw;
    blame(path, e.what());
  }
}

int push_tree(lua_State* L) {
  push_item(L, *static_cast<const io::Item*>(lua_touserdata(L, 1)));
  return 1;
}
// Objects are made by Lua too, whose errors have no code.
void push_of_file(lua_State* L, const io::Item& item, const char* path) {
  lua_pushcfunction(L, guarded<push_tree>);
  lua_pushlightuserdata(L, const_cast<io::Item*>(&item));
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return;
  if (lua_type(L, -1) != LUA_TSTRING || !may_be_the_files(error_code(L, lua_tostring(L, -1)))) lua_error(L);
  push_where(L);
  std::string_view why = lua_tostring(L, -2), where = lua_tostring(L, -1);
  if (why.starts_with(where)) why.remove_prefix(where.size());
  blame(path, why);
}

int load(lua_State* L) {
  if (lua_type(L, 1) != LUA_TSTRING) throw Error("torch.load: expects a path, got {}", given_text(L, 1));
  const bool by_position = !lua_isnoneornil(L, 2) && !lua_istable(L, 2);
  if (lua_isnil(L, 2)) lua_remove(L, 2);  // no map_location
  NamedArguments options(L, by_position ? 3 : 2, "torch.load");
  io::LoadOptions how;
  if (by_position) how.map_location = &check_device(L, 2);
  if (int i = options.get("map_location")) how.map_location = &check_device(L, i);
  options.flag("weights_only", true);  // nothing is executed either way
  how.mmap = options.flag("mmap", false);
  how.trusted = options.flag("trusted", false);
  const bool bounded = options.get("max_bytes") != 0;
  const int64_t most = options.integer("max_bytes", 0);
  if (most < int64_t(bounded)) throw Error("torch.load: argument 'max_bytes' is a number of bytes, got {}", most);
  how.max_bytes = uint64_t(most);
  options.done();
  const char* path = check_path(L, 1, "torch.load");
  push_of_file(L, read(path, how), path);
  return 1;
}

constexpr Row rows[] = {
    {"save", guarded<save>, "torch.save(value, path)",
     "Writes a tensor, number, string, boolean, state dict or nested table into a file. If it fails, the old file is "
     "unchanged."},
    {"load", guarded<load>,
     "torch.load(path, map_location = nil, {weights_only = true, mmap = false, trusted = false, max_bytes = nil})",
     "Reads a file that torch.save or h5py has written, .safetensors, .npy, .npz, or PyTorch's .pth (tensors, plain "
     "values and state dicts). Nothing in it is executed, with or without weights_only. HDF5 files of others are "
     "parsed by a process that can do nothing else; trusted = true parses them in this one. max_bytes bounds what a "
     "file may become in memory. mmap = true leaves the elements of a .safetensors file on the disk until they are "
     "used: nobody may shorten or write the file meanwhile. What is written to such a tensor stays in this process."},
};

void open_files(lua_State* L) {
  lua_getglobal(L, "torch");
  add_functions(L, lua_gettop(L), rows);
}
const Open opener("torch.files", Open::tables + 1, open_files);

}  // namespace
}  // namespace luth::lang
