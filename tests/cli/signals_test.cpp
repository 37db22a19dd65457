// Signals while the processor computes: a handler's frame belongs on the thread's own stack, and nothing breaks.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// Starts the handler of tests/tick; `ticks()` counts.
const std::string ticking = "local ticks = package.loadlib('" LUTH_BINARY_DIR "/lib-test/tick.so', 'luaopen_tick')()\n";
const Env one_thread{{"LUTH_THREADS", "1"}};

void expect_on_the_stack(const std::string& script) {
  Result r = run({"-"}, {.in = ticking + script + "\nassert(ticks() > 100, ticks())", .env = one_thread});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(Signals, KeepToTheStackInProducts) {
  expect_on_the_stack(R"lua(
    for _, s in ipairs { { 400, 400, 400 }, { 20, 20, 600 }, { 20, 300, 600 }, { 64, 64, 64 }, { 1, 400, 400 }, { 700, 1, 300 } } do
      local m, n, k = table.unpack(s)
      local a, b = torch.randn(m, k), torch.randn(k, n)
      local at, bt = a:t():contiguous():t(), b:t():contiguous():t()
      for i = 1, math.max(2, 40000000 // (m * n * k)) do
        a:mm(b) at:mm(b) a:mm(bt) at:mm(bt)
      end
      a:bfloat16():mm(b:bfloat16())
      a:double():mm(b:double())
    end
  )lua");
}

TEST(Signals, KeepToTheStackInConvolutions) {
  expect_on_the_stack(R"lua(
    local function both(channels, filters, kernel, settings)
      local x = torch.randn(4, channels, 24, 24, { requires_grad = true })
      local w = torch.randn(filters, channels // (settings.groups or 1), kernel[1], kernel[2], { requires_grad = true })
      for _, format in ipairs { torch.contiguous_format, torch.channels_last } do
        local input = x:contiguous { memory_format = format }
        for i = 1, 3 do torch.conv2d(input, w, nil, settings):sum():backward() end
      end
    end
    for _, kernel in ipairs { { 1, 1 }, { 3, 3 }, { 5, 5 }, { 1, 7 } } do
      for _, stride in ipairs { 1, 2 } do
        both(3, 16, kernel, { stride = stride })
        both(64, 64, kernel, { stride = stride, padding = 1 })
        both(16, 16, kernel, { stride = stride, groups = 16 })
      end
    end
    both(64, 64, { 4, 2 }, { stride = 3, padding = 3 })  -- these three were products within oneDNN
    both(160, 64, { 7, 7 }, { stride = 2, padding = 3, groups = 2 })
    both(8, 16, { 3, 3 }, { padding = 2, dilation = 2, groups = 8 })
  )lua");
}

// A net with products of every size that training knows; `more` is Lua in front.
void write_wide_recipe(const TempDir& dir, const std::string& more) {
  dir.write("wide.lua", more + R"lua(
    local x, y = torch.randn(512, 400), torch.randint(1, 11, { 512 })
    return recipe {
      data = data.TensorDataset(x, y),
      model = nn.Sequential(nn.Linear(400, 400), nn.ReLU(), nn.Linear(400, 400), nn.ReLU(), nn.Linear(400, 10)),
      loss = nn.CrossEntropyLoss(), optim = optim.Adam { lr = 0.001 }, batch = 128, epochs = 1000,
    }
  )lua");
}

TEST(Signals, KeepToTheStackInTraining) {
  TempDir dir;
  write_wide_recipe(dir, ticking);
  Result r = run_in(dir, {"train", "wide.lua", "--epochs", "10"}, one_thread);
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(Signals, InterruptsEndProducts) {
  for (int i = 0; i < 8; ++i) {
    Process p({"-e",
               "local a = torch.randn(400, 400) a:mm(a) print('ready') io.stdout:flush() "
               "while true do a = a:mm(a):tanh() end"});
    ASSERT_TRUE(p.wait_for("ready"));
    usleep(20000 + 7000 * unsigned(i));
    p.signal(SIGINT);
    Result r = p.wait();
    EXPECT_EQ(r.code, 130) << r.err;
  }
}

TEST(Signals, InterruptsEndTraining) {
  TempDir dir;
  write_wide_recipe(dir, "");
  for (int i = 0; i < 6; ++i) {
    Process p({"train", "wide.lua"}, {.dir = dir.path()});
    ASSERT_TRUE(p.wait_for("epoch 2/"));
    usleep(5000 * unsigned(i));
    p.signal(SIGINT);
    Result r = p.wait();
    EXPECT_EQ(r.code, 130) << r.err;
  }
}

TEST(Signals, ResizingTheTerminalLeavesProductsAlone) {
  Terminal t;
  ASSERT_TRUE(t.expect("> "));
  t.send(
      "a = torch.randn(400, 400) start = os.clock() "
      "repeat a = a:mm(a):tanh() until os.clock() - start > 0.4 print('do' .. 'ne')\n");
  for (int i = 0; i < 600; ++i) ::kill(t.pid(), SIGWINCH), usleep(500);
  EXPECT_TRUE(t.expect("done", 60) && t.expect("> ")) << t.seen();
  t.send("\x04");
  EXPECT_EQ(t.wait(), 0) << t.seen();
}

// Of all signals that come from outside.
TEST(Signals, WorkersTakeNone) {
  Process p(
      {"-e",
       "local set = torch.utils.data.TensorDataset(torch.randn(64, 3)) "
       "loop = torch.utils.data.DataLoader(set, {num_workers = 2}):batches() loop() "
       "x = torch.zeros(1000000) for i = 1, 50 do x:exp() end print('ready') io.stdout:flush() while true do end"},
      {.env = {{"LUTH_THREADS", "4"}}});
  ASSERT_TRUE(p.wait_for("ready"));
  int others = 0;
  for (auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(p.pid()) + "/task")) {
    std::ifstream status(task.path() / "status");
    unsigned long blocked = 0;
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigBlk:")) blocked = std::stoul(line.substr(7), nullptr, 16);
    const bool main = task.path().filename() == std::to_string(p.pid());
    others += !main;
    unsigned long of_interest = 0;
    for (int s : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPROF, SIGUSR1, SIGWINCH, SIGCONT, SIGCHLD})
      of_interest |= 1ul << (s - 1);
    EXPECT_EQ(blocked & of_interest, main ? 0 : of_interest) << task.path();
  }
  EXPECT_GE(others, 3);
}

}  // namespace
}  // namespace luth::testing
