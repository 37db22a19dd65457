// A cache of calls. x:transpose(1, 2) in a loop has the same attributes each time, and reading them takes longer than
// making the view. So the attributes of recent calls are kept, a few per thread.
#pragma once
#include <array>

#include "lang/binding/bind.h"

namespace luth::lang {

/// The key of a call whose arguments are tensors, then numbers and booleans: the function, the number of tensors, and
/// the other values. The overload and its attributes depend on these alone.
struct CallKey {
  static constexpr int most = 6;  // numbers and booleans
  const Function* function = nullptr;
  int tensors = 0, others = 0;
  std::array<int8_t, most> kinds;   // of the others: a boolean, an integer, or a float
  std::array<uint64_t, most> bits;  // their values
  bool operator==(const CallKey& o) const {
    if (function != o.function || tensors != o.tensors || others != o.others) return false;
    for (size_t i = 0; i < size_t(others); ++i)
      if (kinds[i] != o.kinds[i] || bits[i] != o.bits[i]) return false;
    return true;
  }
};
/// Returns false for a call that has other arguments, or only tensors.
bool read_key(lua_State* L, const Function& function, int n, CallKey& key);

/// A call that was read before.
struct CachedCall {
  CallKey key;
  const Overload* overload = nullptr;
  OpValue op;
  int users = 0;  // running calls that use it: it must not be replaced
};
/// Null where there is none.
CachedCall* find_cached_call(const CallKey& key);
/// Keeps the attributes `op` for calls with the same key.
void cache_call(const CallKey& key, const Overload& overload, const OpValue& op);

}  // namespace luth::lang
