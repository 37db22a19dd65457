// Runs that are stopped and go on: Ctrl-C, SIGTERM, kill -9, a full disk. What a resumed run writes is bit for bit what
// an uninterrupted one writes.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// An optimizer and a schedule of the recipe's own.
constexpr const char* own_classes = R"lua(
local My = optim.class('My')
function My:init(params, options) optim.Optimizer.init(self, params, { lr = options.lr, momentum = 0.5 }) end
function My:step()
  local _ <close> = torch.no_grad()
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do
      local state = self.state[p]
      state.buffer = state.buffer and state.buffer * group.momentum + p.grad or p.grad:clone()
      p:sub_(state.buffer * group.lr)
    end
  end
end
local Falling = optim.lr_scheduler.class('Falling', optim.lr_scheduler.LRScheduler)
function Falling:init(opt, options)
  self.gamma = options.gamma
  optim.lr_scheduler.LRScheduler.init(self, opt)
end
function Falling:get_lr() return self.base_lrs[1] * self.gamma ^ self.last_epoch end
r.optim, r.schedule = My { lr = 0.05 }, Falling { gamma = 0.5 }
)lua";

// Where $HOLD names a step, the recipe says so on stdout in that step and waits for the file `go`.
constexpr const char* holds = R"lua(
local hold, step = tonumber(os.getenv('HOLD') or ''), 0
r.epochs = 3
r.callbacks = { on_step = function()
  step = step + 1
  if step ~= hold then return end
  print('holding')
  io.stdout:flush()
  while true do
    local f = io.open('go')
    if f then f:close() return end
  end
end }
)lua";

// A recipe of model, loss and one optimizer alone, whose steps are share/luth/train/plain_step.lua's where no callback
// looks at them. It says so, and holds in its loss.
constexpr const char* plain = R"lua(
local wait, loss = r.callbacks.on_step, r.loss
r.callbacks, r.schedule, r.log_every = { on_step = os.getenv 'GENERAL' and print }, nil, 2
r.loss = function(output, y)
  if output.requires_grad then wait() end
  if output.requires_grad and debug.traceback():find 'plain_step' then print 'plain' end
  return loss(output, y)
end
)lua";

// Weights, optimizer, schedule, random state: everything in both files is equal.
constexpr const char* compare = R"lua(
local function same(a, b, where)
  if torch.is_tensor(a) then
    assert(torch.equal(a, b), where)
  elseif type(a) == 'table' then
    for k, v in pairs(a) do same(v, b[k], where .. '.' .. tostring(k)) end
    for k in pairs(b) do assert(a[k] ~= nil, where .. '.' .. tostring(k)) end
  else
    assert(a == b, where)
  end
end
same(torch.load(arg[1]), torch.load(arg[2]), 'state')
print('same')
)lua";

// What is random in a transform of batches is a function of seed, epoch and batch, whatever else draws.
constexpr const char* augmented = R"lua(
local mix = data.transforms.RandomChoice { data.transforms.MixUp { num_classes = 3 }, data.transforms.LabelSmoothing { num_classes = 3 } }
r.augment = mix
r.ema = 0.9
)lua";

// Training data without numbered samples, drawn from a buffer; the stream ends within the last step of an epoch.
constexpr const char* streamed = R"lua(
local Stream = data.class 'Stream'
function Stream:iter()
  local i = 0
  return function()
    i = i + 1
    if i <= 64 then return x[i], y[i] end
  end
end
r.data.train = data.Shuffler(Stream(), { buffer_size = 20 })
r.limit_train, r.batch, r.accumulate = 9, 10, 2
r.schedule = nil
)lua";

class Resume : public ::testing::Test {
 protected:
  Resume() {
    dir_.write("p.lua", points_recipe(holds));
    dir_.write("compare.lua", compare);
  }
  // The run that nothing stops, in `whole`.
  void run_whole(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"train", "p.lua", "--dir", "whole"});
    Result r = run_in(dir_, more);
    ASSERT_EQ(r.code, 0) << r.err;
  }
  // A run in `part` that gets `signal` in its step `step`.
  Result run_until(int step, int signal, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"train", "p.lua", "--dir", "part"});
    Process p(more, {.env = {{"HOLD", std::to_string(step)}}, .dir = dir_.path()});
    EXPECT_TRUE(p.wait_for("holding"));
    p.signal(signal);
    dir_.write("go", "");
    Result r = p.wait();
    std::filesystem::remove(dir_ / "go");
    return r;
  }
  void expect_same() {
    EXPECT_EQ(log_of(dir_, "part"), log_of(dir_, "whole"));
    Result r = run_in(dir_, {"compare.lua", "part/ckpt/last.h5", "whole/ckpt/last.h5"});
    EXPECT_EQ(r.out, "same\n") << r.err;
  }
  TempDir dir_;
};

TEST_F(Resume, AfterCtrlC) {
  run_whole();
  Result r = run_until(6, SIGINT);  // the second batch of the second epoch
  EXPECT_EQ(r.code, 130);
  EXPECT_TRUE(has(r.err, "interrupted: saved part/ckpt/last.h5 after epoch 2, batch 2")) << r.err;
  EXPECT_TRUE(has(r.err, "--resume --dir part")) << r.err;
  r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "resuming part at epoch 2, batch 2")) << r.err;
  expect_same();
}

TEST_F(Resume, WithClassesOfTheRecipe) {
  dir_.write("p.lua", points_recipe(std::string(holds) + own_classes));
  run_whole();
  EXPECT_EQ(run_until(6, SIGINT).code, 130);
  Result r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"});
  EXPECT_EQ(r.code, 0) << r.err;
  expect_same();
}

TEST_F(Resume, WithTransformsOfBatches) {
  dir_.write("p.lua", points_recipe(std::string(holds) + augmented));
  run_whole();
  EXPECT_EQ(run_until(2, SIGINT).code, 130);
  EXPECT_EQ(run_until(5, SIGTERM, {"--resume", "--workers", "2", "--threads", "1"}).code, 143);
  Result r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part", "--workers", "0", "--threads", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  expect_same();
}

TEST_F(Resume, WithStreams) {
  dir_.write("p.lua", points_recipe(std::string(holds) + streamed));
  run_whole();
  EXPECT_EQ(run_until(4, SIGINT).code, 130);
  EXPECT_EQ(run_until(6, SIGTERM, {"--resume"}).code, 143);
  Result r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part", "--workers", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "--workers 2 changes nothing for the training data: a stream is read on")) << r.err;
  EXPECT_TRUE(has(r.err, "a stream of samples, 3 epochs of 9 batches")) << r.err;
  expect_same();
  r = run_in(dir_, {"train", "p.lua", "--limit-train", "0", "--dir", "other"});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(has(r.err, "the training data has no length: --limit-train says how many batches")) << r.err;
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--dry-run"}).code, 0);
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--overfit", "2", "--dir", "few"}).code, 0);
}

TEST_F(Resume, PlainSteps) {
  dir_.write("p.lua", points_recipe(std::string(holds) + plain));
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "whole"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "plain")) << r.out;
  EXPECT_EQ(run_until(6, SIGINT).code, 130);
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"}).code, 0);
  expect_same();
  std::filesystem::remove_all(dir_ / "part");
  r = run_in(dir_, {"train", "p.lua", "--dir", "part"}, {{"GENERAL", "1"}});
  EXPECT_TRUE(r.code == 0 && !has(r.out, "plain")) << r.out << r.err;
  expect_same();
}

TEST_F(Resume, AnErrorOfTheDataSavesWhatIsLearned) {
  const std::string set =
      "local D = data.class('D') function D:len() return 64 end "
      "function D:get(i) local z = torch.rand(6) "
      "if i == 40 and io.open('broken') then error('torn') end return x[i] + z, i % 3 + 1 end "
      "r.data.train = D() ";
  dir_.write("p.lua", points_recipe(std::string(holds) + set));
  run_whole();
  dir_.write("broken", "");
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "part", "--workers", "2"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(has(r.err, "--workers 2 changes nothing for the training data: datasets and transforms in Lua run on"))
      << r.err;
  EXPECT_TRUE(has(r.err, "saved part/ckpt/last.h5 after epoch 1, batch ")) << r.err;
  EXPECT_TRUE(has(r.err, "sample 40 of the dataset: ") && has(r.err, "torn")) << r.err;
  std::filesystem::remove(dir_ / "broken");
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"}).code, 0);
  expect_same();
}

TEST_F(Resume, LogLinesOfEpochsThatRunAgainGo) {
  run_whole();
  ASSERT_EQ(run_until(6, SIGINT).code, 130);
  // As if the run had been killed after its line for the second epoch and within the next one.
  std::ofstream(dir_ / "part/log.jsonl", std::ios::app) << "{\"epoch\":2,\"loss\":9}\n{\"epoch\":3,\"lo";
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"}).code, 0);
  expect_same();
}

TEST_F(Resume, AfterSeveralStopsWithWorkers) {
  run_whole();
  EXPECT_EQ(run_until(1, SIGINT, {"--workers", "2"}).code, 130);
  EXPECT_EQ(run_until(3, SIGTERM, {"--resume"}).code, 143);  // the last batch of the first epoch
  EXPECT_EQ(run_until(5, SIGINT, {"--resume"}).code, 130);
  Result r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(log_of(dir_, "part"), log_of(dir_, "whole"));
}

TEST_F(Resume, AfterTermination) {
  run_whole({"--accumulate", "2"});
  Result r =
      run_until(5, SIGTERM, {"--accumulate", "2"});  // not a step of the optimizer: it stops after the next batch
  EXPECT_EQ(r.code, 143);
  EXPECT_TRUE(has(r.err, "terminated: saved part/ckpt/last.h5 after epoch 2, batch 2")) << r.err;
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"}).code, 0);
  expect_same();
}

TEST_F(Resume, AfterKill) {
  run_whole({"--save-every", "3"});
  Result r = run_until(8, SIGKILL, {"--save-every", "3"});
  EXPECT_EQ(r.code, 137);
  r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"});
  EXPECT_EQ(r.code, 0) << r.err;
  // the save of step 6 takes place beside the next steps
  EXPECT_TRUE(has(r.err, "resuming part at epoch 2, batch 2") || has(r.err, "resuming part at epoch 2, batch 0") ||
              has(r.err, "resuming part at epoch 1, batch 3"))
      << r.err;
  expect_same();
}

// best.h5 is written before last.h5.
TEST_F(Resume, AfterKillWithinTheFirstSave) {
  run_whole();
  ASSERT_EQ(run_until(10, SIGKILL).code, 137);  // before this epoch the save of the first one has ended
  std::filesystem::remove(dir_ / "part/ckpt/last.h5");
  std::filesystem::remove(dir_ / "part/ckpt/prev.h5");
  Result r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "part"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "resuming part at epoch 2, batch 0") || has(r.err, "resuming part at epoch 3, batch 0"))
      << r.err;
  expect_same();
}

// A run does not go on without its options, nor begin anew, because a file cannot be read.
// Another may have written the checkpoint: whatever it says, it is named, nothing is trained, and signals are heard.
TEST_F(Resume, CheckpointsOfOddValues) {
  dir_.write("s.lua",
             points_recipe("r.schedule = optim.lr_scheduler.ExponentialLR { gamma = tonumber(os.getenv 'GAMMA') }"));
  const auto with = [&](const char* gamma) { return RunOptions{.env = {{"GAMMA", gamma}}, .dir = dir_.path()}; };
  ASSERT_EQ(luth::testing::run({"train", "s.lua", "--dir", "part", "--epochs", "1"}, with("0.9")).code, 0);
  const std::string last = dir_ / "part/ckpt/last.h5", good = read_file(last), log = log_of(dir_, "part");
  const auto change = [&](const std::string& line) {
    dir_.write("part/ckpt/last.h5", good);
    const std::string code = "local f = os.getenv 'FILE' local s = torch.load(f) " + line + " torch.save(s, f)";
    const Result r = luth::testing::run({"-e", code}, {.env = {{"FILE", last}}});
    ASSERT_EQ(r.code, 0) << r.err;
  };
  const std::vector<std::string> resume{"train", "s.lua", "--dir", "part", "--epochs", "2", "--resume"};
  for (const char* line :
       {"s.loader.epoch = 'x'", "s.loader.epoch = -5", "s.loader.batch = 0.5", "s.progress.best = 'x'",
        "s.random.torch = nil", "s.progress.sum = 'x'", "s.settings.seed = 1.5", "s.settings.made.schedule = 7",
        "s.random.torch = torch.ones(3)", "s.random.torch = s.random.torch:narrow(1, 1, 5)"}) {
    change(line);
    const Result r = luth::testing::run(resume, with("0.9"));
    EXPECT_EQ(r.code, 5) << line << ": " << r.err;
    EXPECT_TRUE(has(r.err, "last.h5 is damaged")) << line << ": " << r.err;
    EXPECT_FALSE(has(r.err, "stack traceback")) << line << ": " << r.err;
    EXPECT_EQ(log_of(dir_, "part"), log) << line;
  }
  change("s.loader.epoch = 1 << 62");
  Process p(resume, with("0.8"));
  usleep(1'000'000);
  p.signal(SIGTERM);
  const Result r = p.wait();
  EXPECT_EQ(r.code, 143) << r.err;
}

TEST_F(Resume, OptionsThatCannotBeRead) {
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--epochs", "1"}).code, 0);
  std::filesystem::remove(dir_ / "part/options.json");
  std::filesystem::create_directory(dir_ / "part/options.json");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"train", "p.lua", "--resume", "--dir", "part"}, {"eval", "part"}}) {
    Result r = run_in(dir_, words);
    EXPECT_EQ(r.code, 1) << r.err;
    EXPECT_TRUE(has(r.err, "cannot read 'part/options.json': it is a folder")) << r.err;
  }
}

TEST_F(Resume, ASecondCtrlCEndsAtOnce) {
  Process p({"train", "p.lua", "--dir", "part"}, {.env = {{"HOLD", "2"}}, .dir = dir_.path()});
  ASSERT_TRUE(p.wait_for("holding"));
  // Signals that come while one is pending count as one, so more than two may be needed.
  siginfo_t ended{};
  for (int i = 0; i < 3000 && ended.si_pid == 0; ++i) {
    p.signal(SIGINT);
    usleep(20000);
    waitid(P_PID, id_t(p.pid()), &ended, WEXITED | WNOHANG | WNOWAIT);
  }
  Result r = p.wait();
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(r.code, 130);
}

TEST_F(Resume, KeepsOptionsAndTakesNewOnes) {
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--hidden", "12", "--epochs", "1"}).code, 0);
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "part", "--resume", "--epochs", "2"});
  EXPECT_EQ(r.code, 0) << r.err;  // the model is the one with 12 hidden units
  EXPECT_TRUE(has(r.err, "resuming part at epoch 2")) << r.err;
  EXPECT_TRUE(has(r.err, "epoch 2/2")) << r.err;
}

// An option that is given on resuming takes effect, or is refused; it is never recorded and ignored.
TEST_F(Resume, OptionsOnResumingCount) {
  dir_.write("plain.lua", points_recipe("r.schedule = nil r.optim = optim.SGD { lr = o.lr, momentum = 0.9 }"));
  ASSERT_EQ(run_in(dir_, {"train", "plain.lua", "--dir", "part"}).code, 0);
  Result r = run_in(dir_, {"train", "plain.lua", "--dir", "part", "--resume", "--lr", "0.5", "--epochs", "3"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "from here on: lr = 0.5 (was 0.02)")) << r.err;
  EXPECT_TRUE(has(log_of(dir_, "part"), "\"epoch\":3,\"loss\":")) << log_of(dir_, "part");
  EXPECT_TRUE(has(log_of(dir_, "part").substr(log_of(dir_, "part").find("\"epoch\":3")), "\"lr\":0.5,"));
  // Once said, it stays, and is no change any more.
  r = run_in(dir_, {"train", "plain.lua", "--dir", "part", "--resume", "--epochs", "4"});
  EXPECT_FALSE(has(r.err, "from here on")) << r.err;
  EXPECT_TRUE(has(log_of(dir_, "part").substr(log_of(dir_, "part").find("\"epoch\":4")), "\"lr\":0.5,"));
  r = run_in(dir_, {"train", "plain.lua", "--dir", "part", "--resume", "--epochs", "5", "--seed", "3"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--seed 3: the run was started with seed 0")) << r.err;
}

TEST_F(Resume, WithinAnEpochTheBatchStays) {
  ASSERT_EQ(run_until(6, SIGINT).code, 130);
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "part", "--resume", "--batch", "8"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--batch 8: the run stopped within epoch 2, after 2 batches, with --batch 16")) << r.err;
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--resume"}).code, 0);
}

TEST_F(Resume, WithinAnEpochTheBatchChangesByForce) {
  ASSERT_EQ(run_until(6, SIGINT).code, 130);
  const Result r = run_in(dir_, {"train", "p.lua", "--dir", "part", "--resume", "--batch", "8", "--force"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "resuming part at epoch 2, batch 4")) << r.err;  // two of 16 samples are four of 8
}

// A schedule of other settings gives the rates that it would have given from the start.
TEST_F(Resume, AScheduleThatWasChanged) {
  const std::string step = "r.optim = optim.SGD { lr = o.lr } r.schedule = optim.lr_scheduler.StepLR { step_size = 1 }";
  dir_.write("step.lua", points_recipe(step));
  ASSERT_EQ(run_in(dir_, {"train", "step.lua", "--dir", "part", "--lr", "1"}).code, 0);
  Result r = run_in(dir_, {"train", "step.lua", "--dir", "part", "--resume", "--lr", "0.5", "--epochs", "3"});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string log = log_of(dir_, "part");
  const size_t at = log.find("\"lr\":", log.find("\"epoch\":3"));
  EXPECT_NEAR(std::stod(log.substr(at + 5)), 0.005, 1e-12) << log;
}

TEST_F(Resume, AveragesThatBeginLater) {
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part"}).code, 0);
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--resume", "--epochs", "4", "--ema", "0.999999"}).code,
            0);
  // They begin with the weights of the run, not with those of a new model.
  Result r = run_in(dir_, {"-e",
                           "local last, prev = torch.load('part/ckpt/last.h5'), torch.load('part/ckpt/prev.h5')\n"
                           "print(torch.allclose(last.ema['1.weight'], prev.model['1.weight'], {atol = 1e-4}))"});
  EXPECT_EQ(r.out, "true\n") << r.err;
}

TEST_F(Resume, AFinishedRunIsLeftAlone) {
  run_whole();
  const std::string before = read_file(dir_ / "whole/ckpt/last.h5");
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "whole", "--resume"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "nothing is left to do") && has(r.err, "3 of 3 epochs")) << r.err;
  EXPECT_FALSE(has(r.err, "resuming")) << r.err;
  EXPECT_EQ(read_file(dir_ / "whole/ckpt/last.h5"), before);
}

TEST_F(Resume, TheWordsOfARunAreKeptOnce) {
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--wide", "--hidden", "5"}).code, 0);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--resume", "--no-wide", "--epochs",
                            std::to_string(4 + i), "--threads", "1"})
                  .code,
              0);
  const std::string options = read_file(dir_ / "part/options.json");
  EXPECT_TRUE(has(options, "\"recipe\":\"p.lua\",\"words\":[\"--hidden=5\",\"--no_wide\",\"--epochs=5\"]}\n"))
      << options;
  EXPECT_TRUE(has(options, "\"hidden\":{\"source\":\"the run before\",\"value\":\"5\"}")) << options;
  EXPECT_TRUE(has(options, "\"epochs\":{\"source\":\"command line\",\"value\":\"5\"}")) << options;
}

TEST_F(Resume, TwoAtOnce) {
  Process first({"train", "p.lua", "--dir", "part"}, {.env = {{"HOLD", "2"}}, .dir = dir_.path()});
  ASSERT_TRUE(first.wait_for("holding"));
  for (const char* resume : {"--resume", "--no-resume"}) {
    Result r = run_in(dir_, {"train", "p.lua", "--dir", "part", resume});
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(r.err, "another luth (process " + std::to_string(first.pid()) + ") trains in part")) << r.err;
  }
  first.signal(SIGKILL);
  first.wait();
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--resume"}).code, 0);
}

TEST_F(Resume, InAnEmptyFolderStartsAfresh) {
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "fresh", "--resume"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_FALSE(has(r.err, "resuming")) << r.err;
}

TEST_F(Resume, AFolderWithARunIsRefusedWithoutIt) {
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "part", "--epochs", "1"}).code, 0);
  const std::string before = read_file(dir_ / "part/ckpt/last.h5");
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "part"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "part already holds a run; pass --resume")) << r.err;
  EXPECT_FALSE(has(r.err, "traceback")) << r.err;
  EXPECT_EQ(read_file(dir_ / "part/ckpt/last.h5"), before);
}

TEST_F(Resume, ADivergedRunLeavesTheLastGoodState) {
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "part", "--epochs", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  dir_.write("p.lua", points_recipe("r.schedule = nil r.optim = optim.SGD { lr = 1e30 }"));
  r = run_in(dir_, {"train", "p.lua", "--dir", "new", "--epochs", "9", "--save-every", "1"});
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_TRUE(has(r.err, "the loss is nan in epoch 1") || has(r.err, "the loss is inf in epoch 1")) << r.err;
  r = run_in(dir_, {"-e", "print(torch.load('new/ckpt/last.h5').progress.sum:item() < math.huge)"});
  EXPECT_EQ(r.out, "true\n") << r.err;
}

TEST_F(Resume, AfterAFullDisk) {
  SmallDisk disk(dir_ / "disk", "size=16m");
  if (!disk.mounted()) GTEST_SKIP() << "a small tmpfs cannot be mounted here";
  std::vector<std::string> words{"train", "p.lua", "--dir", "disk/run", "--hidden", "20000", "--epochs", "1"};
  Result r = run_in(dir_, words);
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string before = run_in(dir_, {"eval", "disk/run/ckpt/last.h5"}).out;
  EXPECT_TRUE(has(before, "accuracy ")) << before;
  {
    std::ofstream filler(dir_ / "disk/filler", std::ios::binary);
    const std::string block(65536, 'x');
    while (filler.write(block.data(), std::streamsize(block.size())).flush()) {}
  }
  words.back() = "2";
  words.push_back("--resume");
  r = run_in(dir_, words);
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(has(r.err, "No space left on device")) << r.err;
  EXPECT_TRUE(has(r.err, "disk/run/")) << r.err;
  EXPECT_EQ(run_in(dir_, {"eval", "disk/run/ckpt/last.h5"}).out, before) << "the checkpoint from before is lost";
  std::filesystem::remove(dir_ / "disk/filler");
  r = run_in(dir_, words);
  EXPECT_EQ(r.code, 0) << r.err;
}

}  // namespace
}  // namespace luth::testing
