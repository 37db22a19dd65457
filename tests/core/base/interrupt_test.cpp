// Work that is not divided among threads asks whether the user wants to stop.
#include "core/base/interrupt.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/ops/index/sort.h"
#include "core/ops/random/random.h"

namespace luth {
namespace {

struct Stop {};

TEST(Interrupt, ASortOfOneRowStops) {
  const Tensor x = rand({1 << 20});
  set_interrupt_hook([] { throw Stop(); });
  set_interrupt_time(1);
  EXPECT_THROW(sort(x), Stop);
  set_interrupt_time(0);
  EXPECT_NO_THROW(sort(x));
  set_interrupt_hook(nullptr);
}

}  // namespace
}  // namespace luth
