// Calls that come again: x:transpose(1, 2) in a loop has the same attributes each time, and reading them takes longer
// than a view of a small tensor. What earlier calls have read is kept, a few of them per thread. Part of the binder.
#pragma once
#include <array>

#include "lang/binding/bind.h"

namespace luth::lang {

/// What tells calls apart whose arguments are tensors, then numbers and booleans: the face, how many tensors, and what
/// each of the others is. Which form of a face fits depends on these alone.
struct CallKey {
  static constexpr int most = 6;  // of numbers and booleans
  const Face* face = nullptr;
  int tensors = 0, others = 0;
  std::array<int8_t, most> kinds{};   // of Lua's values: a boolean, an integer, a float
  std::array<uint64_t, most> bits{};  // their values
  bool operator==(const CallKey&) const = default;
};
/// False for a call with other arguments, or with none but tensors.
bool read_key(lua_State* L, const Face& face, int n, CallKey& key);

/// A call that came before: its form and its attributes, as they were read.
struct Repeated {
  CallKey key;
  const Form* form = nullptr;
  OpValue op;
  int running = 0;  // calls that use it now: it stays as it is
};
/// Null where there is none.
Repeated* find_repeated(const CallKey& key);
/// Keeps the attributes `op` for calls with the same key.
void keep_repeated(const CallKey& key, const Form& form, const OpValue& op);

}  // namespace luth::lang
