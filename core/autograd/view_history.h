// The history of views: made anew from the base's after a write, and rewritten by writes through them. Internal to
// autograd and apply().
#pragma once
#include "core/autograd/autograd.h"

namespace luth {

/// A view whose memory was written since its history was made takes it from the base again.
void refresh_view(const Tensor& t);
inline void refresh(const Tensor& t) {
  if (t.impl()->view) refresh_view(t);
}

/// Results that are views of the first input, made while nothing was recorded, become like those of record_view: writes
/// into them are recorded. Call it before Recording::finish.
void mark_parts(const Call& call);

/// Notes that `write`, a CallNode, has written into the view `t`: a new history for the base, and t's from that.
void record_write(const Tensor& t, Ref<Node> write);

}  // namespace luth
