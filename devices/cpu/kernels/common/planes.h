// Images as planes, for the pooling kernels: parallel by planes or by blocks of channels. For pool.cpp and
// pool_mean.cpp.
#pragma once
#include <algorithm>

#include "core/base/threads.h"
#include "core/op/memory_order.h"

namespace luth::cpu {

inline constexpr int64_t range_elements = 32768;  // what one range of parallel_for reads, about

/// Images as planes: `count` of them (samples times channels, NCHW), or samples of `channels` (NHWC).
struct Planes {
  int64_t count, channels, h, w;
  int64_t area() const { return h * w; }
};
inline Planes planes(const Tensor& t) {
  int d = t.dim();
  int64_t h = t.shape()[d - 2], w = t.shape()[d - 1], c = t.shape()[d - 3];
  return {(d == 4 ? t.shape()[0] : 1) * c, c, h, w};
}
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
