// The backend nccl under luth launch, on the fake run-time with the fake NCCL: what becomes of a run when one of its
// processes fails, stops or calls something else.
#include <gtest/gtest.h>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

const std::string begin =
    "local dist = torch.distributed\ndist.init_process_group('nccl', { timeout = 4 })\nlocal r = dist.get_rank()\n"
    "local x = torch.full({4}, r + 1.0, { device = 'cuda' })\n";

Result launch(const std::string& script, int ranks, const Env& more = {}) {
  TempDir dir;
  dir.write("s.lua", script);
  Env env{{"LUTH_DEVICE_PATH", LUTH_BINARY_DIR "/lib-test"}, {"FAKECUDA_DEVICES", "4"}};
  env.insert(env.end(), more.begin(), more.end());
  return run({"launch", "--nproc", std::to_string(ranks), "s.lua"}, {.env = env, .dir = dir.path()});
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define EXPECT_SAYS(result, part) EXPECT_TRUE(has((result).err, part)) << (result).err

class Nccl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (address_sanitizer) GTEST_SKIP() << "exit codes are the sanitizer's";
  }
};

TEST_F(Nccl, ARankThatDies) {
  const std::string script = begin + "for i = 1, 3 do dist.all_reduce(x) end\nprint(x:sum():item())\n";
  for (const char* death : {"", "remote"}) {
    const Result r = launch(script, 3, {{"FAKENCCL_KILL", "1:2"}, {"FAKENCCL_DEATH", death}});
    EXPECT_EQ(r.code, 128 + 9) << r.err;
    EXPECT_EQ(r.out, "") << "a sum that is none";
    EXPECT_SAYS(r, "rank 1 died of signal 9");
    EXPECT_SAYS(r, "all_reduce(cuda float32[4], SUM) at s.lua:5 of rank 0 cannot end, because rank 1 has ended");
    EXPECT_SAYS(r, "rank 2 ended with code 6");
  }
}

TEST_F(Nccl, ARankThatStops) {
  const Result r = launch(begin +
                              "for i = 1, 3 do dist.all_reduce(x) end\nif r ~= 1 then print(x:sum():item()) end\n"
                              "dist.barrier()\n",
                          2, {{"FAKENCCL_STOP", "1:2"}});
  EXPECT_EQ(r.code, 6) << r.err;
  EXPECT_SAYS(r, "has not ended within 4 s: the GPU still waits for other ranks; rank 1 ");
}

TEST_F(Nccl, RanksThatCallDifferentThings) {
  const std::string script = begin +
                             "dist.all_reduce(x)\nif r == 0 then dist.all_reduce(x) else dist.broadcast(x, 0) "
                             "end\nprint(x:sum():item())\n";
  for (const char* check : {"0", "1"}) {
    const Result r = launch(script, 2, {{"LUTH_DIST_CHECK", check}});
    EXPECT_EQ(r.code, 6) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_SAYS(r,
                "call 2 of the group '0' differs: rank 0 calls all_reduce(cuda float32[4], SUM) at s.lua:6, and "
                "rank 1 calls broadcast(cuda float32[4], src = 0) at s.lua:6");
  }
}

// The error is seen by the thread that watches or by the next call, whichever asks first.
TEST_F(Nccl, AnErrorOfTheGpu) {
  const Result r = launch(begin + "for i = 1, 3 do dist.all_reduce(x) end\nprint(x:sum():item())\n", 2,
                          {{"FAKENCCL_FAIL", "1:2:6"}});
  EXPECT_EQ(r.code, 6) << r.err;
  EXPECT_SAYS(r, ": remote process exited or there was a network error: the test asked for an error");
}

TEST_F(Nccl, GpusFewerThanRanks) {
  const Result two = launch(begin, 3, {{"FAKECUDA_DEVICES", "2"}});
  EXPECT_EQ(two.code, 2) << two.err;
  EXPECT_SAYS(two, "rank 2 is process 2 of its machine, counted from 0, and the machine has 2 GPUs");
  const Result one = launch(begin, 2, {{"FAKECUDA_DEVICES", "1"}});
  EXPECT_EQ(one.code, 2) << one.err;
  EXPECT_SAYS(one, "ranks 0 and 1 have the same GPU, cuda:0 (PCI 0000:01:00.0)");
}

// With any backend or none: each has its own, and those that are more share them.
TEST_F(Nccl, RanksTakeGpusInTurn) {
  const std::string script =
      "local own = torch.ones(1, { device = 'cuda' }).device\n"
      "torch.cuda.set_device(0)\nprint(own, torch.ones(1, { device = 'cuda' }).device)\n";
  const Result r = launch(script, 3, {{"FAKECUDA_DEVICES", "2"}});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* line : {"[0] cuda:0\tcuda:0\n", "[1] cuda:1\tcuda:0\n", "[2] cuda:0\tcuda:0\n"})
    EXPECT_TRUE(has(r.out, line)) << r.out;
}

TEST_F(Nccl, TensorsOfOtherDevices) {
  const Result r = launch(begin +
                              "print(pcall(dist.all_reduce, torch.ones(2)))\n"
                              "print(pcall(dist.all_reduce, torch.ones(2, { device = 'cuda:3' })))\n",
                          2);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "has the backend nccl, which takes no tensors of cpu")) << r.out;
  EXPECT_TRUE(has(r.out, "is on cuda:1, and a tensor of the call on cuda:3; call torch.cuda.set_device")) << r.out;
}

TEST_F(Nccl, ABackendForEachKindOfDevices) {
  const Result r = launch(
      "local dist = torch.distributed\ndist.init_process_group('cpu:gloo,cuda:nccl')\nlocal r = dist.get_rank()\n"
      "local x, y = torch.full({4}, r + 1.0, { device = 'cuda' }), torch.full({4}, r + 1.0)\n"
      "dist.all_reduce(x) dist.all_reduce(y) dist.monitored_barrier()\n"
      "print(x.device, x:tolist()[1], y:tolist()[1])\n"
      "print(pcall(dist.new_group, { 0, 1 }, { backend = 'cpu:nccl' }))\n",
      2);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[1] cuda:1\t3.0\t3.0")) << r.out;
  EXPECT_TRUE(has(r.out, "the backend nccl takes tensors of cuda, not of the CPU")) << r.out;
}

// The host goes on; the GPU waits.
TEST_F(Nccl, TheHostDoesNotWait) {
  const Result r = launch(begin +
                              "local w = dist.all_reduce(x, { async_op = true })\nw:wait()\nx:mul_(10)\n"
                              "local early = w:is_completed()\nif r == 1 then dist.barrier() end\n"
                              "if r == 0 then print(early) dist.barrier() end\nprint(x:sum():item())\n",
                          2, {{"FAKENCCL_SEED", "5"}});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[0] 120.0") && has(r.out, "[1] 120.0")) << r.out;
}

TEST_F(Nccl, WhereThereIsNone) {
  const Result r =
      run({"-e", "print(torch.distributed.is_nccl_available()) torch.distributed.init_process_group('nccl')"},
          {.env = {{"LUTH_DEVICE_PATH", LUTH_BINARY_DIR "/lib-test"}, {"FAKECUDA_DRIVER", "none"}}});
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_EQ(r.out, "false\n");
  EXPECT_SAYS(r, "the backend 'nccl' cannot be used: device 'cuda' is not available: no NVIDIA driver");
}

}  // namespace
}  // namespace luth::testing
