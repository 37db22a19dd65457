// The examples in scripts/ run as they are, a few steps each.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

const std::string scripts = LUTH_SOURCE_DIR "/scripts/";

TEST(Scripts, LinearRegression) {
  EXPECT_EQ(run({scripts + "linear_regression.lua", "3"}).code, 0);
  Result r = run({scripts + "linear_regression.lua"});
  EXPECT_EQ(r.code, 0) << r.err;
  double slope = 0, offset = 0;
  EXPECT_EQ(std::sscanf(r.out.c_str(), "y = %lf x + %lf", &slope, &offset), 2) << r.out;
  EXPECT_NEAR(slope, 3, 0.1);
  EXPECT_NEAR(offset, 2, 0.1);
}

TEST(Scripts, LeNet) {
  TempDir dir;
  write_mnist(dir, "digits", 200, 28);
  Result r = run_in(dir, {scripts + "lenet.lua", "1", "2", "digits"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "epoch 1  loss ") && has(r.out, "test accuracy ")) << r.out;
  EXPECT_TRUE(std::filesystem::exists(dir / "lenet.h5"));
}

TEST(Scripts, Mnist) {
  TempDir dir;
  write_mnist(dir, "digits", 120, 28);
  Result r = run_in(dir, {"train", scripts + "mnist.lua", "--epochs", "1", "--root", "digits"});
  ASSERT_EQ(r.code, 0) << r.err;
  r = run_in(dir, {"eval", "runs/mnist-1/ckpt/last.h5"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "\naccuracy ")) << r.out;
}

}  // namespace
}  // namespace luth::testing
