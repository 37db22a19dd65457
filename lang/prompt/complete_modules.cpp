#include "lang/prompt/complete_modules.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "core/base/paths.h"

namespace luth::lang {
namespace {

namespace fs = std::filesystem;
constexpr size_t most_modules = 1000;

bool is_part(std::string_view s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return isalnum(c) || c == '_' || c == '-'; });
}

std::vector<fs::directory_entry> entries_of(const std::string& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> list;
  for (auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error))
    if (list.push_back(entry); list.size() >= most_modules) break;
  return list;
}

// The parts of "a.b.c" but the last as a folder, "a/b/", and the last.
std::pair<std::string, std::string> divided(const std::string& typed) {
  const size_t dot = typed.rfind('.');
  if (dot == typed.npos) return {"", typed};
  std::string folder = typed.substr(0, dot + 1);
  std::replace(folder.begin(), folder.end(), '.', '/');
  return {folder, typed.substr(dot + 1)};
}

// Modules of one template, "./?.lua" or "/usr/share/lua/5.4/?/init.lua".
void add_files_of(const std::string& path, const std::string& typed, std::vector<std::string>& names) {
  const size_t mark = path.find('?');
  if (mark == path.npos || path.find('?', mark + 1) != path.npos) return;
  const auto [folder, last] = divided(typed);
  const std::string start = typed.substr(0, typed.size() - last.size()), end = path.substr(mark + 1);
  std::error_code error;
  for (auto& entry : entries_of(path.substr(0, mark) + folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(last)) continue;
    if (const bool in_folder = end.starts_with('/'); in_folder && is_part(file)) {
      if (fs::is_regular_file(entry.path().string() + end, error)) names.push_back(start + file);
    } else if (!in_folder && entry.is_directory(error) && is_part(file)) {
      for (auto& inner : entries_of(entry.path().string()))
        if (const std::string name = inner.path().filename().string(); name.ends_with(end) && name != "init" + end) {
          names.push_back(start + file + ".");
          break;
        }
    } else if (!in_folder && file.size() > end.size() && file.ends_with(end)) {
      const std::string name = file.substr(0, file.size() - end.size());
      if (is_part(name)) names.push_back(start + name);
    }
  }
}

// Keys of the registry's table: what require has read, or preloaded ones. luth's own are no script's business.
void add_known(lua_State* L, const char* table, const std::string& typed, std::vector<std::string>& names) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, table);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const std::string name = lua_tostring(L, -2);
    if (name.starts_with(typed) && !name.starts_with("luth.") && !name.starts_with("torch.") && name != "_G")
      names.push_back(name);
  }
  lua_pop(L, 1);
}

}  // namespace

void add_modules(lua_State* L, const std::string& typed, std::vector<std::string>& names) {
  add_known(L, LUA_LOADED_TABLE, typed, names);
  add_known(L, LUA_PRELOAD_TABLE, typed, names);
  std::string paths;
  if (lua_getglobal(L, "package") == LUA_TTABLE) {
    lua_pushliteral(L, "path");
    lua_rawget(L, -2);
    if (lua_type(L, -1) == LUA_TSTRING) paths = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  for (size_t from = 0; from < paths.size();) {
    const size_t end = std::min(paths.find(';', from), paths.size());
    add_files_of(paths.substr(from, end - from), typed, names);
    from = end + 1;
  }
  if (typed.starts_with("models."))
    add_files_of(share_dir() + "/?.lua", typed, names);
  else if (std::string_view("models").starts_with(typed))
    names.emplace_back("models");
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace luth::lang
