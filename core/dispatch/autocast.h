// Mixed precision: inside a scope, operators that gain from a 16-bit float dtype compute in it, and those that need
// range or precision in float32. What an operator wants is a fact of it (Traits::autocast), as PyTorch has it for CUDA,
// on every device. Per thread.
#pragma once
#include "core/op/op.h"

namespace luth {

/// Whether autocast is on for a kind of device ("cpu", "cuda"), and in which dtype.
bool autocast_enabled(std::string_view kind);
Dtype autocast_dtype(std::string_view kind);
/// Whether it is on for any.
bool autocast_enabled();
bool autocast_cache_enabled();
/// Forgets the weights that were cast so far; the end of the outermost scope does that too.
void clear_autocast_cache();

/// What a scope sets, and brings back at its end.
struct AutocastMode {
  int slot = 0;  // of the kind of device
  bool enabled = false;
  Dtype dtype = Dtype::bf16;
  bool cache = true;  // weights (leaves that require grad) are cast once until the outermost scope ends
  bool acting = false;
};
/// Begins a scope; returns what leave_autocast() wants. Throws for a dtype other than bfloat16 and float16.
AutocastMode enter_autocast(std::string_view kind, Dtype dtype, bool enabled, bool cache);
void leave_autocast(const AutocastMode& before);

class Autocasting {
 public:
  explicit Autocasting(std::string_view kind, Dtype dtype = Dtype::bf16, bool enabled = true, bool cache = true)
      : before_(enter_autocast(kind, dtype, enabled, cache)) {}
  ~Autocasting() { leave_autocast(before_); }
  Autocasting(const Autocasting&) = delete;

 private:
  AutocastMode before_;
};

// ---- for apply() and backward
// ----------------------------------------------------------------------------------------

namespace detail {
extern constinit thread_local bool autocast_acts;
}
/// True where a call must be looked at. The one test that calls outside of all scopes pay for.
inline bool autocast_acts() { return detail::autocast_acts; }
/// Inside an operator, and inside backward, types are what they are.
class NoAutocast {
 public:
  NoAutocast() : before_(std::exchange(detail::autocast_acts, false)) {}
  ~NoAutocast() { detail::autocast_acts = before_; }
  NoAutocast(const NoAutocast&) = delete;

 private:
  bool before_;
};
/// Casts the inputs as the operator wants them. Float64 and integers stay as they are.
void autocast_inputs(const OpInfo& info, Inputs& in);

}  // namespace luth
