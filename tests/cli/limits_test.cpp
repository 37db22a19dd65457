// Short of address space, memory, threads, descriptors, stack, disk or time, luth computes more slowly or ends with a
// sentence and its exit code: never by a signal, an abort or a wait without end.
#include <grp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// ---- What is limited
// -------------------------------------------------------------------------------------------------

// A control group of version 1 or 2 with one limit; it goes with the object. `path` is empty where none can be made.
class Group {
 public:
  Group(const std::string& controller, const std::string& file_v1, const std::string& file_v2, int64_t limit) {
    const std::string name = "/luth-test-" + std::to_string(getpid());
    for (auto& [folder, file] :
         {std::pair{"/sys/fs/cgroup/" + controller + name, file_v1}, {"/sys/fs/cgroup" + name, file_v2}}) {
      std::error_code none;
      if (!std::filesystem::create_directory(folder, none)) continue;
      path = folder;
      if (std::ofstream(folder + "/" + file) << limit << std::flush) return;
      remove();
    }
  }
  Group(const Group&) = delete;
  ~Group() { remove(); }
  bool join() const { return bool(std::ofstream(path + "/cgroup.procs") << getpid() << std::flush); }
  std::string path;

 private:
  void remove() {
    std::error_code none;
    for (int i = 0; i < 100 && !path.empty() && !std::filesystem::remove(path, none); ++i) usleep(10000);
    path.clear();
  }
};

struct Limit {
  std::function<bool()> prepare;
  std::string impossible = {};  // why this machine cannot, or ""
  std::shared_ptr<Group> group = {};
};

// A sanitizer needs address space, threads, descriptors and time of its own.
Limit unless_sanitized(Limit limit) {
  if (address_sanitizer) limit.impossible = "a sanitizer needs more";
  return limit;
}

Limit private_memory(int64_t mib) { return unless_sanitized({limited(RLIMIT_DATA, rlim_t(mib) << 20)}); }
Limit address_space(int64_t mib) { return unless_sanitized({limited(RLIMIT_AS, rlim_t(mib) << 20)}); }
// Of those that the test itself has, the program gets none.
Limit files(int64_t n) {
  return unless_sanitized({[=] { return close_range(3, ~0U, 0) == 0 && limited(RLIMIT_NOFILE, rlim_t(n))(); }});
}
// No descriptor is left to ask /proc how much memory there is.
Limit space_without_files(int64_t mib) {
  return unless_sanitized({[=] { return limited(RLIMIT_AS, rlim_t(mib) << 20)() && files(16).prepare(); }});
}
Limit stack(int64_t kib) { return unless_sanitized({limited(RLIMIT_STACK, kib ? rlim_t(kib) << 10 : RLIM_INFINITY)}); }
Limit file_size(int64_t kib) { return {limited(RLIMIT_FSIZE, rlim_t(kib) << 10)}; }
Limit seconds(int64_t n) { return unless_sanitized({limited(RLIMIT_CPU, rlim_t(n))}); }
// RLIMIT_NPROC counts the processes of a user, and not root's. Each test has a user of its own.
Limit processes(int64_t n) {
  const uid_t nobody = 20000 + uid_t(getpid()) % 40000;
  Limit limit{[=] {
    return limited(RLIMIT_NPROC, rlim_t(n))() && setgroups(0, nullptr) == 0 && setgid(nobody) == 0 &&
           setuid(nobody) == 0;
  }};
  if (geteuid() != 0)
    limit.impossible = "only root can become another user";
  else if (run({"--version"}, {.prepare = limit.prepare}).code != 0)
    limit.impossible = "another user cannot run the program here";
  return unless_sanitized(limit);
}
Limit in_group(const std::shared_ptr<Group>& group) {
  if (group->path.empty()) return {{}, "no control group can be made here"};
  return unless_sanitized({[group] { return group->join(); }, "", group});
}
Limit tasks(int64_t n) { return in_group(std::make_shared<Group>("pids", "pids.max", "pids.max", n)); }
Limit memory(int64_t mib) {
  return in_group(std::make_shared<Group>("memory", "memory.limit_in_bytes", "memory.max", mib << 20));
}
Limit cores(int64_t n) { return in_group(std::make_shared<Group>("cpu", "cpu.cfs_quota_us", "cpu.max", n * 100000)); }
Limit nothing(int64_t) {
  return {[] { return true; }};
}

// ---- What runs
// -------------------------------------------------------------------------------------------------------

const std::string product = "print(torch.ones(600, 600):matmul(torch.ones(600, 600)):sum():item())";
const std::string product64 = "local x = torch.ones(600, 600):double() print(x:matmul(x):sum():item())";
const std::string product16 = "local x = torch.ones(512, 512):bfloat16() print(x:matmul(x):float():sum():item())";
const std::string convolution =
    "local x = torch.ones(4, 16, 32, 32, {requires_grad = true}) local y = torch.conv2d(x, torch.ones(16, 16, 3, 3)) "
    "y:sum():backward() print(y:sum():item(), x.grad:sum():item())";
const std::string singular = "print(torch.linalg.svdvals(torch.eye(50)):sum():item())";
const std::string more_threads = singular + " torch.set_num_threads(8) torch.linalg.svdvals(torch.ones(64, 100, 100))";
const std::string parallel = "print(torch.ones(3000000):mul(2):sum():item(), torch.get_num_threads())";
const std::string loader =
    "local n = 0 for x in data.DataLoader(data.TensorDataset(torch.ones(64, 3)), {batch_size = 4, num_workers = 4}) do "
    "n = n + x:sum():item() end print(n)";
const std::string file = "torch.save({torch.ones(3000)}, 'x.h5') print(torch.load('x.h5')[1]:sum():item())";
const std::string foreign_file = "print(torch.load('h5py.h5'))";  // without a description, which luth's files have
const std::string large_file = "torch.save({torch.ones(300000)}, 'old.h5')";
const std::string deep = "local function f() return 1 + f() end f()";
const std::string nested = "print(load('return ' .. ('('):rep(180) .. '1' .. (')'):rep(180))())";
const std::string endless = "while true do end";
const std::string endless_c = "print((('a'):rep(60)):find(('a?'):rep(60) .. ('a'):rep(60) .. 'b'))";
const std::string tensors = "local t = {} for i = 1, 1e8 do t[i] = torch.ones(3000) end";
const std::string small_tensors = "local t = {} for i = 1, 1e8 do t[i] = torch.ones(3) end";
const std::string graph = "local y = torch.ones(3, {requires_grad = true}) for i = 1, 1e8 do y = y * 2 end";
const std::string strings = "local t = {} for i = 1, 1e8 do t[i] = 'abc' .. i end";
const std::string many_values = "local t = {} for i = 1, 3e6 do t[i] = i end torch.save(t, 'x.h5')";
const std::string without_files =
    "local t = {torch.ones(1)} repeat local f = io.open('/dev/null') t[#t + 1] = f until not f "
    "for i = 1, 1e5 do t[#t + 1] = torch.ones(100) end print(#t > 1e5)";
const std::string big_tensor = "torch.zeros(200000000)";

const std::string need_room = "MiB of address space", own_loops = "luth's own loops are used in their place";
const std::string too_large = "File too large; the file that was there is unchanged";
const std::string time_is_over = "terminated: the limit of processor time (`ulimit -t`) is reached";

struct Outcome {
  int code;
  std::string part;  // of what is written
};

struct Row {
  const char* what;
  Limit (*limit)(int64_t);
  int64_t amount;
  std::string script;
  std::vector<Outcome> allowed;
  Env env = {};
};

const Env four_threads{{"LUTH_THREADS", "4"}};

const Row table[] = {
    {"address_space", address_space, 40, product, {{0, "216000000.0"}}},
    {"address_space", address_space, 200, product, {{0, "216000000.0"}}},
    {"address_space", address_space, 200, product64, {{0, "216000000.0"}}},
    {"address_space", address_space, 600, product64, {{0, "216000000.0"}}},
    {"address_space", address_space, 700, product64, {{0, "216000000.0"}}},
    {"address_space", address_space, 900, product64, {{0, "216000000.0"}}},
    {"address_space", address_space, 200, product16, {{0, "134217728.0"}}},
    {"address_space", address_space, 700, product16, {{0, "134217728.0"}}},
    {"address_space", address_space, 60, convolution, {{0, "8294400.0"}}},
    {"address_space", address_space, 400, convolution, {{0, own_loops}}, four_threads},
    {"address_space", address_space, 530, convolution, {{0, "8294400.0"}}},
    {"address_space", address_space, 600, convolution, {{0, "8294400.0"}}},
    {"address_space", address_space, 800, convolution, {{0, "8294400.0"}}},
    {"address_space", address_space, 1000, convolution, {{0, "8294400.0"}}},
    {"address_space", address_space, 100, singular, {{4, need_room}}},
    {"address_space", address_space, 400, singular, {{4, "or set LUTH_THREADS=1"}}, four_threads},
    {"address_space", address_space, 620, singular, {{0, "50.0"}, {4, need_room}}},
    {"address_space", address_space, 640, singular, {{0, "50.0"}, {4, need_room}}},
    {"address_space", address_space, 700, singular, {{0, "50.0"}}, {{"LUTH_THREADS", "1"}}},
    {"address_space", address_space, 700, more_threads, {{4, need_room}}, {{"LUTH_THREADS", "1"}}},
    {"address_space", address_space, 100, loader, {{0, "192.0"}}},
    {"address_space", address_space, 300, file, {{0, "3000.0"}}},
    {"address_space", address_space, 60, file, {{0, "3000.0"}, {4, "memory"}}},
    {"address_space", address_space, 150, tensors, {{4, "memory"}, {4, "cannot allocate"}}},
    {"address_space", address_space, 100, strings, {{4, "not enough memory"}}},
    {"private_memory", private_memory, 20, convolution, {{0, "8294400.0"}}},
    {"private_memory", private_memory, 100, convolution, {{0, "8294400.0"}}},
    {"private_memory", private_memory, 300, product64, {{0, "216000000.0"}}},
    {"private_memory", private_memory, 20, singular, {{4, need_room}}},
    {"private_memory", private_memory, 100, singular, {{4, need_room}}},
    {"private_memory", private_memory, 400, singular, {{0, "50.0"}, {4, need_room}}},
    {"many_threads", nothing, 0, parallel, {{0, "6000000.0\t1000"}}, {{"LUTH_THREADS", "1000"}}},
    {"many_threads", address_space, 200, parallel, {{0, "threads can run here"}}, {{"LUTH_THREADS", "1000"}}},
    {"many_threads", address_space, 3000, parallel, {{0, "threads can run here"}}, {{"LUTH_THREADS", "1000"}}},
    {"many_threads", processes, 20, parallel, {{0, "threads can run here"}}, {{"LUTH_THREADS", "1000"}}},
    {"processes", processes, 1, parallel, {{0, "6000000.0\t1"}}, four_threads},
    {"processes", processes, 2, parallel, {{0, "6000000.0\t"}}, four_threads},
    {"processes", processes, 4, parallel, {{0, "6000000.0\t"}}, four_threads},
    {"processes", processes, 1, convolution, {{0, "8294400.0"}}, four_threads},
    {"processes", processes, 1, loader, {{0, "the main thread reads the batches itself"}}},
    {"processes", processes, 3, loader, {{0, "they do the others' work"}}},
    {"processes", processes, 1, file, {{0, "3000.0"}}},
    {"processes", processes, 1, foreign_file, {{5, "which does not start"}}},
    {"processes", processes, 1, "print(os.execute('true'))", {{0, "nil"}}},
    {"tasks", tasks, 1, parallel, {{0, "6000000.0\t1"}}, four_threads},
    {"tasks", tasks, 3, parallel, {{0, "6000000.0\t"}}, four_threads},
    {"tasks", tasks, 1, loader, {{0, "192.0"}}},
    {"tasks", tasks, 1, foreign_file, {{5, "which does not start"}}},
    {"memory", memory, 60, product, {{0, "216000000.0"}}},
    {"memory", memory, 60, big_tensor, {{4, "cannot allocate 800000000 bytes"}}},
    {"memory", memory, 60, tensors, {{4, "cannot allocate"}, {4, "not enough memory"}}},
    {"memory", memory, 60, small_tensors, {{4, "not enough memory"}, {4, "cannot allocate"}}},
    {"memory", memory, 60, graph, {{4, "not enough memory"}, {4, "cannot allocate"}}},
    {"memory", memory, 60, strings, {{4, "not enough memory"}}},
    {"memory", memory, 150, many_values, {{4, "not enough memory"}}},
    {"cores", cores, 1, "print(torch.get_num_threads())", {{0, "1\n"}}},
    {"files", files, 4, product, {{0, "216000000.0"}}},
    {"files", files, 4, loader, {{0, "192.0"}}},
    {"files", files, 4, file, {{1, "Too many open files"}}},
    {"files", files, 5, file, {{5, "Too many open files"}}},
    {"files", files, 7, foreign_file, {{5, "Too many open files"}}},
    {"files", files, 16, file, {{0, "3000.0"}}},
    {"files", files, 4, "print(torch.ones(2):cuda())", {{1, "not available"}, {2, "not available"}, {0, "cuda"}}},
    {"space_without_files", space_without_files, 2000, without_files, {{0, "true"}}},
    {"stack", stack, 64, product, {{0, "216000000.0"}}},
    {"stack", stack, 64, file, {{0, "3000.0"}}},
    {"stack", stack, 64, loader, {{0, "192.0"}}},
    {"stack", stack, 64, deep, {{1, "stack overflow"}}},
    {"stack", stack, 64, nested, {{0, "1\n"}}},
    {"stack", stack, 256, file, {{0, "3000.0"}}},
    {"stack", stack, 0, file, {{0, "3000.0"}}},
    {"stack", stack, 0, loader, {{0, "192.0"}}},
    {"stack", stack, 0, deep, {{1, "stack overflow"}}},
    {"file_size", file_size, 10, large_file, {{1, too_large}}},
    {"file_size", file_size, 0, large_file, {{1, too_large}}},
    {"seconds", seconds, 2, endless, {{143, time_is_over}}},
    {"seconds", seconds, 2, endless_c, {{143, time_is_over}}},
    {"wrong_setting", nothing, 0, "torch.ones(2)", {{2, "LUTH_CPU_ISA=v9 is unknown"}}, {{"LUTH_CPU_ISA", "v9"}}},
    {"wrong_setting", nothing, 0, "torch.ones(2)", {{2, "a count of 1 to 4096"}}, {{"LUTH_THREADS", "5000"}}},
};

// Short of address space, it reports what does not fit.
TEST(Doctor, OpensNoLibraryThatDoesNotFit) {
  const Limit limit = address_space(200);
  if (!limit.impossible.empty()) GTEST_SKIP() << limit.impossible;
  const Result r = run({"doctor"}, {.timeout = 60, .prepare = limit.prepare});
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, need_room)) << r.out;
}

class Limits : public ::testing::TestWithParam<size_t> {};  // the number of a row

TEST_P(Limits, EndWithASentence) {
  const Row& row = table[GetParam()];
  const Limit limit = row.limit(row.amount);
  if (!limit.impossible.empty()) GTEST_SKIP() << limit.impossible;
  TempDir dir;
  const std::string old = dir / "old.h5";
  ASSERT_EQ(run({"-e", "torch.save({7, torch.ones(3)}, 'old.h5')"}, {.dir = dir.path()}).code, 0);
  std::filesystem::copy_file(LUTH_SOURCE_DIR "/tests/data/h5py.h5", dir / "h5py.h5");
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  const std::string before = read_file(old);
  Env env = row.env;
  env.emplace_back("OLD", old);
  const Result r = run({"-e", row.script}, {.env = env, .dir = dir.path(), .timeout = 120, .prepare = limit.prepare});
  const std::string text = r.out + r.err;
  EXPECT_FALSE(r.timed_out) << row.script;
  EXPECT_TRUE(std::any_of(row.allowed.begin(), row.allowed.end(),
                          [&](const Outcome& o) { return r.code == o.code && has(text, o.part); }))
      << row.script << "\nended with " << r.code << ": " << text;
  EXPECT_FALSE(has(text, "terminate called") || has(text, "std::")) << text;
  EXPECT_EQ(read_file(old), before);
}

std::string row_name(const ::testing::TestParamInfo<size_t>& row) {
  return table[row.param].what + ("_" + std::to_string(table[row.param].amount)) + "_row_" + std::to_string(row.param);
}
INSTANTIATE_TEST_SUITE_P(Table, Limits, ::testing::Range(size_t(0), std::size(table)), row_name);

// ---- Signals where nothing answers them
// ------------------------------------------------------------------------------

// A run whose step never returns from C, where it computes or waits, ends all the same, half a minute after the signal.
class Stuck : public ::testing::TestWithParam<int> {};

TEST_P(Stuck, TrainingEnds) {
  if (address_sanitizer) GTEST_SKIP() << "a wait that has nothing for a sanitizer";
  TempDir dir;
  const std::string computes = "print('in step') io.stdout:flush() " + endless_c;
  const std::string waits = "io.popen('sleep 1; echo in step; exec sleep 99 >/dev/null 2>&1', 'w'):close()";
  dir.write("p.lua", points_recipe("r.callbacks = { on_step = function() " + (GetParam() == SIGINT ? computes : waits) +
                                   " end }"));
  Process p({"train", "p.lua"}, {.dir = dir.path(), .timeout = 150});
  ASSERT_TRUE(p.wait_for("in step"));
  p.signal(GetParam());
  const Result r = p.wait();
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(r.code, 128 + GetParam()) << r.err;
  EXPECT_TRUE(has(r.err, "in code that does not stop for it")) << r.err;
}
INSTANTIATE_TEST_SUITE_P(Signals, Stuck, ::testing::Values(SIGTERM, SIGINT));

// A step that takes longer than that but runs Lua meanwhile is waited for.
TEST(Signals, ALongStepEndsByItself) {
  if (address_sanitizer) GTEST_SKIP() << "a wait that has nothing for a sanitizer";
  TempDir dir;
  dir.write("p.lua", points_recipe("r.callbacks = { on_step = function() print('in step') io.stdout:flush() "
                                   "local e = os.time() + 34 while os.time() < e do os.execute 'sleep 1' end end }"));
  Process p({"train", "p.lua"}, {.dir = dir.path(), .timeout = 150});
  ASSERT_TRUE(p.wait_for("in step"));
  p.signal(SIGTERM);
  const Result r = p.wait();
  EXPECT_EQ(r.code, 143) << r.err;
  EXPECT_TRUE(has(r.err, "terminated: saved")) << r.err;
}

// A pattern that backtracks for ages sees no signal; one is enough all the same.
TEST(Signals, EndAPattern) {
  for (int signal : {SIGINT, SIGTERM}) {
    Process p({"-e", "print('ready') io.stdout:flush() " + endless_c}, {.timeout = 60});
    ASSERT_TRUE(p.wait_for("ready"));
    usleep(100000);  // until it is inside; if it is not, the signal ends it at once
    p.signal(signal);
    const Result r = p.wait();
    EXPECT_FALSE(r.timed_out);
    EXPECT_EQ(r.code, 128 + signal) << r.err;
    EXPECT_TRUE(has(r.err, signal == SIGINT ? "luth: interrupted" : "luth: terminated")) << r.err;
  }
}

// What reads a file of any size asks for them.
TEST(Signals, EndTheReadingOfAText) {
  TempDir dir;
  dir.write("a.txt", "");
  std::filesystem::resize_file(dir / "a.txt", uintmax_t(1) << 40);
  for (int signal : {SIGINT, SIGTERM}) {
    Process p({"-e", "print('ready') io.stdout:flush() data.TextLines('a.txt', {tokenizer = data.Tokenizer.bytes()})"},
              {.dir = dir.path(), .timeout = 60});
    ASSERT_TRUE(p.wait_for("ready"));
    usleep(100000);
    p.signal(signal);
    const Result r = p.wait();
    EXPECT_EQ(r.code, 128 + signal) << r.err;
    EXPECT_FALSE(has(r.err, "in code that does not stop")) << r.err;
  }
}

// At whatever moment of the start it comes.
TEST(Signals, EndTheStart) {
  std::minstd_rand random(7);
  for (int i = 0; i < 60; ++i)
    for (int signal : {SIGINT, SIGTERM}) {
      Process p({"-e", endless}, {.timeout = 60});
      usleep(useconds_t(random() % 30000));
      p.signal(signal);
      const Result r = p.wait();
      EXPECT_EQ(r.code, 128 + signal) << r.err;
    }
}

}  // namespace
}  // namespace luth::testing
