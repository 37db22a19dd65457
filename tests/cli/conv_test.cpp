// Convolutions by the code that oneDNN has for older processors; which one is settled when a process first computes.
#include <gtest/gtest.h>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

// oneDNN 2.6.3 writes past the scratch memory that it asked for.
TEST(Conv, StridedFilterGradientsOfFewChannelsStayInTheirMemory) {
  Result r = run({"-"}, {.in = R"lua(
    for _, channels in ipairs { 1, 3, 6 } do
      local x = torch.randn(4, channels, 24, 24, { requires_grad = true })
      local w = torch.randn(16, channels, 1, 1, { requires_grad = true })
      for i = 1, 3 do torch.conv2d(x, w, nil, { stride = 2 }):sum():backward() end
    end
  )lua",
                         .env = {{"ONEDNN_MAX_CPU_ISA", "AVX2"}}});
  EXPECT_EQ(r.code, 0) << r.err;
}

}  // namespace
}  // namespace luth::testing
