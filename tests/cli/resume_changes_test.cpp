// Runs that go on with other data, another recipe, or another luth.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// What makes an exact continuation impossible is refused, and with --force it is a warning that the report has.
TEST(ResumeWithOther, DataNeedsForce) {
  const TempDir dir;
  dir.write("d.lua",
            points_recipe("local n = tonumber(os.getenv 'N') local k = tonumber(os.getenv 'K') "
                          "x[n][1] = k r.data.train = data.TensorDataset(x:narrow(1, 1, n), y:narrow(1, 1, n))"));
  const auto train = [&](const char* n, const char* k, std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "d.lua", "--dir", "part"});
    return run_in(dir, more, {{"N", n}, {"K", k}});
  };
  ASSERT_EQ(train("64", "1", {"--epochs", "1"}).code, 0);
  Result r = train("60", "1", {"--epochs", "2", "--resume"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(has(r.err, "last.h5: the train data have 60 samples, and had 64 when it was saved; --force goes on"))
      << r.err;
  r = train("64", "5", {"--epochs", "2", "--resume"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(has(r.err, "samples of the train data are others than when it was saved")) << r.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "part/warnings.jsonl"));
  r = train("64", "5", {"--epochs", "2", "--resume", "--force"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(read_file(dir / "part/warnings.jsonl"),
                  "\"step\":4,\"text\":\"part/ckpt/last.h5: samples of the train data"));
  r = train("64", "5", {"--epochs", "3", "--resume", "--seed", "7", "--force"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "--seed 7: the run was started with seed 0")) << r.err;
}

TEST(ResumeWithOther, RecipeSaysSo) {
  const TempDir dir;
  dir.write("p.lua", points_recipe());
  ASSERT_EQ(run_in(dir, {"train", "p.lua", "--dir", "part", "--epochs", "1"}).code, 0);
  dir.write("p.lua", points_recipe() + "-- of today\n");
  for (const std::string epochs : {"2", "3"}) {
    const Result r = run_in(dir, {"train", "p.lua", "--dir", "part", "--epochs", epochs, "--resume"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(has(r.err, "the recipe p.lua is not the one with which the run began"), epochs == "2") << r.err;
  }
}

// A run is evaluated with the modules that it was trained with, wherever those of today are.
TEST(ResumeWithOther, ModulesAreThoseOfTheRun) {
  const TempDir dir;
  dir.write("my/net.lua", "return {classes = 2}");
  dir.write("p.lua", points_recipe("assert(require 'my.net'.classes == 2)"));
  ASSERT_EQ(run_in(dir, {"train", "p.lua", "--dir", "part", "--epochs", "1"}).code, 0);
  dir.write("my/net.lua", "return {classes = 3}");
  Result r = run_in(dir, {"eval", "part"});
  EXPECT_EQ(r.code, 0) << r.err;
  r = run_in(dir, {"eval", "p.lua", "--checkpoint", "part/ckpt/last.h5"});
  EXPECT_TRUE(r.code == 1 && has(r.err, "assertion failed")) << r.err;
  r = run_in(dir, {"eval", "part", "--print-recipe"});
  EXPECT_TRUE(has(r.out, "\n-- part/required/my.net.lua\nreturn {classes = 2}\n")) << r.out;
}

// A run folder of an earlier luth resumes and evaluates.
TEST(ResumeWithOther, LuthGoesOn) {
  const TempDir dir;
  const std::string from = LUTH_SOURCE_DIR "/tests/data/run";
  std::filesystem::copy(from, dir / "run", std::filesystem::copy_options::recursive);
  const Result evaluated = run_in(dir, {"eval", "run"});
  EXPECT_TRUE(evaluated.out.starts_with("loss 0.6909") && has(evaluated.out, "\naccuracy 0.5\n")) << evaluated.out;
  Result r = run_in(dir, {"train", from + "/recipe.lua", "--resume", "--dir", "run", "--epochs", "4"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "resuming run at epoch 3, batch 0")) << r.err;
  EXPECT_EQ(lines(log_of(dir, "run")), 4);
  const std::string anew = run_in(dir, {"train", from + "/recipe.lua", "--dir", "anew", "--epochs", "4"}).err;
  EXPECT_EQ(r.err.substr(r.err.find("epoch 4/4"), 50), anew.substr(anew.find("epoch 4/4"), 50));
}

}  // namespace
}  // namespace luth::testing
