#include "lang/runtime/bridge.h"

#include <new>
#include <stdexcept>
#include <string>

#include "core/base/paths.h"
#include "lang/runtime/state.h"

namespace luth::lang {
namespace {

std::string (*error_location)() = nullptr;
constexpr const char* no_memory = "not enough memory";  // Lua's own words

// The name by which Lua code calls the function that runs, or "".
std::string called_name(lua_State* L) {
  lua_Debug ar;
  if (!lua_getstack(L, 0, &ar) || !lua_getinfo(L, "n", &ar) || !ar.name) return "";
  return std::string_view(ar.namewhat) == "metamethod" ? "" : ar.name;
}

}  // namespace

// Never throws: an empty text stands for "no memory, not even for the text".
void detail::note(lua_State* L, const std::exception& e) {
  auto& last = StateData::of(L).last_error;
  try {
    auto* ours = dynamic_cast<const Error*>(&e);
    // a length_error is of a size that no memory holds
    const bool memory = dynamic_cast<const std::bad_alloc*>(&e) || dynamic_cast<const std::length_error*>(&e);
    last.code = ours ? ours->code() : memory ? ErrorCode::memory : ErrorCode::runtime;
    last.text = memory ? no_memory : e.what();
    if (last.text.starts_with("expects "))  // an argument of a function that is no operator
      if (std::string name = called_name(L); !name.empty()) last.text = name + ": " + last.text;
    if (ours && !ours->has_module() && error_location) last.text += error_location();
  } catch (const std::bad_alloc&) {
    last.code = ErrorCode::memory;
    last.text.clear();
  }
}

// Nothing here has a destructor: strings belong to Lua.
void detail::raise(lua_State* L, bool with_position) {
  auto& last = StateData::of(L).last_error;
  luaL_checkstack(L, 4, nullptr);
  if (with_position)
    push_where(L);
  else
    lua_pushliteral(L, "");
  if (last.text.empty())
    lua_pushstring(L, no_memory);
  else
    lua_pushlstring(L, last.text.data(), last.text.size());
  lua_concat(L, 2);
  lua_error(L);
  __builtin_unreachable();
}

void raise(lua_State* L, ErrorCode code, std::string_view text, bool with_position) {
  auto& last = StateData::of(L).last_error;
  try {
    last.code = code;
    last.text = text;
  } catch (const std::bad_alloc&) { last.text.clear(); }
  detail::raise(L, with_position);
}

ErrorCode error_code(lua_State* L, std::string_view text) {
  auto& last = StateData::of(L).last_error;
  if (!last.text.empty() && text.find(last.text) != std::string_view::npos) return last.code;
  return text.find(no_memory) != std::string_view::npos ? ErrorCode::memory : ErrorCode::runtime;
}

void set_error_location(std::string (*location)()) { error_location = location; }

bool is_own_code(const lua_Debug& ar) {
  static const std::string own = "@" + share_dir() + "/luth/";
  return std::string_view(ar.source, ar.srclen).starts_with(own);
}

void push_where(lua_State* L) {
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar); ++level) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline > 0 && !is_own_code(ar)) {
      lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
}

}  // namespace luth::lang
