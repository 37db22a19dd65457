// Nearest names.
#include "core/base/text.h"

#include <gtest/gtest.h>

#include <vector>

namespace luth {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("train", "trian"), 1) << "a swap is one";
  EXPECT_EQ(edit_distance("Linear", "linear"), 0);
}

TEST(Nearest, OffersWhatIsNear) {
  const std::vector<std::string> names{"train", "eval", "bench", "kernel_size", "dim", "keepdim"};
  EXPECT_EQ(nearest("trian", names), "train");
  EXPECT_EQ(nearest("evl", names), "eval");
  EXPECT_EQ(nearest("kernelsize", names), "kernel_size");
  EXPECT_EQ(nearest("keep_dim", names), "keepdim");
  EXPECT_EQ(nearest("TRAIN", names), "train");
  EXPECT_EQ(nearest("something", names), "");
  EXPECT_EQ(nearest("x", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("train", std::vector<std::string>{}), "");
  EXPECT_EQ(did_you_mean("trian", names), "; did you mean 'train'?");
  EXPECT_EQ(did_you_mean("zzz", names), "");
  EXPECT_EQ(nearest("kepdm", names), "");
  EXPECT_EQ(did_you_mean("kepdm", names), "; did you mean 'keepdim'?") << "letters left out";
}

}  // namespace
}  // namespace luth
