// Memory on more streams than one.
#pragma once
#include "core/tensor/tensor.h"

namespace luth {

/// Says that work uses `t` which is about to be given to its device's current stream: if that is not the stream of its
/// memory, the memory is not handed out again before the work is done, whenever the tensor goes. So a backward pass
/// that runs in another stream than the forward one, or a result that is read in another, needs no record_stream().
inline void record_current_stream(const Tensor& t) {
  Storage& s = *t.storage();
  Stream* now = s.device().current_stream();
  if (now != s.stream() && s.data()) s.device().record_stream(s.data(), now);
}

}  // namespace luth
