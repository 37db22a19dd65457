// Saves beside the training: in order, each a state of the run at one step, loud where they fail, on request.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

class Saves : public ::testing::Test {
 protected:
  Result train(std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "p.lua", "--dir", "run"});
    return run_in(dir_, more);
  }
  TempDir dir_;
};

// Each checkpoint is what a callback of its step has seen, though the steps went on.
TEST_F(Saves, AreOfOneStep) {
  dir_.write("p.lua", points_recipe(R"lua(
local sums, steps = {}, {}
local function sum(weights)
  local total = 0
  for _, name in ipairs { '1.weight', '1.bias', '2.weight', '2.bias' } do total = total + weights[name]:double():sum():item() end
  return total
end
r.model = nn.Sequential(nn.Linear(6, 40000), nn.Linear(40000, 3))
r.ema, r.epochs, r.save_every = 0.5, 2, 1
r.callbacks = {
  on_step = function(t) sums[t.step] = sum(t.model:state_dict()) end,
  on_save = function(t, path, step)
    local state = torch.load(path)
    assert(state.progress.step == step and sum(state.model) == sums[step], step)
    if t.step ~= step then steps.later = true end
    steps[#steps + 1] = step
  end,
  on_end = function() print(table.concat(steps, ' '), steps.later) end,
})lua"));
  const Result r = train({"--batch", "8"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.substr(0, r.out.find('\t')), "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16") << r.err;
}

// Where a folder takes the place of last.h5, nothing can be saved, and then it can.
TEST_F(Saves, ThatFailAreSaidAndEndNothing) {
  dir_.write("p.lua", points_recipe(R"lua(
local bad = 'run/ckpt/last.h5/x'
r.epochs = 4
r.callbacks = { on_epoch_start = function(t)
  t.saves:settle(true)
  if t.epoch == 2 then os.execute('rm run/ckpt/last.h5 && mkdir -p ' .. bad) end
  if t.epoch == 3 then os.execute('rm -r run/ckpt/last.h5') end
end })lua"));
  const Result r = train({});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(has(r.err, "saving failed, and the run goes on: ")) << r.err;
  EXPECT_TRUE(has(r.err, "epoch 4/4")) << r.err;
  EXPECT_TRUE(has(r.err, "1 of 4 saves failed; the last time: ")) << r.err;
  EXPECT_EQ(run_in(dir_, {"-e", "print(torch.load('run/ckpt/last.h5').loader.epoch)"}).out, "5\n");
}

// In a folder that nobody can look into nothing can be saved; a link to itself is one for root too.
TEST_F(Saves, IntoAFolderThatCannotBeSeen) {
  dir_.write("p.lua", points_recipe(R"lua(
r.epochs = 4
r.callbacks = { on_epoch_start = function(t)
  t.saves:settle(true)
  if t.epoch == 2 then os.execute('mv run/ckpt run/was && ln -s ckpt run/ckpt') end
  if t.epoch == 3 then os.execute('rm run/ckpt && mv run/was run/ckpt') end
end })lua"));
  const Result r = train({});
  EXPECT_TRUE(has(r.err, "saving failed, and the run goes on: ") && has(r.err, "epoch 4/4")) << r.err;
  EXPECT_TRUE(r.code == 1 && has(r.err, "1 of 4 saves failed; the last time: ")) << r.err;
  EXPECT_EQ(run_in(dir_, {"-e", "print(torch.load('run/ckpt/last.h5').loader.epoch)"}).out, "5\n");
}

// Where best.h5 and epoch-1.h5 cannot be written, later ones can, and last.h5 is written all the same.
TEST_F(Saves, ThatFailDoNotCountAsTheBest) {
  dir_.write("p.lua", points_recipe(R"lua(
r.epochs, r.keep = 5, 2
local epoch
r.metrics = { score = { sums = function() return 1 end, value = function() return ({ 1, 5, 3, 4, 2 })[epoch] end } }
r.callbacks = {
  on_epoch_start = function(t)
    epoch = t.epoch
    t.saves:settle(true)
    if t.epoch == 2 then os.execute('rm run/ckpt/best.h5 && mkdir -p run/ckpt/best.h5/x run/ckpt/epoch-2.h5/x') end
    if t.epoch == 3 then
      print(torch.load('run/ckpt/last.h5').loader.epoch)
      os.execute('rm -r run/ckpt/best.h5 run/ckpt/epoch-2.h5')
    end
  end,
})lua"));
  const Result r = train({});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "3\n")) << r.out;
  EXPECT_TRUE(has(r.err, "1 of 5 saves failed; ")) << r.err;
  EXPECT_EQ(run_in(dir_, {"-e",
                          "print(torch.load('run/ckpt/best.h5').loader.epoch) "
                          "p = torch.load('run/ckpt/last.h5').progress "
                          "print(p.best, p.kept[1].epoch, p.kept[2].epoch, #p.kept)"})
                .out,
            "5\n4\t4\t3\t2\n");
  for (int epoch = 1; epoch <= 5; ++epoch)
    EXPECT_EQ(std::filesystem::exists(dir_ / ("run/ckpt/epoch-" + std::to_string(epoch) + ".h5")),
              epoch == 3 || epoch == 4);
}

TEST_F(Saves, OnASignal) {
  dir_.write("p.lua", points_recipe(R"lua(
r.epochs = 1
local saves = 0
r.callbacks = {
  on_step = function(t)
    if t.step == 1 then
      print('holding')
      io.stdout:flush()
      while not io.open('go') do end
    end
  end,
  on_save = function(t, path, step) print('saved', step) end,
})lua"));
  Process p({"train", "p.lua", "--dir", "run"}, {.dir = dir_.path()});
  ASSERT_TRUE(p.wait_for("holding"));
  p.signal(SIGUSR1);
  dir_.write("go", "");
  const Result r = p.wait();
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "saved\t1\nsaved\t4\n") || has(r.out, "saved\t2\nsaved\t4\n")) << r.out << r.err;
}

// One that comes while the recipe is read waits for the first step.
TEST_F(Saves, OnASignalBeforeTheFirstStep) {
  dir_.write("p.lua", points_recipe(R"lua(
r.epochs = 1
r.callbacks = { on_save = function(t, path, step) print('saved', step) end }
print('reading')
io.stdout:flush()
while not io.open('go') do end
)lua"));
  Process p({"train", "p.lua", "--dir", "run"}, {.dir = dir_.path()});
  ASSERT_TRUE(p.wait_for("reading"));
  p.signal(SIGUSR1);
  dir_.write("go", "");
  const Result r = p.wait();
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "saved\t1\nsaved\t4\n")) << r.out << r.err;
}

}  // namespace
}  // namespace luth::testing
