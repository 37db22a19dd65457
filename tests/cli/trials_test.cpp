// `luth train --find-lr` and `--find-batch`: what they print, and that nothing is left behind.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

class Trials : public ::testing::Test {
 protected:
  Result train(std::vector<std::string> words, const std::string& more = "") {
    dir_.write("p.lua", points_recipe("r.callbacks = { function() print 'called' end } " + more));
    words.insert(words.begin(), {"train", "p.lua"});
    return run_in(dir_, words);
  }
  bool exists(const std::string& name) { return std::filesystem::exists(dir_ / name); }
  TempDir dir_;
};

// Least squares with a Hessian of 2: rates above 1 diverge.
TEST_F(Trials, FindARate) {
  const std::string quadratic =
      "local x = torch.eye(2):repeat_interleave(32, 1) "
      "r.data = { train = data.TensorDataset(x, x) } r.model = nn.Linear(2, 2, {bias = false}) r.schedule = nil "
      "r.metrics = nil "
      "r.loss = function(a, b) return a:sub(b):square():sum(2):mean() * 2 end r.optim = optim.SGD { lr = 1 }";
  Result r = train({"--find-lr"}, quadratic);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("lr         loss\n1e-07 ")) << r.out;
  double steepest = 0, smallest = 0;
  const size_t at = r.out.rfind("lr ");
  ASSERT_EQ(
      sscanf(r.out.c_str() + at, "lr %lf   the loss falls most steeply; at %lf it is smallest", &steepest, &smallest),
      2)
      << r.out;
  EXPECT_GT(steepest, 0.005);
  EXPECT_LT(steepest, smallest);
  EXPECT_LT(smallest, 9.99);
  EXPECT_FALSE(exists("runs"));
  r = train({"--find-lr", "lr.svg"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(read_file(dir_ / "lr.svg").starts_with("<svg") && has(r.err, "wrote lr.svg")) << r.err;
  r = train({"--find-lr", "lr.txt"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--find-lr takes a file with the suffix .svg or .png")) << r.err;
}

TEST_F(Trials, FindABatch) {
  Result r = train({"--find-batch"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("batch   samples/s   ms/step   memory\n1  ")) << r.out;
  EXPECT_TRUE(has(r.out, "\n8  ") && has(r.out, "   is as fast as any; ")) << r.out;
  EXPECT_FALSE(exists("runs") || has(r.out, "called"));
  r = train({"--find-batch"},
            "local real = r.loss r.loss = function(y, t) if #t > 4 then return real(y, "
            "t:long()) + torch.zeros(1 << 50):sum() end return real(y, t) end");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "\n4  ") && has(r.out, "batches of 8 do not fit into memory")) << r.out;
  r = train({"--find-batch"}, "r.loss = function(y) return y:sum(7) end");
  EXPECT_EQ(r.code, 1) << r.out;
}

TEST_F(Trials, AProfile) {
  Result r = train({"--profile", "4", "--dir", "run"},
                   "r.callbacks = nil r.transform = function(x, y)\n return x * 2, y end ");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "4 steps of ") && has(r.err, "share  look first at")) << r.err;
  EXPECT_TRUE(has(r.err, "done: run/ckpt/last.h5"));
  EXPECT_EQ(read_file(dir_ / "run/profile/first.txt"),
            r.err.substr(r.err.find("4 steps of"), read_file(dir_ / "run/profile/first.txt").size()));
  EXPECT_TRUE(has(read_file(dir_ / "run/profile/operators.txt"), "_adam"));
  const std::string modules = read_file(dir_ / "run/profile/modules.txt");
  for (auto part : {"1 (Linear)", "2 (ReLU)", "4 (Linear)", "CrossEntropyLoss"})
    EXPECT_TRUE(has(modules, part)) << modules;
  EXPECT_TRUE(has(read_file(dir_ / "run/profile/lines.txt"), "p.lua:13 ")) << read_file(dir_ / "run/profile/lines.txt");
  EXPECT_TRUE(has(read_file(dir_ / "run/profile/trace.json"), "\"name\":\"optimizer\""));
  // the run is the same without it
  ASSERT_EQ(train({"--dir", "other"}, "r.callbacks = nil r.transform = function(x, y)\n return x * 2, y end ").code, 0);
  EXPECT_EQ(log_of(dir_, "run"), log_of(dir_, "other"));
  r = train({"--profile", "x"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--profile takes a number of steps, or nothing, got 'x'")) << r.err;
}

}  // namespace
}  // namespace luth::testing
