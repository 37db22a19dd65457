#include "core/dispatch/autocast.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/autograd/autograd.h"
#include "core/base/per_thread.h"

namespace luth {

constinit thread_local bool detail::autocast_acts = false;

namespace {

struct Kind {
  bool enabled = false;
  Dtype dtype = Dtype::bf16;
};
/// A weight that was cast: good while the weight was not written, and cast with the same grad mode.
struct Cached {
  Tensor weight, cast;
  uint32_t version;
};
struct State {
  std::array<Kind, max_kinds> kinds{};
  bool cache = true;
  int depth = 0;  // scopes that are open
  std::unordered_map<const TensorImpl*, Cached> casts;
};
State& state() {
  static constinit thread_local PerThread<State> s;
  return *s;
}

bool any_enabled(const State& s) {
  return std::any_of(s.kinds.begin(), s.kinds.end(), [](const Kind& k) { return k.enabled; });
}

bool is_weight(const Tensor& t) {
  return t.dtype() == Dtype::f32 && t.requires_grad() && !t.impl()->view && t.is_leaf();
}

Tensor cast_once(const Tensor& t, Dtype to) {
  State& s = state();
  if (!s.cache || to == Dtype::f32 || !is_weight(t)) return cast_to(t, to);
  Cached& c = s.casts[t.impl()];
  if (!c.cast || c.version != t.version() || c.cast.dtype() != to || c.cast.requires_grad() != grad_enabled())
    c = {t, cast_to(t, to), t.version()};
  return c.cast;
}

// The dtype that autocast has for the tensor's device, where it is on and the tensor takes part.
const Kind* kind_for(const Value& v) {
  if (!v.is_tensor() || !is_floating(v.dtype()) || v.dtype() == Dtype::f64) return nullptr;
  const Kind& k = state().kinds[size_t(v.tensor().device().slot())];
  return k.enabled ? &k : nullptr;
}

bool takes_f32(const Inputs& in) {
  return std::any_of(in.begin(), in.end(), [](const Value& v) { return kind_for(v) && v.dtype() == Dtype::f32; });
}

}  // namespace

bool autocast_enabled(std::string_view kind) { return state().kinds[size_t(kind_slot(kind))].enabled; }
Dtype autocast_dtype(std::string_view kind) { return state().kinds[size_t(kind_slot(kind))].dtype; }
bool autocast_enabled() { return any_enabled(state()); }
bool autocast_cache_enabled() { return state().cache; }
void clear_autocast_cache() { state().casts.clear(); }

AutocastMode enter_autocast(std::string_view kind, Dtype dtype, bool enabled, bool cache) {
  if (dtype != Dtype::bf16 && dtype != Dtype::f16)
    throw Error("autocast computes in torch.bfloat16 or torch.float16, got {}", name(dtype));
  State& s = state();
  const int slot = kind_slot(kind);
  Kind& k = s.kinds[size_t(slot)];
  const AutocastMode before{slot, k.enabled, k.dtype, s.cache, detail::autocast_acts};
  k = {enabled, dtype};
  s.cache = cache;
  ++s.depth;
  detail::autocast_acts = any_enabled(s);
  return before;
}

void leave_autocast(const AutocastMode& before) {
  State& s = state();
  s.kinds[size_t(before.slot)] = {before.enabled, before.dtype};
  s.cache = before.cache;
  detail::autocast_acts = before.acting;
  if (--s.depth == 0) s.casts.clear();
}

void autocast_inputs(const OpInfo& info, Inputs& in) {
  const Autocast how = info.traits.autocast;
  if (how == Autocast::none) return;
  const bool to_f32 = how == Autocast::f32 || (how == Autocast::widest && takes_f32(in));
  for (auto& v : in) {
    const Kind* k = kind_for(v);
    if (!k) continue;
    if (how == Autocast::refused) {
      if (v.dtype() == Dtype::f32) continue;
      throw Error(
          "is unsafe in {} under autocast: take {}_with_logits on the values before sigmoid, or call this outside "
          "autocast on float32",
          name(v.dtype()), info.lua_name);
    }
    const Dtype to = to_f32 ? Dtype::f32 : k->dtype;
    if (v.dtype() != to) v = cast_once(v.tensor(), to);
  }
}

}  // namespace luth
