// luth launch and what becomes of a run when one of its processes fails, stops or calls something else.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

const std::string begin =
    "local dist = torch.distributed\ndist.init_process_group { timeout = 60 }\nlocal r = dist.get_rank()\n";

Result launch(const std::string& script, int ranks, std::vector<std::string> options = {}, const Env& env = {}) {
  TempDir dir;
  std::vector<std::string> words{"launch", "--nproc", std::to_string(ranks)};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(dir.write("s.lua", script));
  return run(words, {.env = env, .dir = dir.path()});
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define EXPECT_SAYS(result, part) EXPECT_TRUE(has((result).err, part)) << (result).err

// Processes that end by an error leave what the sanitizer calls leaks, and then end with a code of its own.
class Launch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (address_sanitizer) GTEST_SKIP() << "exit codes are the sanitizer's";
  }
};

TEST_F(Launch, EnvironmentOfRanks) {
  const Result r = launch(
      "print(os.getenv 'RANK', os.getenv 'LOCAL_RANK', os.getenv 'WORLD_SIZE', os.getenv 'LOCAL_WORLD_SIZE',"
      "os.getenv 'GROUP_RANK', os.getenv 'LUTH_THREADS', #os.getenv 'MASTER_PORT' > 0)",
      2, {"--threads", "3"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[0] 0\t0\t2\t2\t0\t3\ttrue\n")) << r.out;
  EXPECT_TRUE(has(r.out, "[1] 1\t1\t2\t2\t0\t3\ttrue\n")) << r.out;
}

TEST_F(Launch, ArgumentsBehindTheScriptAreIts) {
  TempDir dir;
  const std::string script = dir.write("s.lua", "print(table.concat(arg, '|'))");
  const Result r = run({"launch", "--nproc=1", script, "--nproc", "7", "--threads=2", "--"});
  EXPECT_EQ(r.out, "--nproc|7|--threads=2|--\n") << r.err;
}

TEST_F(Launch, UsageErrors) {
  EXPECT_EQ(run({"launch", "--nproc", "0", "x.lua"}).code, 2);
  EXPECT_EQ(run({"launch", "--nprocs", "2", "x.lua"}).code, 2);
  EXPECT_EQ(run({"launch", "--nproc", "2"}).code, 2);
  EXPECT_EQ(run({"launch", "--nnodes", "2", "x.lua"}).code, 2);
  EXPECT_EQ(run({"launch", "--node-rank", "1", "x.lua"}).code, 2);
  EXPECT_SAYS(run({"launch", "--nnodes", "2", "--master", "nonsense", "x.lua"}), "HOST:PORT");
}

TEST_F(Launch, NamesTheFirstThatFailed) {
  const Result r =
      launch(begin + "dist.barrier()\nif r == 1 then error('my mistake') end\ndist.all_reduce(torch.ones(9))\n", 3);
  EXPECT_EQ(r.code, 1);
  EXPECT_SAYS(r, "luth launch: rank 1 ended with code 1");
  EXPECT_SAYS(r, "rank 0 cannot end, because rank 1 has ended: ");
  EXPECT_SAYS(r, "rank 2 cannot end, because rank 1 has ended: ");
  EXPECT_SAYS(r, "s.lua:5: my mistake");
  EXPECT_SAYS(r, "rank 2 ended with code 6; it waited in all_reduce(float32[9], SUM) at ");
  EXPECT_SAYS(r, "in field 'all_reduce'");
  EXPECT_FALSE(has(r.err, "distributed.lua")) << r.err;  // tracebacks have the script's lines alone
}

TEST_F(Launch, WhoFailedByItselfDidNotWait) {
  const Result r = launch(begin + R"lua(
    local both = dist.FileStore('both', 2)
    local pending = dist.irecv(torch.ones(9), 1 - r)
    os.execute 'sleep 2'  -- the other ranks learn of it once a second
    both:set('awake' .. r, '')
    both:wait { 'awake0', 'awake1' }
    error 'my mistake')lua",
                          2);
  EXPECT_EQ(r.code, 1);
  EXPECT_SAYS(r, " ended with code 1\n");
  EXPECT_FALSE(has(r.err, "it waited in")) << r.err;
}

TEST_F(Launch, WhoWaitedInAnotherGroup) {
  const Result r =
      launch(begin + "local g = dist.new_group { 0, 1 }\nif r == 1 then error 'x' end\ndist.barrier(g)", 2);
  EXPECT_EQ(r.code, 1);
  EXPECT_SAYS(r, "  rank 0 ended with code 6; it waited in barrier() at ");
}

TEST_F(Launch, ErrorsOfRanksDoNotCommandTheTerminal) { EXPECT_SAYS(launch("error('\\27[2J\\7')", 1), "\\x1b[2J\\x07"); }

TEST_F(Launch, AKilledRank) {
  const Result r = launch(
      begin + "dist.barrier()\nif r == 1 then os.execute('kill -9 $PPID') end\ndist.all_reduce(torch.ones(9))\n", 3);
  EXPECT_EQ(r.code, 137);
  EXPECT_SAYS(r, "luth launch: rank 1 died of signal 9");
  EXPECT_SAYS(r, "because rank 1 has ended");
}

TEST_F(Launch, AStoppedRankIsNamedWhenTimeIsOver) {
  const Result r = launch(
      "local dist = torch.distributed\ndist.init_process_group { timeout = 2 }\ndist.barrier()\n"
      "if dist.get_rank() == 1 then os.execute('kill -STOP $PPID') end\ndist.all_reduce(torch.ones(9))\n",
      2);
  EXPECT_EQ(r.code, 6);
  EXPECT_SAYS(r, "has not ended within 2 s");
  EXPECT_SAYS(r, "rank 1 has not come");
  EXPECT_SAYS(r, "rank 1 ended with code 143");  // it goes on, to obey SIGTERM
}

// Messages have no number among the calls of a group.
TEST_F(Launch, AMessageThatDoesNotCome) {
  const Result r = launch(begin +
                              "local x = torch.ones(9)\n"
                              "if r == 0 then dist.recv(x, { src = 1, timeout = 1 }) else dist.all_reduce(x) end",
                          2);
  EXPECT_EQ(r.code, 6);
  EXPECT_SAYS(r, "has not ended within 1 s");
  EXPECT_SAYS(r, "; rank 1 waits in all_reduce(float32[9], SUM) at ");
  EXPECT_FALSE(has(r.err, "here it is 0")) << r.err;
  const size_t one = r.err.find("[1] luth: ");
  EXPECT_LT(r.err.find("recv(float32[9], src = 1) at ", one), r.err.find('\n', one)) << r.err;
}

// Within the broadcast, whose bytes are on their way.
TEST_F(Launch, ARankThatStopsInABroadcastIsNamed) {
  const Result r = launch(
      "local dist = torch.distributed\ndist.init_process_group { timeout = 2 }\nlocal x = torch.ones(10 << 20)\n"
      "dist.broadcast(x, 0)\nif dist.get_rank() == 1 then\n  local stat <close> = io.open '/proc/self/stat'\n"
      "  os.execute('(sleep 0.3; kill -STOP ' .. stat:read 'n' .. ') >&- 2>&- &')\nend\n"
      "while true do dist.broadcast(x, 0) end\n",
      3);
  EXPECT_EQ(r.code, 6);
  EXPECT_SAYS(r, "rank 0 ended with code 6");
  EXPECT_SAYS(r, "rank 2 ended with code 6");
  EXPECT_SAYS(r, " has not ended within 2 s: ");
  EXPECT_SAYS(r, "rank 1 has not come");
  EXPECT_SAYS(r, "rank 1 ended with code 143");
}

// A rank writes no more where it has to wait than where it has not: what others do not read would be kept.
TEST_F(Launch, AWaitSendsNothing) {
  const Result r = launch(begin +
                              "local x = torch.ones(100)\n"
                              "local function written()\n"
                              "  local f <close> = io.open('/proc/self/io')\n"
                              "  return tonumber(f:read('a'):match 'wchar: (%d+)')\n"
                              "end\n"
                              "local function cost(late)\n"
                              "  dist.barrier()\n"
                              "  os.execute('sleep ' .. (r == 0 and late or 0.3))\n"
                              "  local before = written()\n"
                              "  dist.all_reduce(x)\n"
                              "  return written() - before\n"
                              "end\n"
                              "local usual = cost(0.6)\n"
                              "print('more: ' .. cost(6) - usual)\n",
                          2);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[1] more: 0\n")) << r.out;
}

TEST_F(Launch, CallsThatDifferNameBoth) {
  const std::string script =
      begin + "if r == 0 then dist.all_reduce(torch.ones(70000)) else dist.all_reduce(torch.ones(7)) end\n";
  for (const char* check : {"0", "1"}) {
    const Result r = launch(script, 2, {}, {{"LUTH_DIST_CHECK", check}});
    EXPECT_EQ(r.code, 6) << check;
    EXPECT_SAYS(r, "call 1 of the group '0' differs");
    EXPECT_SAYS(r, "all_reduce(float32[70000], SUM) at ");
    EXPECT_SAYS(r, "all_reduce(float32[7], SUM) at ");
  }
  const Result quiet = launch(begin + "if r == 0 then dist.barrier() else dist.all_reduce(torch.ones(1)) end\n", 2, {},
                              {{"LUTH_DIST_CHECK", "1"}});
  EXPECT_SAYS(quiet, "rank 0 calls barrier() at ");
}

TEST_F(Launch, ForwardsSignalsThoughNobodyReads) {
  TempDir dir;
  const std::string script = dir.write("s.lua", "print('begun')\nwhile true do print(('x'):rep(1000)) end\n");
  for (int signal : {SIGINT, SIGTERM}) {
    Process p({"launch", "--nproc", "2", script});
    ASSERT_TRUE(p.wait_for("begun"));
    sleep(1);  // pipes fill
    p.signal(signal);
    siginfo_t info{};
    for (int i = 0; i < 200 && info.si_pid == 0; ++i)
      usleep(50000), waitid(P_PID, id_t(p.pid()), &info, WEXITED | WNOHANG | WNOWAIT);
    EXPECT_NE(info.si_pid, 0) << "it has not ended within 10 s of signal " << signal;
    EXPECT_EQ(p.wait().code, 128 + signal);
  }
}

// The reader of an output that does not block comes late: nothing is lost, and the launcher sleeps meanwhile.
TEST_F(Launch, WaitsForAnOutputThatDoesNotBlock) {
  TempDir dir;
  const std::string script = dir.write("s.lua", "print(('x'):rep(300000)) print('end')");
  Process p({"launch", "--nproc", "1", script}, {.prepare = [] { return fcntl(1, F_SETFL, O_NONBLOCK) == 0; }});
  sleep(2);
  int running = 0;  // of 20 looks, those that find a thread that does not sleep
  for (int i = 0; i < 20; ++i, usleep(20'000)) {
    bool any = false;
    for (auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(p.pid()) + "/task"))
      any = any || has(read_file(thread.path().string() + "/stat"), ") R ");
    running += any;
  }
  EXPECT_LT(running, 10);
  const Result r = p.wait();
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.size(), 300000 + sizeof "\nend");
  EXPECT_TRUE(r.out.ends_with("x\nend\n"));
}

// Its port has no password.
TEST_F(Launch, OtherMachinesDoNotReachOneMachinesStore) {
  const Result r = launch(
      "if os.getenv 'RANK' == '1' then return end\n"
      "local port = ('%04X'):format(math.tointeger(os.getenv 'MASTER_PORT'))\n"
      "for _, name in ipairs { 'tcp', 'tcp6' } do\n"
      "  for line in io.lines('/proc/net/' .. name) do\n"
      "    local at, state = line:match '^ *%d+: (%x+:%x+) %x+:%x+ (%x+)'\n"
      "    if state == '0A' and at:sub(-4) == port then print('at', at) end\n"
      "  end\n"
      "end\n",
      2);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.find("at\t0100007F:"), r.out.find("at\t")) << r.out;
  EXPECT_TRUE(has(r.out, "at\t0100007F:")) << r.out;
}

TEST_F(Launch, EndsWithoutDestroy) {
  const Result r = launch(begin + "dist.barrier()\nprint('end')\nif r == 0 then os.exit(0) end\n", 3);
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(Launch, StartsAgain) {
  const Result r =
      launch("local n = tonumber(os.getenv 'LUTH_RESTART_COUNT')\n" + begin +
                 "dist.barrier()\nif n < 2 and r == 1 then os.exit(9) end\ndist.barrier()\nprint('attempt', n)\n",
             2, {"--max-restarts", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[1] attempt\t2")) << r.out;
  EXPECT_SAYS(r, "rank 1 ended with code 9");
  EXPECT_SAYS(r, "starts again, 2 of 2");
}

TEST_F(Launch, LogsARankAFile) {
  TempDir dir;
  dir.write("s.lua", "print('out ' .. os.getenv 'RANK') io.stderr:write('err\\n')");
  const Result r = run({"launch", "--nproc", "2", "--log-dir", "logs", "s.lua"}, {.dir = dir.path()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  const std::string log = read_file(dir / "logs/rank-1.log");
  EXPECT_TRUE(has(log, "out 1\n") && has(log, "err\n")) << log;
}

TEST_F(Launch, LinesThatAFileDoesNotTake) {
  TempDir dir;
  dir.write("s.lua", "print('out ' .. os.getenv 'RANK')");
  std::filesystem::create_directories(dir / "logs/rank-1.log");
  const Result r = run({"launch", "--nproc", "2", "--log-dir", "logs", "s.lua"}, {.dir = dir.path()});
  EXPECT_EQ(r.out, "[1] out 1\n");
  EXPECT_SAYS(r, "cannot write 'logs/rank-1.log': Is a directory");
}

TEST_F(Launch, ThreadsAreThoseOfTheOption) {
  const std::string script = "print(os.getenv 'LUTH_THREADS')";
  EXPECT_EQ(launch(script, 1, {"--threads", "3"}, {{"LUTH_THREADS", "2"}}).out, "3\n");
  EXPECT_EQ(launch(script, 1, {}, {{"LUTH_THREADS", "2"}}).out, "2\n");
}

class LaunchAtTerminal : public AtTerminal {};

// The terminal is the launcher's: a rank that read from it would be stopped, without a word.
TEST_F(LaunchAtTerminal, RanksHaveNoInput) {
  TempDir dir;
  Terminal t({"launch", "--nproc", "1", dir.write("s.lua", "print('got', io.read())")});
  EXPECT_TRUE(t.expect("got\tnil") || t.expect("got     nil", 1)) << t.seen();
  EXPECT_EQ(t.wait(), 0);
}

TEST_F(Launch, OneSignalEndsAll) {
  TempDir dir;
  dir.write("s.lua", "print('begun') io.stdout:flush() while true do end");
  for (int signal : {SIGINT, SIGTERM}) {
    Process p({"launch", "--nproc", "2", "s.lua"}, {.dir = dir.path()});
    ASSERT_TRUE(p.wait_for("[0] begun") && p.wait_for("[1] begun"));
    p.signal(signal);
    EXPECT_EQ(p.wait().code, 128 + signal);
  }
}

TEST_F(Launch, RanksEndWithTheirParent) {
  TempDir dir;
  dir.write("s.lua", "print(io.open('/proc/self/stat'):read('n')) io.stdout:flush() while true do end");
  Process p({"launch", "--nproc", "1", "s.lua"}, {.dir = dir.path()});
  ASSERT_TRUE(p.wait_for("\n"));
  p.signal(SIGKILL);
  const Result r = p.wait();
  const pid_t rank = std::stoi(r.out);
  for (int i = 0; i < 300 && kill(rank, 0) == 0; ++i) usleep(50000);
  EXPECT_NE(kill(rank, 0), 0);
}

TEST_F(Launch, WhatOneRankGetsWrong) {
  struct Case {
    const char* of_rank_1;
    std::vector<const char*> says;
    int code;
  };
  const Case cases[] = {
      {"dist.init_process_group { timeout = 60, world_size = 3 }",
       {"world_size is ", " in another process of the run", "because rank "},
       2},
      {"dist.init_process_group { timeout = 60, rank = 0 }", {"another process has rank 0 already"}, 2},
      {"dist.init_process_group { timeout = 60 } torch.zeros(1 << 45)",
       {"rank 0 cannot end, because rank 1 has ended: "},
       4},
      {"os.exit(9)", {"luth launch: rank 1 ended with code 9"}, 9},
  };
  for (const Case& c : cases) {
    const Result r =
        launch(std::string("local dist = torch.distributed\nif os.getenv 'RANK' == '1' then ") + c.of_rank_1 +
                   " else dist.init_process_group { timeout = 60 } end\ndist.all_reduce(torch.ones(3))",
               2);
    EXPECT_EQ(r.code, c.code) << c.of_rank_1 << r.err;
    for (const char* text : c.says) EXPECT_SAYS(r, text);
  }
}

TEST_F(Launch, ARankThatComesLate) {
  const Result r = launch("if os.getenv 'RANK' == '0' then os.execute 'sleep 1' end\n" + begin +
                              "local x = torch.ones(1) dist.all_reduce(x) print(x:item())",
                          2);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "[0] 2.0\n") && has(r.out, "[1] 2.0\n")) << r.out;
}

TEST_F(Launch, WrongMasters) {
  const std::string join = "torch.distributed.init_process_group { timeout = 1, world_size = 2, rank = ";
  const auto at = [&](const std::string& address, int rank) {
    return run({"-e", join + std::to_string(rank) + ", init_method = 'tcp://" + address + "' }"});
  };
  const Result none = at("no-such-host.invalid:29500", 1);
  EXPECT_EQ(none.code, 6);
  EXPECT_SAYS(none, "no-such-host.invalid");
  EXPECT_SAYS(at("127.0.0.1:9", 1), "cannot reach 127.0.0.1:9");
  EXPECT_EQ(at("127.0.0.1", 1).code, 2);
  const Result taken = run({"-e", "local s = torch.distributed.TCPStore('127.0.0.1', 0, nil, true)\n" + join +
                                      "0, init_method = 'tcp://127.0.0.1:' .. s:port() }"});
  EXPECT_EQ(taken.code, 6);
  EXPECT_SAYS(taken, "choose another MASTER_PORT");
  const Result silent = run({"-e", "local s = torch.distributed.TCPStore('127.0.0.1', 0, nil, true)\n" + join +
                                       "1, init_method = 'tcp://127.0.0.1:' .. s:port() }"});
  EXPECT_EQ(silent.code, 6);
  EXPECT_SAYS(silent, "rank 0 has not come");
}

// Two processes that were not told of each other's number, a port that is taken, and ranks without a launcher.
TEST_F(Launch, WithoutALauncher) {
  TempDir dir;
  const std::string script = dir.write("s.lua", begin + "local x = torch.ones(1) dist.all_reduce(x) print(x:item())");
  const std::string store =
      "torch.distributed.init_process_group { init_method = 'file://" + dir.path() + "/store', rank = ";
  Process a({"-e", store + "0, world_size = 2 } torch.distributed.barrier() print('a')"});
  const Result b = run({"-e", store + "1, world_size = 2 } torch.distributed.barrier() print('b')"});
  EXPECT_EQ(b.out + a.wait().out, "b\na\n") << b.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/store"));  // another run may have a file of this name

  const Result none = run({script});
  EXPECT_EQ(none.code, 2);
  EXPECT_SAYS(none, "luth launch");
  for (const char* part : {"RANK", "WORLD_SIZE"}) {
    const Result half = run({script}, {.env = {{part, "1"}}});
    EXPECT_EQ(half.code, 2);
    EXPECT_SAYS(half, std::string(part) + " is set and ");
    EXPECT_SAYS(half, " is not; a process of a run needs both");
  }
  const Result alone = run({script}, {.env = {{"RANK", "0"}, {"WORLD_SIZE", "1"}}});
  EXPECT_EQ(alone.out, "1.0\n") << alone.err;
  const Result twice =
      run({script}, {.env = {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}});
  EXPECT_EQ(twice.code, 2);
  EXPECT_SAYS(twice, "names this process twice");
  const Result backend = run({"-e", "torch.distributed.init_process_group('glue')"});
  EXPECT_EQ(backend.code, 2);
  EXPECT_SAYS(backend, "there is no backend 'glue'");
}

}  // namespace
}  // namespace luth::testing
