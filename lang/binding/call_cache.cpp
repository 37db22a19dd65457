#include "lang/binding/call_cache.h"

#include <cstring>

#include "core/base/per_thread.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

enum Kind : int8_t { boolean = 1, integer, floating };

// Direct-mapped, one cache per thread, because `users` is no atomic.
constexpr size_t slots = 64;
CachedCall& slot_of(const CallKey& key) {
  static constinit thread_local PerThread<std::array<CachedCall, slots>> cache;
  uint64_t h = reinterpret_cast<uintptr_t>(key.function) >> 4 ^ uint64_t(key.tensors) << 7;
  for (int i = 0; i < key.others; ++i) h = (h ^ key.bits[size_t(i)] ^ key.bits[size_t(i)] >> 52) * 0x9E3779B97F4A7C15u;
  return (*cache)[h >> 58];
}
static_assert(slots == 1 << (64 - 58));

}  // namespace

bool read_key(lua_State* L, const Function& function, int n, CallKey& key) {
  int k = 0;
  for (const Tensor* t; k < n && (t = to_tensor(L, k + 1)); ++k)
    if (!*t) return false;
  if (k == n || n - k > CallKey::most) return false;
  key.function = &function;
  key.tensors = k;
  key.others = n - k;
  for (int i = 0; i < n - k; ++i) {
    const int at = k + i + 1, type = lua_type(L, at);
    auto set = [&](Kind kind, auto v) {
      key.kinds[size_t(i)] = kind;
      static_assert(sizeof v == sizeof(uint64_t));
      std::memcpy(&key.bits[size_t(i)], &v, sizeof v);
    };
    if (type == LUA_TBOOLEAN)
      set(boolean, int64_t(lua_toboolean(L, at)));
    else if (type != LUA_TNUMBER)
      return false;
    else if (lua_isinteger(L, at))
      set(integer, lua_tointeger(L, at));
    else
      set(floating, lua_tonumber(L, at));
  }
  return true;
}

CachedCall* find_cached_call(const CallKey& key) {
  CachedCall& r = slot_of(key);
  return r.overload && r.key == key ? &r : nullptr;
}

void cache_call(const CallKey& key, const Overload& overload, const OpValue& op) {
  CachedCall& r = slot_of(key);
  if (r.users) return;
  r.op = op;  // first: it may throw
  r.key = key;
  r.overload = &overload;
}

}  // namespace luth::lang
