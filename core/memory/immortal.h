// Attributes that live as long as the process: those that the language gives an operator whose call has none. A
// recorded call points to them, and copies any others.
#pragma once

namespace luth {

/// `op` will never be destroyed or changed.
void set_immortal(const void* op);
/// Whether that was said of `op`.
bool is_immortal(const void* op);

}  // namespace luth
