// Immortal attributes: the default attributes that a Lua call without arguments passes. They are never freed, so a
// recorded call keeps a pointer to them where it would copy others.
#pragma once

namespace luth {

/// Declares that `op` is never destroyed nor changed.
void set_immortal(const void* op);
/// Whether set_immortal(op) was called.
bool is_immortal(const void* op);

}  // namespace luth
