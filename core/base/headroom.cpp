#include "core/base/headroom.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>
#include <utility>

namespace luth {

Headroom::Headroom() {
  constexpr size_t piece = 64 << 10;  // larger ones malloc maps outside of its heap
  void* pieces[33];
  for (auto& p : pieces) p = std::malloc(piece);
  const bool all = std::find(std::begin(pieces), std::end(pieces), nullptr) == std::end(pieces);
  auto& highest = *std::max_element(std::begin(pieces), std::end(pieces));
  above_ = std::exchange(highest, nullptr);
  for (auto& p : pieces) std::free(p);
  if (all) return;
  std::free(above_);
  throw std::bad_alloc();
}
Headroom::~Headroom() { std::free(above_); }

}  // namespace luth
