// `luth train`, `luth eval` and `luth bench` on several ranks: the same numbers as on one, one folder, one end for all.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// Nothing in it is random but the order of samples: 67 of them in batches of 16 leave 3 for the last.
const std::string points =
    "x, y = torch.randn(67, 6), torch.randint(1, 4, { 67 })\n"
    "r.data = { train = data.TensorDataset(x, y), val = data.TensorDataset(x, y) }\n"
    "r.model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))\n";

class TrainRanks : public ::testing::Test {
 protected:
  TrainRanks() { recipe(); }
  void SetUp() override {
    if (address_sanitizer) GTEST_SKIP() << "exit codes are the sanitizer's";
  }
  void recipe(const std::string& more = "") { dir_.write("p.lua", points_recipe("local " + points + more)); }

  static std::vector<std::string> words(int ranks, std::vector<std::string> command,
                                        const std::vector<std::string>& options = {}) {
    std::vector<std::string> all{"launch", "--nproc", std::to_string(ranks), "--threads", "1"};
    all.insert(all.end(), options.begin(), options.end());
    if (ranks == 0) all.clear();  // without a launcher
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  Result on(int ranks, const std::vector<std::string>& command, const std::vector<std::string>& options = {}) {
    return run_in(dir_, words(ranks, command, options));
  }
  // Trains in the folder `name`, to which it gives the numbers of the log.
  std::vector<double> curve(int ranks, const std::string& name, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"train", "p.lua", "--dir", name});
    const Result r = on(ranks, more);
    EXPECT_EQ(r.code, 0) << r.err;
    return losses(name);
  }
  // Of each epoch the loss, that of the validation data, and the metric.
  std::vector<double> losses(const std::string& name) {
    std::vector<double> all;
    const std::string log = log_of(dir_, name);
    for (const char* key : {"\"loss\":", "\"val_loss\":", "\"val_accuracy\":"})
      for (size_t at = 0; (at = log.find(key, at)) != log.npos;)
        all.push_back(std::strtod(log.c_str() + (at += strlen(key)), nullptr));
    return all;
  }
  static void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    ASSERT_FALSE(a.empty());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-6 * std::abs(b[i])) << i;
  }
  TempDir dir_;
};

TEST_F(TrainRanks, TheCurveIsThatOfOneRank) {
  const auto one = curve(0, "one");
  EXPECT_EQ(one.size(), 6u);
  for (int n : {2, 3, 4}) expect_near(curve(n, "on" + std::to_string(n)), one);
  EXPECT_EQ(on(3, {"eval", "one"}).out.find("[0] loss "), 0u);
  EXPECT_EQ(
      on(3, {"eval", "one"}).out, "[0] " + [&] {
        std::string out = on(0, {"eval", "one"}).out;
        return out.insert(out.find('\n') + 1, "[0] ");
      }());
}

TEST_F(TrainRanks, AccumulationClippingAndAverages) {
  const std::vector<std::string> more{"--accumulate", "2", "--clip", "0.5", "--ema", "0.5", "--workers", "1"};
  expect_near(curve(3, "three", more), curve(0, "one", more));
}

// An epoch that is kept without being better: all ranks make its checkpoint.
TEST_F(TrainRanks, TheBestOnesAreKept) {
  recipe("r.metrics = { function() return 1 end } r.epochs = 3");
  const Result r = on(2, {"train", "p.lua", "--keep", "2", "--dir", "kept", "--dist-timeout", "20"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(std::filesystem::exists(dir_ / "kept/ckpt/epoch-2.h5"));
}

// Of all ranks' samples, and kept with the run. 64 samples leave no small batch.
TEST_F(TrainRanks, StatisticsOfBatches) {
  recipe(
      "x, y = x:narrow(1, 1, 64), y:narrow(1, 1, 64) r.data = data.TensorDataset(x, y)\n"
      "r.data = { train = r.data, val = r.data } r.optim = optim.SGD { lr = 0.1 }\n"
      "r.model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))");
  const auto one = curve(0, "one");
  expect_near(curve(3, "three", {"--sync-bn"}), one);
  EXPECT_TRUE(has(read_file(dir_ / "three/options.json"), "sync_bn"));
  EXPECT_EQ(on(2, {"eval", "three"}).code, 0);
  const auto local = curve(2, "two");
  EXPECT_GT(std::abs(local[0] - one[0]), 1e-4);
}

// On one rank 3 samples of 67 are enough for BatchNorm, and so on two.
TEST_F(TrainRanks, SmallBatchesAreWholeOnAll) {
  recipe(
      "r.model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))\n"
      "r.batch, r.optim = 3, optim.SGD { lr = 0.1 } r.data.train = data.Subset(r.data.train, { 1, 2, 3, 4, 5 })");
  expect_near(curve(2, "two"), curve(0, "one"));
}

// One speaks and writes; what others print has their number.
TEST_F(TrainRanks, OneSpeaksForAll) {
  recipe("r.callbacks = { function() print('rank ' .. torch.distributed.get_rank()) end } r.epochs = 1");
  const Result r = on(2, {"train", "p.lua", "--dir", "run"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[0] rank 0\n") && has(r.out, "[1] rank 1\n")) << r.out;
  EXPECT_TRUE(has(r.err, "[0] training on cpu, 2 ranks: 67 samples, 1 epoch of 5 batches; run\n")) << r.err;
  EXPECT_FALSE(has(r.err, "[1]")) << r.err;
  const std::string log = log_of(dir_, "run");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

// A run of one process is one to torch.distributed too, with a launcher and without, and needs no Gloo.
TEST_F(TrainRanks, OneRankIsARunToo) {
  recipe(
      "r.callbacks = { function()\n  local d, x = torch.distributed, torch.ones(3)\n  d.all_reduce(x)\n  d.barrier()\n"
      "  print('rank', d.get_rank(), d.get_world_size(), x:sum():item())\nend }\nr.epochs = 1");
  TempDir none;
  none.write("libluth_gloo.so", "no library");
  for (const Env& env : {Env{}, Env{{"LUTH_DEVICE_PATH", none.path()}}}) {
    for (int ranks : {0, 1}) {
      const Result r = run_in(dir_, words(ranks, {"train", "p.lua"}), env);
      EXPECT_EQ(r.code, 0) << r.err;
      EXPECT_TRUE(has(r.out, "rank\t0\t1\t3.0\n")) << r.out;
    }
    const Result torchrun = run_in(dir_, {"train", "p.lua"}, [&] {
      Env more = env;
      more.insert(more.end(), {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "9"}});
      return more;
    }());
    EXPECT_TRUE(has(torchrun.out, "rank\t0\t1\t3.0\n")) << torchrun.out << torchrun.err;
  }
  const Result two = run_in(dir_, words(2, {"train", "p.lua"}), {{"LUTH_DEVICE_PATH", none.path()}});
  EXPECT_EQ(two.code, 2) << two.err;
  EXPECT_TRUE(has(two.err, "the backend 'gloo' cannot be used: ") && has(two.err, "Gloo (Debian: libgloo-dev)"))
      << two.err;
}

// In each of 500 steps, with random numbers that differ.
TEST_F(TrainRanks, ParametersStayEqual) {
  recipe(R"lua(
r.model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.3), nn.Linear(8, 3))
r.data, r.epochs = r.data.train, 100
local function of_both(tensor)
  local all = { torch.zeros_like(tensor), torch.zeros_like(tensor) }
  torch.distributed.all_gather(all, tensor)
  return all[1], all[2]
end
local steps = {}
r.callbacks = {
  on_step = function(t) steps[#steps + 1] = nn.utils.parameters_to_vector(t.model:parameters()):detach():clone() end,
  function(t)
    if t.epoch <= 100 then return end
    local first, second = of_both(torch.stack(steps))
    assert(not torch.equal(of_both(torch.rand(1))), 'the same random numbers')
    print('steps', #steps, torch.equal(first, second), torch.equal(steps[1], steps[500]))
  end,
})lua");
  const Result r = on(2, {"train", "p.lua", "--dir", "run"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[1] steps\t500\ttrue\tfalse\n")) << r.out;
}

// ---- the end of a run, and how it goes on ----

// Rank $WHO says its process in step $HOLD, or there in evaluation with $EVAL, and waits for the file `go`.
constexpr const char* holds = R"lua(
r.epochs = 3
local step, hold, me = 0, tonumber(os.getenv 'HOLD' or ''), os.getenv 'RANK' == os.getenv 'WHO'
local function wait()
  if step ~= hold or not me then return end
  hold = nil
  print('holding ' .. io.open('/proc/self/stat'):read('n') .. '.')
  io.stdout:flush()
  while not io.open('go') do end
end
r.callbacks = { on_step = function()
  step = step + 1
  if not os.getenv 'EVAL' then wait() end
end }
local accuracy = 0
if os.getenv 'EVAL' then
  r.metrics = { accuracy = function(output, target) wait() return output:argmax(2):eq(target):double():mean() end }
end
)lua";

class StoppedRanks : public TrainRanks {
 protected:
  StoppedRanks() { recipe(holds); }
  // A run that gets signals while rank `who` waits in step `step`: that rank, or the launcher for who = -1.
  Result stopped(int ranks, int who, int step, std::vector<int> signals, std::vector<std::string> more = {},
                 Env env = {}) {
    more.insert(more.begin(), {"train", "p.lua", "--dir", "part"});
    env.insert(env.end(), {{"HOLD", std::to_string(step)}, {"WHO", std::to_string(std::max(who, 0))}});
    Process p(words(ranks, more), {.env = env, .dir = dir_.path()});
    EXPECT_TRUE(p.wait_for("holding") && p.wait_for("."));
    for (int s : signals) {
      ::kill(who < 0 ? p.pid() : holder(p.out()), s);
      usleep(200'000);  // two of a kind at once would be one
    }
    dir_.write("go", "");
    Result r = p.wait();
    std::filesystem::remove(dir_ / "go");
    return r;
  }
  static pid_t holder(const std::string& out) { return pid_t(std::stol(out.substr(out.find("holding ") + 8))); }
  static void expect_one_end(const Result& r, int code, const std::string& text) {
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_FALSE(r.timed_out);
    const size_t at = r.err.find(text);
    EXPECT_NE(at, r.err.npos) << r.err;
    EXPECT_EQ(r.err.find("saved", at + text.size()), r.err.npos) << r.err;
    EXPECT_FALSE(has(r.err, "luth launch:") || has(r.err, "[1]")) << r.err;
  }
};

// The signal comes in step 6, all know of it a step later at most, and the epoch has 5.
TEST_F(StoppedRanks, OneRanksSignalEndsAll) {
  expect_one_end(stopped(3, 1, 6, {SIGTERM}), 143, "terminated: saved part/ckpt/last.h5 after epoch 2, batch 2");
  expect_near(curve(3, "part", {"--resume"}), curve(0, "whole"));
}

TEST_F(StoppedRanks, CtrlCAtTheLauncher) {
  expect_one_end(stopped(2, -1, 6, {SIGINT}), 130, "interrupted: saved part/ckpt/last.h5 after epoch 2, batch ");
}

TEST_F(StoppedRanks, WithinEvaluation) {
  expect_one_end(stopped(2, 1, 5, {SIGTERM}, {}, {{"EVAL", "1"}}), 143,
                 "terminated: saved part/ckpt/last.h5 after epoch 2, batch 0");
}

TEST_F(StoppedRanks, TwiceEndsAtOnce) {
  const Result r = stopped(2, 1, 3, {SIGTERM, SIGTERM});
  EXPECT_EQ(r.code, 143) << r.err;
  EXPECT_TRUE(has(r.err, "because rank 1 has ended") && has(r.err, "rank 0 ended with code 6")) << r.err;
}

TEST_F(StoppedRanks, WithinSaving) {
  recipe("r.model = nn.Sequential(nn.Linear(6, 20000), nn.Linear(20000, 3)) r.epochs = 1000 r.save_every = 1");
  for (unsigned i = 0; i < 3; ++i) {
    Process p(words(2, {"train", "p.lua", "--dir", "part" + std::to_string(i)}), {.dir = dir_.path()});
    ASSERT_TRUE(p.wait_for("epoch 1/"));
    usleep(7'000 * i);
    p.signal(SIGTERM);
    expect_one_end(p.wait(), 143, "terminated: saved part" + std::to_string(i) + "/ckpt/last.h5");
  }
}

// Adam's averages, the schedule, the order of samples and the sums of the epoch go on.
TEST_F(StoppedRanks, OnAnotherNumberOfRanks) {
  const auto whole = curve(0, "whole");
  EXPECT_EQ(stopped(2, 1, 6, {SIGTERM}).code, 143);
  expect_near(curve(0, "part", {"--resume"}), whole);
  std::filesystem::remove_all(dir_ / "part");
  EXPECT_EQ(stopped(0, 0, 8, {SIGTERM}, {}, {{"RANK", "0"}, {"WORLD_SIZE", "1"}}).code, 143);
  expect_near(curve(3, "part", {"--resume"}), whole);
}

// Each rank has random numbers of its own, which go on too.
TEST_F(StoppedRanks, RandomNumbersGoOn) {
  recipe(std::string(holds) + "r.model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.4), nn.Linear(8, 3))");
  const auto whole = curve(2, "whole");
  EXPECT_EQ(stopped(2, 0, 7, {SIGTERM}).code, 143);
  expect_near(curve(2, "part", {"--resume"}), whole);
}

// A rank is killed in some step of the first attempt.
TEST_F(StoppedRanks, StartedAgain) {
  const auto whole = curve(0, "whole");
  recipe(R"lua(
r.epochs = 3
r.callbacks = { on_step = function(t)
  if os.getenv 'RANK' == os.getenv 'WHO' and os.getenv 'LUTH_RESTART_COUNT' == '0' and t.step == tonumber(os.getenv 'HOLD') then
    os.execute('kill -9 $PPID')
  end
end }
)lua");
  for (const std::string rank : {"0", "1"}) {
    const std::string name = "runs/p-" + std::to_string(1 + std::stoi(rank));
    const Env env{{"WHO", rank}, {"HOLD", std::to_string(4 + (getpid() + rank[0]) % 9)}};
    const Result r = run_in(dir_, words(2, {"train", "p.lua", "--save-every", "2"}, {"--max-restarts", "1"}), env);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.err, "rank " + rank + " died of signal 9")) << r.err;
    EXPECT_TRUE(has(r.err, "[0] resuming " + name + " at epoch ")) << r.err;
    expect_near(losses(name), whole);
  }
}

TEST_F(StoppedRanks, ARankThatStands) {
  Process p(words(2, {"train", "p.lua", "--dir", "part", "--dist-timeout", "1"}),
            {.env = {{"HOLD", "3"}, {"WHO", "1"}}, .dir = dir_.path()});
  const Result r = p.wait();
  EXPECT_EQ(r.code, 6) << r.err;
  EXPECT_TRUE(has(r.err, "has not ended within 1 s") && has(r.err, "rank 1 has not come")) << r.err;
}

// ---- one rank fails ----

class FailingRanks : public TrainRanks {
 protected:
  // What rank 1 does in its step 3.
  Result fails(const std::string& what) {
    recipe(
        "r.step = function(model, batch, t)\n  local loss = F.cross_entropy(model(batch[1]), batch[2])\n"
        "  if torch.distributed.get_rank() == 1 and t.step == 2 then " +
        what + " end\n  return loss\nend\n");
    return on(2, {"train", "p.lua", "--dir", "run"});
  }
  static void expect_report(const Result& r, int code, const std::string& text) {
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_TRUE(has(r.err, "luth launch: rank 1 ended with code " + std::to_string(code))) << r.err;
    EXPECT_TRUE(has(r.err, "rank 0 ended with code 6")) << r.err;
    EXPECT_TRUE(has(r.err, "rank 1 has ended: ") && has(r.err, text)) << r.err;
  }
};

TEST_F(FailingRanks, ALossThatIsNoNumber) { expect_report(fails("loss = loss * (0 / 0)"), 3, "the loss became nan"); }
TEST_F(FailingRanks, AnErrorOfTheRecipe) { expect_report(fails("error('my mistake')"), 1, "my mistake"); }
TEST_F(FailingRanks, NoMemory) { expect_report(fails("torch.zeros(1 << 50)"), 4, "cannot allocate"); }

TEST_F(FailingRanks, OtherDataOnARank) {
  recipe("if os.getenv 'RANK' == '1' then r.data.train = data.Subset(r.data.train, { 1, 2, 3 }) end");
  const Result r = on(2, {"train", "p.lua"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(has(r.err, "the ranks differ: rank 0 has 67 train samples")) << r.err;
}

TEST_F(FailingRanks, CopiesThatDrift) {
  recipe(
      "r.step = function(model, batch, t)\n  t.optimizer:step(function()\n    t.optimizer:zero_grad()\n"
      "    local loss = F.cross_entropy(model(batch[1]), batch[2])\n    loss:backward()\n    return loss\n  end)\nend\n"
      "r.schedule = nil");
  const Result r = on(2, {"train", "p.lua"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(has(r.err, "the parameters of rank 1 are no longer those of rank 0")) << r.err;
}

TEST_F(FailingRanks, AFullDisk) {
  SmallDisk disk(dir_ / "disk", "size=2m");
  if (!disk.mounted()) GTEST_SKIP() << "a small tmpfs cannot be mounted here";
  recipe("r.model = nn.Sequential(nn.Linear(6, 20000), nn.Linear(20000, 3))");
  const Result r = on(3, {"train", "p.lua", "--dir", "disk/run"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(has(r.err, "luth launch: rank 0 ended with code 1") && has(r.err, "No space left on device")) << r.err;
  EXPECT_TRUE(has(r.err, "rank 1 ended with code 6") && has(r.err, "rank 2 ended with code 6")) << r.err;
}

TEST_F(FailingRanks, WrongWords) {
  Result r = on(2, {"train", "p.lua", "--dist-timeout", "soon"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--dist-timeout takes seconds above 0, got 'soon'")) << r.err;
  r = on(2, {"eval", "nothing.h5"});
  EXPECT_EQ(r.code, 5) << r.err;
}

// A loss of another rank's sample has no weight; other recipes, whose step does all by itself, get averages too.
TEST_F(TrainRanks, StepsThatDoAllByThemselves) {
  recipe(
      "r.schedule = nil r.optim = optim.SGD { lr = 0.1 }\n"
      "r.step = function(model, batch, t)\n  local loss = F.cross_entropy(model(batch[1]), batch[2])\n"
      "  t.optimizer:zero_grad() loss:backward() t.optimizer:step()\nend");
  expect_near(curve(4, "four"), curve(0, "one"));
}

// Checkpoints of divided models are those of whole ones.
TEST_F(TrainRanks, DividedModels) {
  recipe(
      "r.model = nn.Sequential(nn.Linear(6, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.Linear(1024, 3))\n"
      "r.optim, r.batch = optim.AdamW { lr = 1e-4, eps = 1e-3 }, 33");
  const std::vector<std::string> one{"--clip", "0.5", "--epochs", "1"}, two{"--resume", "--epochs", "2"};
  std::vector<std::string> divided = one;
  divided.push_back("--fsdp");
  expect_near(curve(3, "part", divided), curve(0, "whole", one));
  const Result seen = run_in(dir_, {"-e", R"lua(
    local function same(a, b, where)
      if torch.is_tensor(a) then return assert(torch.allclose(a, b, { atol = 1e-6 }), where) end
      if type(a) ~= 'table' then return assert(a == b, where) end
      for k, v in pairs(a) do same(v, b[k], where .. '.' .. k) end
    end
    local a, b = torch.load 'whole/ckpt/last.h5', torch.load 'part/ckpt/last.h5'
    same(a.optim.state, b.optim.state, 'optim')
    same(a.model, b.model, 'model')
    print(#a.optim.state))lua"});
  EXPECT_EQ(seen.out, "6\n") << seen.err;
  divided = two;
  divided.push_back("--fsdp");
  expect_near(curve(2, "part", divided), curve(0, "whole", two));
  const Result r = on(2, {"train", "p.lua", "--fsdp", "--ema", "0.5"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--fsdp keeps no averaged weights")) << r.err;
}

// As torchrun, Kubernetes and users by hand start them.
TEST_F(TrainRanks, WithoutTheLauncher) {
  const auto ranked = [&](int rank, int port) {
    const Env env{{"RANK", std::to_string(rank)},
                  {"WORLD_SIZE", "2"},
                  {"MASTER_ADDR", "127.0.0.1"},
                  {"MASTER_PORT", std::to_string(port)},
                  {"LUTH_THREADS", "1"}};
    return std::make_unique<Process>(std::vector<std::string>{"train", "p.lua", "--dir", "two", "--dist-timeout", "30"},
                                     RunOptions{.env = env, .dir = dir_.path()});
  };
  const int port = 20000 + int(getpid() % 20000);
  auto first = ranked(0, port), second = ranked(1, port);
  const Result a = first->wait(), b = second->wait();
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(b.code, 0) << b.err;
  EXPECT_EQ(b.err, "");
  expect_near(losses("two"), curve(0, "one"));
}

TEST_F(TrainRanks, BenchmarksOfEachRank) {
  const Result r = on(2, {"bench", "--filter", "overhead/loop", "--seconds", "0.01"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[0] overhead/loop") && has(r.out, "[1] overhead/loop")) << r.out;
  EXPECT_TRUE(has(r.err, "[0] 2 ranks measure each workload at the same time")) << r.err;
}

}  // namespace
}  // namespace luth::testing
