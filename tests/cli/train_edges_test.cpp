// `luth train` and `luth eval` at the edges: scores that are no numbers, batches that spoil statistics, lazy models,
// runs that go on after their end.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

class TrainEdges : public ::testing::Test {
 protected:
  // `more`: Lua that changes the table r of a recipe of 64 points.
  void recipe(const std::string& more) { dir_.write("p.lua", points_recipe(more)); }
  Result train(std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"train", "p.lua", "--dir", "run"});
    return run_in(dir_, words);
  }
  std::string lua(const std::string& code) {
    Result r = run({"-e", code}, {.dir = dir_.path()});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  }
  bool exists(const std::string& name) { return std::filesystem::exists(dir_ / name); }
  // The rates of all epochs, one after the other.
  std::string rates() {
    return lua("for line in io.lines 'run/log.jsonl' do io.write(line:match '\"lr\":([%d.]+)', ' ') end");
  }
  TempDir dir_;
};

// A metric of a recipe that gives one of these values after the other, again and again.
std::string metric_of(const std::string& values) {
  return "local n, list = 0, { " + values +
         " }\nr.metrics, r.batch = { score = function() n = n + 1 return list[(n - 1) % #list + 1] end }, 64\n";
}

TEST_F(TrainEdges, AScoreThatIsNoNumberIsTheWorst) {
  recipe(metric_of("0 / 0, 2, 0 / 0, 1"));
  Result r = train({"--epochs", "4", "--keep", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(lua("print(torch.load('run/ckpt/best.h5').loader.epoch)"), "3\n");  // the epoch that comes next
  EXPECT_TRUE(exists("run/ckpt/epoch-2.h5") && exists("run/ckpt/epoch-4.h5"));
  EXPECT_FALSE(exists("run/ckpt/epoch-1.h5") || exists("run/ckpt/epoch-3.h5"));
}

// As if a run had been killed between its last save and its end.
TEST_F(TrainEdges, ARunThatHasStoppedEarlyIsAtItsEnd) {
  recipe(metric_of("5, 4, 3, 2, 1"));
  ASSERT_EQ(train({"--epochs", "9", "--early-stop", "2"}).code, 0);
  const std::string log = log_of(dir_, "run");
  EXPECT_EQ(lines(log), 3);
  std::filesystem::remove(dir_ / "run/report.html");
  Result r = train({"--resume"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err,
                  "nothing is left to do: run/ckpt/last.h5 had stopped early, with no better score in 2 "
                  "validations; give a larger --early-stop, or 0, to go on"))
      << r.err;
  EXPECT_EQ(log_of(dir_, "run"), log);
  EXPECT_TRUE(exists("run/report.html"));
  r = train({"--resume", "--early-stop", "0"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(lines(log_of(dir_, "run")), 9) << r.err;
}

// The accuracies of every second epoch are compared with each other, and not with losses between them.
TEST_F(TrainEdges, APlateauIsOneOfValidations) {
  recipe(metric_of("0.5, 0.5, 0.5") +
         "r.schedule = optim.lr_scheduler.ReduceLROnPlateau { mode = 'max', patience = 1, factor = 0.5 }\n"
         "r.epochs, r.val_every = 6, 2");
  Result r = train({"--lr", "0.4"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(rates(), "0.4 0.4 0.4 0.4 0.4 0.4 ");
  // without data to validate on, each epoch has a loss
  std::filesystem::remove_all(dir_ / "run");
  recipe(
      "r.data, r.metrics, r.epochs, r.val_every = { train = r.data.train }, nil, 4, 2\n"
      "r.schedule = optim.lr_scheduler.ReduceLROnPlateau { patience = 0, factor = 0.5, threshold = 1e9 }");
  ASSERT_EQ(train({"--lr", "0.4"}).code, 0);
  EXPECT_EQ(rates(), "0.4 0.2 0.1 0.05 ");
}

TEST_F(TrainEdges, ABatchThatIsLeftOutChangesNoStatistics) {
  const std::string bad =
      "x[40][1] = 1 / 0\n r.data.val = data.TensorDataset(torch.rand(8, 6), y:narrow(1, 1, 8))\n"
      "r.model = nn.BatchNorm1d(6) .. nn.Linear(6, 3)";
  recipe(bad);
  Result r = train({"--on-nan", "skip"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "value 1 of the batch holds nan or inf; the batch is left out")) << r.err;
  EXPECT_EQ(lua("local m = torch.load('run/ckpt/last.h5').model\n"
                "print(torch.isfinite(m['1.running_mean']):all(), m['1.num_batches_tracked']:item())"),
            "true\t6\n");
}

TEST_F(TrainEdges, TakingUpACheckpointCountsOn) {
  recipe(
      "local n, loss = 0, r.loss\n"
      "r.loss = function(o, y) n = n + 1 return loss(o, y) * (n % 3 == 0 and 0 / 0 or 1) end\n"
      "r.data, r.metrics, r.schedule, r.batch = { train = r.data.train }, nil, nil, 4");
  Result r = train({"--on-nan", "rollback", "--epochs", "3"});
  EXPECT_EQ(r.code, 0) << r.err;
  int taken = 0;
  for (size_t at = 0; (at = r.err.find("; the batch is left out", at)) != std::string::npos; ++at) ++taken;
  EXPECT_GT(taken, 2) << r.err;
  EXPECT_TRUE(has(r.err, "\n" + std::to_string(taken) + " batches were left out, as their loss was no number"))
      << r.err;
}

// Batches that are left out count on in a run that goes on, so that the same one ends it.
TEST_F(TrainEdges, BadBatchesInARowAreOfTheCheckpoint) {
  recipe(
      "r.loss = function(o) return o:sum() * (0 / 0) end r.batch = 2\n"
      "r.callbacks = { on_step = function(t) if t.batch == 12 and not os.getenv 'GO' then t:save() t:stop() end end }");
  ASSERT_EQ(train({"--on-nan", "skip"}).code, 0);
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "run", "--resume", "--force"}, {{"GO", "1"}});
  EXPECT_EQ(r.code, 3);
  EXPECT_TRUE(has(r.err, "in epoch 1, batch 20: ") && !has(r.err, "batch 21")) << r.err;
}

TEST_F(TrainEdges, AveragesOfALazyModel) {
  recipe("r.model, r.schedule = nn.LazyLinear(4) .. nn.Linear(4, 3), nil");
  ASSERT_EQ(train({"--ema", "0.5", "--epochs", "3"}).code, 0);
  std::filesystem::rename(dir_ / "run", dir_ / "whole");
  ASSERT_EQ(train({"--ema", "0.5", "--epochs", "3", "--steps", "6"}).code, 0);
  Result r = train({"--resume", "--steps", "0"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(lua("local a, b = torch.load 'run/ckpt/last.h5', torch.load 'whole/ckpt/last.h5'\n"
                "for name, t in pairs(b.ema) do assert(t:equal(a.ema[name]), name) end\n"
                "print(torch.allclose(b.ema['1.weight'], b.model['1.weight']))"),
            "false\n");
}

// Draws of one class alone have no area under the curve, and do not count.
TEST_F(TrainEdges, IntervalsOfMetricsThatAreNotAlwaysNumbers) {
  recipe(
      "r.data.val = data.TensorDataset(torch.randn(6, 6), torch.tensor { 1, 1, 1, 1, 1, 2 })\n"
      "r.model, r.metrics = nn.Linear(6, 2), { 'auroc' } r.data.train = r.data.val");
  ASSERT_EQ(train().code, 0);
  Result r = run_in(dir_, {"eval", "run", "--confidence"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "\nauroc ") && has(r.out, "]\n")) << r.out;
  EXPECT_FALSE(has(r.out, "nan")) << r.out;
}

// The norm of the gradients is taken at some steps, to be logged.
TEST_F(TrainEdges, WhatIsLoggedChangesNothing) {
  recipe(
      "local b, loss = r.model[1].bias, r.loss\n"
      "r.loss = function(o, y) return loss(o, y) + (b - b:detach()):sqrt():sum() end  -- its gradient is inf");
  for (const char* every : {"1", "50"}) {
    ASSERT_EQ(train({"--steps", "1", "--log-every", every}).code, 0);
    EXPECT_EQ(lua("print(torch.isfinite(torch.load('run/ckpt/last.h5').model['4.weight']):all())"), "true\n") << every;
    std::filesystem::remove_all(dir_ / "run");
  }
}

// A callback may give the run another optimizer, between epochs and within one.
TEST_F(TrainEdges, ACallbackReplacesTheOptimizer) {
  const std::string swap = R"lua(
local function still(ctx) ctx.optimizer = optim.SGD(ctx.model:parameters(), { lr = 0 }) end
local function weight(ctx) return ctx.model[1].weight:clone() end
local before
local function same(ctx) print(torch.equal(before, weight(ctx))) end
)lua";
  const char* between =
      "r.callbacks = { on_epoch_start = function(ctx) still(ctx) before = weight(ctx) end, on_end = same }";
  const char* within = R"lua(
r.callbacks = { on_end = same, on_step = function(ctx)
  if ctx.step == 1 then still(ctx) before = weight(ctx) end
end })lua";
  for (std::string schedule : {"", "r.schedule = nil "})
    for (std::string callbacks : {between, within}) {
      recipe(swap + schedule + callbacks);
      Result r = train({"--dir", "run" + std::to_string(schedule.size() + callbacks.size())});
      EXPECT_EQ(r.code, 0) << r.err;
      EXPECT_EQ(r.out, "true\n") << schedule << callbacks;
    }
}

// A matrix of all pairs would not fit into any memory.
TEST_F(TrainEdges, ClassesByTheHundredThousand) {
  recipe("r.model, r.schedule, r.metrics = nn.Linear(6, 300000), nil, { 'f1', 'iou', 'accuracy' }");
  Result r = train({"--epochs", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(read_file(dir_ / "run/examples.json"), "\"worst\":[{"));
  r = run_in(dir_, {"eval", "run", "--per-class"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(lines(r.out), 4 + 1 + 300000);
}

TEST_F(TrainEdges, ANumberOfAConfigHasAllItsDigits) {
  recipe("");
  Result r = train({"--lr", "0.30000000000000004", "--print-config"});
  EXPECT_TRUE(has(r.out, "\"lr\": 0.30000000000000004,")) << r.out << r.err;
  dir_.write("c.json", r.out);
  EXPECT_EQ(train({"--config", "c.json", "--print-config"}).out, r.out);
}

TEST_F(TrainEdges, ASweepGoesOnInTheLastFolder) {
  recipe("");
  std::vector<std::string> words{"train", "p.lua", "--sweep", "hidden=4", "--epochs", "1"};
  ASSERT_EQ(run_in(dir_, words).code, 0);
  words.push_back("--resume");
  Result r = run_in(dir_, words);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "1 runs in runs/p-sweep-1, 1 at a time; 1 are done")) << r.err;
  EXPECT_FALSE(exists("runs/p-sweep-2"));
}

TEST_F(TrainEdges, AProfileHasValidations) {
  recipe("");
  ASSERT_EQ(train({"--profile", "4", "--epochs", "3"}).code, 0);
  EXPECT_TRUE(has(read_file(dir_ / "run/profile/trace.json"), "\"name\":\"validation\""));
}

}  // namespace
}  // namespace luth::testing
