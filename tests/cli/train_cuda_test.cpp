// `luth train` on the CUDA device of the fake run-time: steps that wait for nothing, the CPU's numbers, resuming.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

const Env fake_gpu = {{"LUTH_DEVICE_PATH", LUTH_BINARY_DIR "/lib-test"}};

// The last number that a log has for a key.
double last_of(const std::string& log, const std::string& key) {
  const size_t at = log.rfind("\"" + key + "\":");
  return at == std::string::npos ? NAN : std::stod(log.substr(at + key.size() + 3));
}

// Everything that a step may do: clipping, an average of the weights, a schedule, gradients of several batches.
TEST(TrainOnCuda, NoStepWaitsForTheDevice) {
  TempDir dir;
  dir.write("p.lua", points_recipe(R"lua(
r.clip, r.ema, r.epochs = 1, 0.9, 2
r.metrics.own = function(output, target) return (output - output):mean() + 2 end
local before
r.callbacks = { on_step = function(t, loss)
  local now = torch.cuda.host_waits()
  if t.batch > 1 and now ~= before then error('step ' .. t.batch .. ' waited ' .. now - before .. ' times') end
  before = now
end }
)lua"));
  Result r = run_in(dir, {"train", "p.lua", "--device", "cuda"}, fake_gpu);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "training on cuda:0")) << r.err;
  const std::string log = log_of(dir, "runs/p-1");
  EXPECT_NEAR(last_of(log, "val_own"), 2, 1e-6) << log;
  EXPECT_EQ(run_in(dir, {"train", "p.lua", "--device", "cuda", "--accumulate", "2"}, fake_gpu).code, 0);
}

TEST(TrainOnCuda, LearnsWhatTheCpuLearns) {
  TempDir dir;
  dir.write("p.lua", points_recipe("r.model[3].p = 0\n"));  // each device has a stream of random numbers of its own
  ASSERT_EQ(run_in(dir, {"train", "p.lua", "--device", "cpu", "--dir", "here"}, fake_gpu).code, 0);
  ASSERT_EQ(run_in(dir, {"train", "p.lua", "--device", "cuda", "--dir", "there"}, fake_gpu).code, 0);
  for (const char* key : {"loss", "val_loss"})
    EXPECT_NEAR(last_of(log_of(dir, "there"), key), last_of(log_of(dir, "here"), key), 1e-4) << key;
}

// Ranks of one machine take a GPU each, between which NCCL sends; where they are more, they share them and Gloo sends.
TEST(TrainOnCuda, RanksLearnWhatTheCpuLearns) {
  TempDir dir;
  dir.write("p.lua", points_recipe("r.model[3].p = 0\n"
                                   "local dist = torch.distributed\n"
                                   "r.callbacks = { function(t)\n  print(t.model[1].weight.device, t.epoch, "
                                   "dist.is_initialized() and dist.get_backend())\nend }"));
  ASSERT_EQ(run_in(dir, {"train", "p.lua", "--device", "cpu", "--dir", "here"}, fake_gpu).code, 0);
  Env two_gpus = fake_gpu;
  two_gpus.push_back({"FAKECUDA_DEVICES", "2"});
  for (const std::string ranks : {"2", "3"}) {
    const Result r = run_in(
        dir, {"launch", "--nproc", ranks, "train", "p.lua", "--device", "cuda", "--dir", "on" + ranks}, two_gpus);
    ASSERT_EQ(r.code, 0) << r.err;
    const std::string backend = ranks == "2" ? "cpu:gloo,cuda:nccl" : "gloo";
    EXPECT_TRUE(has(r.out, "[0] cuda:0\t3\t" + backend + "\n") && has(r.out, "[1] cuda:1\t3\t")) << r.out;
    EXPECT_TRUE(ranks == "2" || has(r.out, "[2] cuda:0\t3\tgloo\n")) << r.out;
    for (const char* key : {"loss", "val_loss"})
      EXPECT_NEAR(last_of(log_of(dir, "on" + ranks), key), last_of(log_of(dir, "here"), key), 1e-4) << key;
  }
}

// Dropout draws from the device's own stream, which a checkpoint holds too.
TEST(TrainOnCuda, GoesOnBitForBit) {
  TempDir dir;
  dir.write("p.lua", points_recipe("r.schedule = nil\nr.model[3].p = 0.5\n"));
  auto train = [&](std::vector<std::string> more) {
    std::vector<std::string> args = {"train", "p.lua", "--device", "cuda"};
    args.insert(args.end(), more.begin(), more.end());
    Result r = run_in(dir, args, fake_gpu);
    EXPECT_EQ(r.code, 0) << r.err;
  };
  train({"--epochs", "3", "--dir", "whole"});
  train({"--epochs", "1", "--dir", "parts"});
  train({"--epochs", "3", "--dir", "parts", "--resume"});
  EXPECT_EQ(log_of(dir, "parts"), log_of(dir, "whole"));
}

}  // namespace
}  // namespace luth::testing
