// Images, sequences and volumes as planes, for the pooling kernels: parallel by planes or by blocks of channels. For
// pool.cpp and pool_mean.cpp.
#pragma once
#include <algorithm>

#include "core/base/threads.h"
#include "core/op/memory_order.h"
#include "core/ops/window/pool.h"

namespace luth::cpu {

inline constexpr int64_t range_elements = 32768;  // about what one range of parallel_for reads

/// Planes of d x h x w elements, one for each channel of each sample: `count` of them, `channels` to a sample.
struct Planes {
  int64_t count, channels, d, h, w;
  int64_t area() const { return d * h * w; }
};
/// The planes of t, with other spatial extents.
inline Planes planes(const Tensor& t, const Ints& extents) {
  const int dims = extents.size(), lead = t.dim() - dims;
  auto extent = [&](int from_last) { return from_last <= dims ? extents[dims - from_last] : 1; };
  const int64_t c = t.shape()[lead - 1];
  return {(lead == 2 ? t.shape()[0] : 1) * c, c, extent(3), extent(2), extent(1)};
}
/// Whether the kernels compute t, a result, in NHWC memory.
inline bool channels_last(const ops::PoolWindows& w, const Tensor& t) { return w.dims() == 2 && only_channels_last(t); }

// NC…: f(begin, end) for ranges of planes.
template <class F>
void each_plane(const Planes& p, F&& f) {
  parallel_for(p.count, std::max<int64_t>(1, range_elements / std::max<int64_t>(1, p.area())), f);
}
// NHWC: f(sample, first channel, channels) in blocks of channels.
template <class F>
void each_block(const Planes& p, F&& f) {
  constexpr int64_t block = 64;
  int64_t samples = p.count / p.channels, blocks = (p.channels + block - 1) / block;
  int64_t grain = std::max<int64_t>(1, range_elements / (p.area() * std::min(block, p.channels)));
  parallel_for(samples * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t c = i % blocks * block;
      f(i / blocks, c, std::min(block, p.channels - c));
    }
  });
}

}  // namespace luth::cpu
