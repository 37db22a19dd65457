// Device libraries: found along LUTH_DEVICE_PATH, opened on first use, refused with a reason. The libraries are in
// tests/devices.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "core/op/op.h"
#include "core/ops/elementwise/copy.h"
#include "core/ops/elementwise/unary.h"

namespace {

using luth::Tensor;

void with_path() { setenv("LUTH_DEVICE_PATH", "/nowhere:" LUTH_BINARY_DIR "/lib-test", 1); }

std::string refusal(const std::string& name) {
  try {
    luth::device(name);
  } catch (const luth::Error& error) { return error.what(); }
  return "";
}

TEST(DeviceLibrary, OpensOnFirstUse) {
  with_path();
  luth::Device& tiny = luth::device("tiny:1");
  EXPECT_EQ(tiny.name(), "tiny:1");
  EXPECT_EQ(&luth::device("tiny:1"), &tiny);
  EXPECT_NE(&luth::device("tiny"), &tiny);
  EXPECT_NE(refusal("tiny:2").find("there is tiny:0 to tiny:1"), std::string::npos) << refusal("tiny:2");
}

TEST(DeviceLibrary, MovesTensorsAndRunsItsKernels) {
  with_path();
  luth::Device& tiny = luth::device("tiny");
  const float values[] = {1, -2, 3};
  Tensor here = Tensor::from({3}, values), there = luth::to_device(here, {.device = &tiny});
  EXPECT_EQ(&there.device(), &tiny);
  EXPECT_GT(tiny.memory().allocated, 0);
  Tensor back = luth::to_device(luth::neg(there), {.device = &luth::host()});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(back.data<float>()[i], -values[i]);
  Tensor second = luth::to_device(there, {.device = &luth::device("tiny:1")});
  EXPECT_EQ(luth::to_device(second, {.device = &luth::host()}).data<float>()[2], 3);
}

TEST(DeviceLibrary, SaysWhichKernelIsMissing) {
  with_path();
  Tensor t = Tensor::empty({2}, luth::Dtype::f32, luth::device("tiny"));
  try {
    luth::sqrt(t);
    FAIL() << "tiny has no sqrt";
  } catch (const luth::Error& error) {
    std::string what = error.what();
    EXPECT_NE(what.find("sqrt"), std::string::npos) << what;
    EXPECT_NE(what.find("tiny"), std::string::npos) << what;
  }
  EXPECT_EQ(t.numel(), 2);
}

TEST(DeviceLibrary, RefusesAnotherAbi) {
  with_path();
  std::string why = refusal("tiny_old");
  EXPECT_NE(why.find("ABI"), std::string::npos) << why;
  EXPECT_NE(why.find("install matching versions"), std::string::npos) << why;
}

TEST(DeviceLibrary, RefusesWhatIsNoLibrary) {
  std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/libluth_broken.so") << "not a library";
  setenv("LUTH_DEVICE_PATH", folder.c_str(), 1);
  EXPECT_NE(refusal("broken").find("libluth_broken.so"), std::string::npos) << refusal("broken");
  EXPECT_NE(refusal("absent").find("no libluth_absent.so"), std::string::npos) << refusal("absent");
  EXPECT_NE(refusal("../escape").find("is no device"), std::string::npos);
  with_path();
}

}  // namespace
