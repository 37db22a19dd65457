// `luth train --sweep`: what it runs, what it refuses, how it goes on.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

class Sweep : public ::testing::Test {
 protected:
  void SetUp() override { dir_.write("p.lua", points_recipe()); }
  Result sweep(std::vector<std::string> words, const Env& env = {}) {
    words.insert(words.begin(), {"train", "p.lua", "--threads", "2", "--dir", "s"});
    return run_in(dir_, words, env);
  }
  bool exists(const std::string& name) { return std::filesystem::exists(dir_ / name); }
  TempDir dir_;
};

TEST_F(Sweep, RunsTheGridAndComparesIt) {
  Result r = sweep({"--sweep", "lr=1e-2,1e-5  hidden=4,16", "--epochs", "4"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "4 runs in s, 2 at a time\n") && has(r.err, "4 of 4: lr=")) << r.err;
  EXPECT_TRUE(r.out.starts_with("lr    hidden  best val_accuracy  epochs  seconds\n")) << r.out;
  EXPECT_EQ(lines(r.out), 5);
  EXPECT_EQ(lines(read_file(dir_ / "s/table.csv")), 5);
  double best = 2;  // the best one comes first
  const std::string table = read_file(dir_ / "s/table.csv");
  for (size_t at = table.find('\n') + 1; at < table.size(); at = table.find('\n', at) + 1) {
    double lr, score;
    int hidden;
    ASSERT_EQ(sscanf(table.c_str() + at, "%lf,%d,%lf,4,", &lr, &hidden, &score), 3) << table;
    EXPECT_LE(score, best);
    best = score;
  }
  // each run is what luth train does with these options
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "one", "--epochs", "4", "--lr", "1e-2", "--hidden", "4",
                          "--threads", "1"})
                .code,
            0);
  EXPECT_EQ(log_of(dir_, "one"), log_of(dir_, "s/lr=1e-2,hidden=4"));
  EXPECT_TRUE(has(read_file(dir_ / "s/report.html"), "lr=1e-5,hidden=16"));
  EXPECT_EQ(lines(run_in(dir_, {"report", "s", "one"}).out), 6);
  // more of it, with what is there
  r = sweep({"--sweep", "lr=1e-2,1e-5 hidden=4,16,5", "--epochs", "4", "--resume"});
  EXPECT_TRUE(has(r.err, "6 runs in s, 2 at a time; 4 are done\n5 of 6")) << r.err;
  EXPECT_EQ(sweep({"--sweep", "lr=1"}).code, 2);
  // not with runs of other words
  r = sweep({"--sweep", "lr=1e-2,1e-5,1", "--epochs", "5", "--resume"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "the runs in s were started with --epochs=4, this sweep has --epochs=5; ")) << r.err;
  dir_.write("q.lua", points_recipe());
  r = run_in(dir_, {"train", "q.lua", "--dir", "s", "--sweep", "lr=1", "--epochs", "4", "--resume"});
  EXPECT_TRUE(r.code == 2 && has(r.err, "the sweep in s is of p.lua, this one of q.lua")) << r.err;
}

TEST_F(Sweep, RefusesBeforeAnythingRuns) {
  auto refused = [&](std::vector<std::string> words, const std::string& part) {
    const Result r = sweep(words);
    EXPECT_EQ(r.code, 2) << part;
    EXPECT_TRUE(has(r.err, part)) << r.err;
  };
  refused({"--sweep", "lr=1 hiden=4"}, "the recipe has no option 'hiden' (did you mean 'hidden'?)");
  refused({"--sweep", "lr=1,x"}, "--lr takes a number, got 'x'");
  refused({"--sweep", "batch=0"}, "--batch must be an integer of at least 1");
  refused({"--sweep", "dir=a,b"}, "the recipe has no option 'dir'");
  refused({"--sweep", "lr"}, "--sweep takes 'lr=1e-3,3e-3 batch=32,64', got 'lr'");
  refused({"--sweep", " "}, "got nothing");
  refused({"--sweep", "lr=1 lr=2"}, "'lr' stands there twice");
  refused({"--sweep", "lr=1e-3..1"}, "a range of lr needs --random N");
  refused({"--sweep", "lr=1..1e-3", "--random", "3"}, "the first number is the smaller one");
  refused({"--sweep", "lr=1,2", "--random", "x"}, "--random takes a number of runs, got 'x'");
  refused({"--random", "3"}, "--random 3 says how many runs of --sweep 'lr=1e-4..1e-1' to try; there is no --sweep");
  refused({"--sweep", "lr=1,2", "--epocs", "3"}, "unknown option '--epocs'");
  EXPECT_FALSE(exists("s"));
}

// Values that are one name of a folder are runs of their own.
TEST_F(Sweep, ValuesOfOneName) {
  const Result r = sweep({"--sweep", "name=a/b,a_b,a/b", "--epochs", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "2 runs in s")) << r.err;
  EXPECT_TRUE(exists("s/name=a_b") && exists("s/name=a_b-2"));
  EXPECT_EQ(lines(read_file(dir_ / "s/table.csv")), 3);
}

TEST_F(Sweep, AtRandom) {
  Result r = sweep({"--sweep", "lr=1e-4..1e-1 hidden=3..9 batch=8,16", "--random", "3", "--epochs", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string table = read_file(dir_ / "s/table.csv");
  EXPECT_EQ(lines(table), 4) << table;
  r = sweep({"--sweep", "lr=1e-4..1e-1 hidden=3..9 batch=8,16", "--random", "3", "--epochs", "1", "--resume"});
  EXPECT_TRUE(has(r.err, "; 3 are done")) << r.err;
}

TEST_F(Sweep, GoesOnAfterSignalsAndFailures) {
  dir_.write("p.lua", points_recipe("r.callbacks = { on_epoch = function(t) os.execute 'sleep 0.05' "
                                    "if o.hidden == 5 and not os.getenv 'GO' then error 'out of luck' end end }"));
  const std::vector<std::string> words{"--sweep", "hidden=4,5,6,7", "--epochs", "8"};
  std::vector<std::string> all{"train", "p.lua", "--threads", "2", "--dir", "s"};
  all.insert(all.end(), words.begin(), words.end());
  Process p(all, {.dir = dir_.path()});
  ASSERT_TRUE(p.wait_for("1 of 4"));
  p.signal(SIGTERM);
  Result r = p.wait();
  EXPECT_EQ(r.code, 143) << r.err;
  EXPECT_TRUE(has(r.err, "runs are done; go on with --resume --dir s")) << r.err;
  all.push_back("--resume");
  r = run_in(dir_, all);
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "hidden=5  failed: ") && has(r.err, "out of luck") && has(r.err, "1 of 4 runs failed"))
      << r.err;
  r = run_in(dir_, all, {{"GO", "1"}});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "; 3 are done\n4 of 4: hidden=5")) << r.err;
  EXPECT_EQ(lines(r.out), 5);
  for (auto run : {"hidden=4", "hidden=5", "hidden=6", "hidden=7"})
    EXPECT_EQ(lines(log_of(dir_, std::string("s/") + run)), 8) << run;
}

}  // namespace
}  // namespace luth::testing
