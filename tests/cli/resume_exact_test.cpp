// Each thing that a run can hold, through each way in which it can be stopped: SIGUSR1 and kill -9, SIGTERM, SIGINT, a
// full disk and kill -9, each time at another number of workers and threads. What comes out is bit for bit that of a
// run that nothing stops.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/cli/comparable.h"

namespace luth::testing {
namespace {

// In the steps that $HOLD names, the recipe says so on stdout, and waits for a file.
constexpr const char* holds = R"lua(
r.epochs, r.log_every = 3, 1
local hold = os.getenv 'HOLD' or ''
r.callbacks = { on_step = { function(ctx)
  local name = 'go-' .. ctx.step
  if not hold:find(name .. ';', 1, true) then return end
  print(name)
  io.stdout:flush()
  while not io.open(name) do end
end } }
)lua";

struct Feature {
  const char* name;
  const char* lua;
  friend void PrintTo(const Feature& f, std::ostream* out) { *out << f.name; }
};

const Feature features[] = {
    {"Augmentation", R"lua(
local T = data.transforms
local pictures = data.TensorDataset(torch.randint(0, 256, { 64, 1, 4, 4 }):byte(), y)
r.data.train = data.Transformed(pictures, T.Compose { T.RandomHorizontalFlip(), T.RandomCrop(4, { padding = { 1 } }), T.ToTensor() })
r.data.val = data.Transformed(pictures, T.ToTensor())
r.model = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3)))lua"},
    {"MixupAndEma", R"lua(
r.augment = data.transforms.RandomChoice { data.transforms.MixUp { num_classes = 3 }, data.transforms.LabelSmoothing { num_classes = 3 } }
r.ema, r.clip = 0.9, 0.5)lua"},
    {"Accumulation", "r.batch, r.accumulate = 8, 2"},
    {"LazyModelAndEma", "r.model, r.ema = nn.LazyLinear(8) .. nn.LazyBatchNorm1d() .. nn.Linear(8, 3), 0.9"},
    {"PlateauOfEverySecondEpoch",
     "r.schedule, r.val_every = optim.lr_scheduler.ReduceLROnPlateau { patience = 0, threshold = 1e9 }, 2"},
    {"StochasticWeightAverages", R"lua(
local averaged = optim.swa_utils.AveragedModel(r.model)
r.state = { averaged = averaged }
table.insert(r.callbacks.on_step, 1, function(ctx) averaged:update_parameters(ctx.model) end))lua"},
    {"TwoOptimizersWithSchedules", R"lua(
local first, second = optim.Adam(r.model[1]:parameters(), { lr = 0.05 }), optim.SGD(r.model[4]:parameters(), { lr = 0.1, momentum = 0.9 })
r.optim, r.schedule = { first = first, second = second }, nil
local falling = optim.lr_scheduler.ExponentialLR(second, { gamma = 0.7 })
r.state = { falling = falling }
r.step = function(model, batch, ctx)
  local loss = r.loss(model(batch[1]), batch[2])
  for _, o in pairs(ctx.optimizer) do o:zero_grad() end
  loss:backward()
  first:step()
  second:step()
  falling:step()
end)lua"},
    {"LossScale", R"lua(
local scaler = { scale = 1024.0, good = 0 }
function scaler:state_dict() return { scale = self.scale, good = self.good } end
function scaler:load_state_dict(s) self.scale, self.good = s.scale, s.good end
r.state = { scaler = scaler }
r.schedule = nil
r.step = function(model, batch, ctx)
  ctx.optimizer:zero_grad();
  (r.loss(model(batch[1]), batch[2]) * scaler.scale):backward()
  for _, p in ipairs(model:parameters()) do p.grad = p.grad / (scaler.scale + 1 / 3) end
  ctx.optimizer:step()
  scaler.good = scaler.good + 1
  if scaler.good % 3 == 0 then scaler.scale = scaler.scale * 2 end
end)lua"},
    {"Stream", R"lua(
local Stream = data.class 'Stream'
function Stream:iter()
  local i = 0
  return function()
    i = i + 1
    if i <= 64 then return x[i], y[i] end
  end
end
r.data.train = data.Shuffler(Stream(), { buffer_size = 20 })
r.limit_train, r.schedule = 4, nil)lua"},
    {"Patience", R"lua(
r.optim, r.schedule = optim.SGD { lr = 0.0 }, nil
r.epochs, r.early_stop, r.keep, r.metrics = 9, 2, 2, { 'accuracy', 'f1', 'auroc' }
r.metrics[3] = function(output) return output:mean() end)lua"},
    {"Plateau", "r.schedule = optim.lr_scheduler.ReduceLROnPlateau { patience = 0, threshold = 10 }"},
    {"LossOfNoNumber", R"lua(
x[5][2] = 0 / 0
r.data.val = data.TensorDataset(x:narrow(1, 10, 50), y:narrow(1, 10, 50))
r.on_nan, r.epochs = 'skip', 5)lua"},
};

class Exact : public ::testing::TestWithParam<Feature> {
 protected:
  Exact() : disk_(dir_ / "disk", "size=4m") { dir_.write("p.lua", points_recipe(std::string(holds) + GetParam().lua)); }
  Process start(const std::string& at, std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "p.lua", "--dir", "disk/part"});
    return Process(more, {.env = {{"HOLD", at}}, .dir = dir_.path()});
  }
  void expect_hold(Process& p, const std::string& name) { ASSERT_TRUE(p.wait_for(name + "\n")) << p.wait().err; }
  // A file of the run as it can be compared, "" for none.
  std::string file(const std::string& run, const std::string& name) {
    const std::string path = dir_ / (run + "/" + name);
    return std::filesystem::exists(path) ? comparable(name, read_file(path)) : "";
  }
  void fill_disk() {
    std::ofstream filler(dir_ / "disk/filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (filler.write(block.data(), std::streamsize(block.size())).flush()) {}
  }
  TempDir dir_;
  SmallDisk disk_;
};

TEST_P(Exact, ThroughEachStop) {
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "whole"});
  ASSERT_EQ(r.code, 0) << r.err;
  {
    Process p = start("go-2;go-4;", {});
    expect_hold(p, "go-2");
    p.signal(SIGUSR1);
    dir_.write("go-2", "");
    expect_hold(p, "go-4");
    for (int i = 0; i < 500 && !std::filesystem::exists(dir_ / "disk/part/ckpt/last.h5"); ++i) usleep(10000);
    p.signal(SIGKILL);
    EXPECT_EQ(p.wait().code, 137);
  }
  {
    Process p = start("go-5;", {"--resume", "--workers", "2", "--threads", "1"});
    expect_hold(p, "go-5");
    p.signal(SIGTERM);
    dir_.write("go-5", "");
    r = p.wait();
    EXPECT_EQ(r.code, 143) << r.err;
    // A batch that is left out is no step: the epoch with one ends before step 4, and its save may have, too.
    const bool may_have_ended = std::string(GetParam().name) == "LossOfNoNumber";
    EXPECT_TRUE(has(r.err, "resuming disk/part at epoch 1, batch ") ||
                (may_have_ended && has(r.err, "resuming disk/part at epoch 2, batch 0")))
        << r.err;
  }
  {
    Process p = start("go-7;", {"--resume", "--workers", "1"});
    expect_hold(p, "go-7");
    p.signal(SIGINT);
    dir_.write("go-7", "");
    EXPECT_EQ(p.wait().code, 130);
  }
  if (disk_.mounted()) {
    Process p = start("go-9;go-10;", {"--resume", "--workers", "3"});
    expect_hold(p, "go-9");
    fill_disk();
    p.signal(SIGUSR1);
    dir_.write("go-9", "");
    expect_hold(p, "go-10");
    p.signal(SIGKILL);
    EXPECT_EQ(p.wait().code, 137);
    std::filesystem::remove(dir_ / "disk/filler");
  }
  r = run_in(dir_, {"train", "p.lua", "--resume", "--dir", "disk/part", "--workers", "0", "--threads", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* name :
       {"ckpt/last.h5", "ckpt/best.h5", "log.jsonl", "metrics.csv", "events.out.tfevents.luth", "warnings.jsonl"})
    EXPECT_EQ(file("disk/part", name), file("whole", name)) << name;
}

INSTANTIATE_TEST_SUITE_P(Resume, Exact, ::testing::ValuesIn(features),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace luth::testing
