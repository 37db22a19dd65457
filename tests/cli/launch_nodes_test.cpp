// What ranks learn of a failure where the one who fails has the run's store: rank 0 without a launcher, or the launcher
// of the first machine.
#include <gtest/gtest.h>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define EXPECT_SAYS(result, part) EXPECT_TRUE(has((result).err, part)) << (result).err

std::string free_port() {
  return run({"-e", "io.write(torch.distributed.TCPStore('127.0.0.1', 0, nil, true):port())"}).out;
}

class Nodes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (address_sanitizer) GTEST_SKIP() << "exit codes are the sanitizer's";
  }
  // Two ranks without a launcher; `more` is for rank 1 alone.
  std::pair<Result, Result> ranks(const std::string& script, const Env& more = {}) {
    const std::string port = free_port();
    dir_.write("s.lua", begin + script);
    const auto env = [&](const char* rank) {
      return Env{{"RANK", rank}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port}};
    };
    Env of_1 = env("1");
    of_1.insert(of_1.end(), more.begin(), more.end());
    Process zero({"s.lua"}, {.env = env("0"), .dir = dir_.path()});
    const Result one = run({"s.lua"}, {.env = of_1, .dir = dir_.path()});
    return {zero.wait(), one};
  }
  const std::string begin = "local dist = torch.distributed\ndist.init_process_group { timeout = 60 }\n";
  TempDir dir_;
};

TEST_F(Nodes, TheKeeperOfTheStoreSaysWhyItFails) {
  const auto [zero, one] = ranks("if dist.get_rank() == 0 then error 'my mistake' end dist.barrier()");
  EXPECT_EQ(zero.code, 1) << zero.err;
  EXPECT_EQ(one.code, 6) << one.err;
  EXPECT_SAYS(one, "of rank 1 cannot end, because rank 0 has ended: s.lua:3: my mistake");
}

TEST_F(Nodes, TheKeeperOfTheStoreLeaves) {
  const auto [zero, one] = ranks("if dist.get_rank() == 0 then os.exit(9) end dist.barrier()");
  EXPECT_EQ(zero.code, 9) << zero.err;
  EXPECT_EQ(one.code, 6) << one.err;
  EXPECT_SAYS(one, "of rank 1 cannot end, because rank 0 has ended: it has left the run");
}

TEST_F(Nodes, AStartThatFailsIsKnownToAll) {
  const auto [zero, one] = ranks("", {{"GLOO_SOCKET_IFNAME", "no-such-one"}});
  EXPECT_EQ(one.code, 2) << one.err;
  EXPECT_SAYS(one, "GLOO_SOCKET_IFNAME is 'no-such-one'");
  EXPECT_EQ(zero.code, 6) << zero.err;
  EXPECT_SAYS(zero, "because rank 1 has ended: GLOO_SOCKET_IFNAME is 'no-such-one'");
}

// Rank 1 asks when rank 0 and all else of the first machine have ended already.
TEST_F(Nodes, TheFirstLauncherAnswersForAWhile) {
  const std::string port = free_port();
  dir_.write("s.lua", begin +
                          "if dist.get_rank() == 0 then error 'my mistake' end\n"
                          "repeat local file = io.open 'go' until file\n"
                          "dist.barrier()");
  const auto words = [&](const std::string& node) {
    return std::vector<std::string>{"launch",      "--nproc", "1",        "--nnodes",          "2",
                                    "--node-rank", node,      "--master", "127.0.0.1:" + port, "s.lua"};
  };
  Process zero(words("0"), {.dir = dir_.path()}), one(words("1"), {.dir = dir_.path()});
  EXPECT_TRUE(zero.wait_for("luth launch: rank 0 ended with code 1"));
  usleep(300'000);  // time for a launcher that does not wait to end
  dir_.write("go", "");
  const Result r = one.wait();
  EXPECT_EQ(r.code, 6) << r.err;
  EXPECT_SAYS(r, "of rank 1 cannot end, because rank 0 has ended: s.lua:3: my mistake");
  EXPECT_EQ(zero.wait().code, 1);
}

// These variables do not say how many ranks a machine has.
TEST_F(Nodes, SubgroupsAreTheRunWhereNobodyKnowsMachines) {
  const auto [zero, one] = ranks("print(dist.new_subgroups():size()) dist.barrier()");
  EXPECT_EQ(zero.out, "2\n") << zero.err;
  EXPECT_EQ(one.out, "2\n") << one.err;
}

TEST_F(Nodes, AddressesThatCannotBe) {
  const Result zero = run({"launch", "--nproc", "1", "--nnodes", "2", "--master", "127.0.0.1:0", "x.lua"});
  EXPECT_EQ(zero.code, 2);
  EXPECT_SAYS(zero, "the port is one from 1 to 65535");
  const Result other = run({"launch", "--nproc", "1", "--local-addr", "no-such-host.invalid", "x.lua"});
  EXPECT_EQ(other.code, 2);
  EXPECT_SAYS(other, "--local-addr or --master says that this machine is no-such-host.invalid");
}

}  // namespace
}  // namespace luth::testing
