// `luth train` and `luth eval`: what a run writes and prints, options of recipes, the same numbers for any threads.
#include "tests/cli/train.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace luth::testing {
namespace {

constexpr const char* mnist_recipe = R"lua(
return recipe {
  data = data.mnist { root = 'digits' },
  model = nn.Flatten() .. nn.Linear(36, 10),
  loss = nn.CrossEntropyLoss(),
  optim = optim.SGD { lr = 0.5 },
  batch = 16, epochs = 3, metrics = { 'accuracy' },
}
)lua";

double metric(const std::string& out, const std::string& name) {
  size_t at = ("\n" + out).find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(out.substr(at + name.size() + 1));
}

TEST(Train, WritesTheRunFolderAndEvaluates) {
  TempDir dir;
  write_mnist(dir, "digits", 60, 6);
  dir.write("digits.lua", mnist_recipe);
  Result r = run_in(dir, {"train", "digits.lua"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  for (const char* name : {"recipe.lua", "options.json", "log.jsonl", "ckpt/last.h5", "ckpt/prev.h5", "ckpt/best.h5"})
    EXPECT_TRUE(std::filesystem::exists(dir / (std::string("runs/digits-1/") + name))) << name;
  EXPECT_EQ(read_file(dir / "runs/digits-1/recipe.lua"), mnist_recipe);
  const std::string log = read_file(dir / "runs/digits-1/log.jsonl");
  EXPECT_EQ(lines(log), 3);
  for (const char* key :
       {"\"epoch\":3", "\"loss\":", "\"lr\":0.5", "\"step\":12", "\"val_accuracy\":", "\"val_loss\":"})
    EXPECT_TRUE(has(log, key)) << key << " in " << log;
  // One line for each epoch, and no control characters where no terminal reads.
  EXPECT_TRUE(has(r.err, "\nepoch 1/3  loss ") && has(r.err, "\nepoch 2/3  ") && has(r.err, "\nepoch 3/3  ")) << r.err;
  EXPECT_EQ(lines(r.err), 6) << r.err;
  EXPECT_FALSE(has(r.err, "\r") || has(r.err, "\x1b"));

  Result of_run = run_in(dir, {"eval", "runs/digits-1/ckpt/last.h5"});
  ASSERT_EQ(of_run.code, 0) << of_run.err;
  EXPECT_GT(metric(of_run.out, "accuracy"), 0.9) << of_run.out;
  Result of_recipe = run_in(dir, {"eval", "digits.lua", "--checkpoint", "runs/digits-1/ckpt/last.h5"});
  EXPECT_EQ(of_recipe.code, 0) << of_recipe.err;
  EXPECT_EQ(of_recipe.out, of_run.out);
  // The checkpoint evaluates to what the log says.
  const size_t at = log.rfind("\"val_accuracy\":") + 15;
  EXPECT_NEAR(metric(of_run.out, "accuracy"), std::stod(log.substr(at)), 1e-6);
}

TEST(Train, RunsAreNumbered) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run_in(dir, {"train", "p.lua", "--epochs", "1"}).code, 0);
  EXPECT_EQ(run_in(dir, {"train", "p.lua", "--epochs", "1", "--dir", "deep/er/x"}).code, 0);
  for (const char* name : {"runs/p-1", "runs/p-2", "deep/er/x"})
    EXPECT_TRUE(std::filesystem::exists(dir / (std::string(name) + "/ckpt/last.h5"))) << name;
}

TEST_F(AtTerminal, ShowsProgressOfTraining) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  Terminal t({"train", dir / "p.lua", "--dir", dir / "run"});
  EXPECT_TRUE(t.expect("epoch 1/2 [")) << t.seen();
  EXPECT_TRUE(t.expect("samples/s")) << t.seen();
  EXPECT_TRUE(t.expect("\r\x1b[K")) << t.seen();
  EXPECT_TRUE(t.expect("epoch 2/2  loss ")) << t.seen();
  EXPECT_EQ(t.wait(), 0);
}

TEST(Train, EvalKeepsTheOptionsOfTheRun) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  Result r = run_in(dir, {"train", "p.lua", "--hidden", "12", "--dir", "run"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(run_in(dir, {"eval", "run/ckpt/last.h5"}).code, 0);
  // Without the options of the run the model is another one.
  EXPECT_EQ(run_in(dir, {"eval", "p.lua", "--checkpoint", "run/ckpt/last.h5"}).code, 5);
  EXPECT_EQ(run_in(dir, {"eval", "p.lua", "--hidden=12", "--checkpoint", "run/ckpt/last.h5"}).code, 0);
  // A checkpoint that has left its run folder: exit 2, and the other form is named.
  std::filesystem::rename(dir / "run/ckpt/last.h5", dir / "alone.h5");
  r = run_in(dir, {"eval", "alone.h5"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "luth eval RECIPE.lua --checkpoint alone.h5")) << r.err;
}

TEST(Train, OptionsReachTheRecipe) {
  TempDir dir;
  dir.write("p.lua", points_recipe("print(o.lr, o.name, o.wide, o.hidden, math.type(o.lr), math.type(o.hidden))"));
  auto first = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "p.lua", "--epochs", "0"});
    Result r = run_in(dir, words);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  EXPECT_EQ(first({}), "0.02\tx\tfalse\t8\tfloat\tinteger\n");
  EXPECT_EQ(first({"--lr", "1", "--name=a b", "--wide", "--hidden", "3"}), "1.0\ta b\ttrue\t3\tfloat\tinteger\n");
  EXPECT_EQ(first({"--lr=1e-3", "--name", "-5", "--wide=no"}), "0.001\t-5\tfalse\t8\tfloat\tinteger\n");
  EXPECT_EQ(first({"--wide", "--no-wide"}), "0.02\tx\tfalse\t8\tfloat\tinteger\n");  // the last word counts
  EXPECT_EQ(first({"--no-wide", "--wide"}), "0.02\tx\ttrue\t8\tfloat\tinteger\n");
  EXPECT_EQ(first({"--name",
                   "gr\xC3\xB6\xC3\x9F"
                   "e"}),
            "0.02\tgr\xC3\xB6\xC3\x9F"
            "e\tfalse\t8\tfloat\tinteger\n");
}

TEST(Train, HelpListsOptionsAndTrainsNothing) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  Result r = run_in(dir, {"train", "p.lua", "--help"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* text : {"--lr ", "learning rate [0.02]", "--epochs", "--save-every", "--resume", "--device"})
    EXPECT_TRUE(has(r.out, text)) << text << " in " << r.out;
  EXPECT_FALSE(std::filesystem::exists(dir / "runs"));
}

TEST(Train, HelpInShortAndOptionsOfLuthBehindTheRecipe) {
  TempDir dir;
  dir.write("p.lua", points_recipe("print(torch.get_num_threads())"));
  EXPECT_EQ(run_in(dir, {"train", "p.lua", "-h"}).out.find("Usage: luth train p.lua"),
            2u);  // behind the number of threads
  for (std::vector<std::string> words : {std::vector<std::string>{"train", "p.lua", "--threads", "3"},
                                         {"train", "p.lua", "--threads=3"},
                                         {"train", "--threads", "3", "p.lua"}}) {
    words.insert(words.end(), {"--epochs", "1"});
    Result r = run_in(dir, words);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out, "3\n");
  }
  EXPECT_EQ(run_in(dir, {"eval", "runs/p-1", "--threads", "2"}).out.find("2\nloss "), 0u);
}

TEST(Train, NoEpochsSaveTheModelAsItIs) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  Result r = run_in(dir, {"train", "p.lua", "--epochs", "0"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "done: runs/p-1/ckpt/last.h5")) << r.err;
  r = run_in(dir, {"eval", "runs/p-1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(run_in(dir, {"eval", "runs/p-1/"}).out, r.out);
  EXPECT_EQ(run_in(dir, {"eval", "runs/p-1/ckpt/last.h5"}).out, r.out);
  r = run_in(dir, {"eval", "runs"});
  EXPECT_EQ(r.code, 5);
  EXPECT_TRUE(has(r.err, "the folder 'runs' has no ckpt/last.h5")) << r.err;
  EXPECT_TRUE(
      has(run_in(dir, {"train", "p.lua", "--resume", "--epochs", "1"}).err, "resuming runs/p-1 at epoch 1, batch 0"));
}

// The schedule that wants a metric gets the validation loss; with this threshold no loss is good enough.
TEST(Train, ReduceLROnPlateau) {
  TempDir dir;
  dir.write("p.lua",
            points_recipe("r.schedule = optim.lr_scheduler.ReduceLROnPlateau { patience = 0, threshold = 1e9 }"));
  Result r = run_in(dir, {"train", "p.lua", "--dir", "run"});
  EXPECT_EQ(r.code, 0) << r.err;
  const std::string log = read_file(dir / "run/log.jsonl");
  EXPECT_NEAR(std::stod(log.substr(log.rfind("\"lr\":") + 5)), 0.002, 1e-12) << log;
}

TEST(Train, SeveralOptimizers) {
  TempDir dir;
  dir.write("p.lua",
            points_recipe("r.optim = { a = optim.SGD { lr = 0.5 }, b = optim.AdamW { lr = 0.1 } } r.schedule = nil\n"
                          "r.step = function(model, batch, ctx)\n"
                          "  assert(ctx.optimizer.a.param_groups[1].lr == 0.5)\n"
                          "  return F.cross_entropy(model(batch[1]), batch[2])\n"
                          "end"));
  Result r = run_in(dir, {"train", "p.lua", "--dir", "run"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(run_in(dir, {"train", "p.lua", "--dir", "run", "--resume", "--epochs", "3"}).code, 0);
}

TEST(Train, EqualForAnyThreads) {
  TempDir dir;
  write_mnist(dir, "digits", 60, 28);
  const std::string lenet = LUTH_SOURCE_DIR "/scripts/mnist.lua";
  std::string first;
  for (const char* threads : {"1", "2", "3"}) {
    const std::string out = std::string("run") + threads;
    Result r = run_in(dir, {"--threads", threads, "train", lenet, "--root", "digits", "--epochs", "2", "--batch", "20",
                            "--seed", "7", "--dir", out});
    ASSERT_EQ(r.code, 0) << r.err;
    const std::string log = log_of(dir, out);
    EXPECT_EQ(lines(log), 2);
    if (first.empty()) first = log;
    EXPECT_EQ(log, first) << threads << " threads";
  }
}

TEST(Train, EqualForAnyWorkersAndDifferentForAnotherSeed) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  auto log = [&](const std::string& name, std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "p.lua", "--dir", name});
    EXPECT_EQ(run_in(dir, words).code, 0);
    return log_of(dir, name);
  };
  const std::string plain = log("a", {});
  EXPECT_EQ(log("b", {"--workers", "2"}), plain);
  EXPECT_EQ(log("c", {"--seed", "0"}), plain);
  EXPECT_NE(log("d", {"--seed", "1"}), plain);
}

TEST(Train, KeepsTheBestCheckpoint) {
  TempDir dir;
  // The second epoch leads away: a metric that falls from epoch to epoch makes the first the best.
  dir.write("p.lua", points_recipe("local calls = 0\n"
                                   "r.metrics = { falling = function() calls = calls + 1 return -calls end }\n"
                                   "r.metrics = { r.metrics.falling }"));
  Result r = run_in(dir, {"train", "p.lua", "--dir", "run"});
  ASSERT_EQ(r.code, 0) << r.err;
  r = run_in(dir,
             {"-e", "print(torch.load('run/ckpt/best.h5').loader.epoch, torch.load('run/ckpt/last.h5').loader.epoch)"});
  EXPECT_EQ(r.out, "2\t3\n") << r.err;  // the epoch that comes next
}

TEST(Train, AveragedWeightsClippingAndAccumulation) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  Result r = run_in(dir, {"train", "p.lua", "--ema", "0.5", "--clip", "0.1", "--accumulate", "3", "--dir", "run"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(read_file(dir / "run/log.jsonl"), "\"step\":4")) << "4 batches of each epoch are 2 steps";
  EXPECT_EQ(run_in(dir, {"eval", "run/ckpt/last.h5"}).code, 0);
}

// The option reaches training and evaluation, is kept with the run, and changes the numbers.
TEST(Train, MixedPrecision) {
  TempDir dir;
  const std::string says = R"lua(
r.step = function(model, batch)
  local y = model(batch[1])
  io.stderr:write('computed in ', tostring(y.dtype), '\n')
  return F.cross_entropy(y, batch[2])
end
)lua";
  dir.write("r.lua", points_recipe(says));
  Result plain = run_in(dir, {"train", "r.lua", "--dir", "plain", "--epochs", "1"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_TRUE(has(plain.err, "computed in torch.float32"));
  Result amp = run_in(dir, {"train", "r.lua", "--dir", "amp", "--epochs", "1", "--amp", "bf16"});
  ASSERT_EQ(amp.code, 0) << amp.err;
  EXPECT_TRUE(has(amp.err, "computed in torch.bfloat16") && has(amp.err, "in bf16")) << amp.err;
  EXPECT_TRUE(has(read_file(dir / "amp/options.json"), "bf16"));
  Result more = run_in(dir, {"train", "r.lua", "--dir", "amp", "--epochs", "2", "--resume"});
  ASSERT_EQ(more.code, 0) << more.err;
  EXPECT_TRUE(has(more.err, "computed in torch.bfloat16") && !has(more.err, "torch.float32")) << more.err;
  Result low = run_in(dir, {"eval", "amp/ckpt/last.h5"}),
         off = run_in(dir, {"eval", "amp/ckpt/last.h5", "--amp", "off"});
  ASSERT_EQ(low.code, 0) << low.err;
  ASSERT_EQ(off.code, 0) << off.err;
  EXPECT_NE(metric(low.out, "loss"), metric(off.out, "loss"));
  EXPECT_NEAR(metric(low.out, "loss"), metric(off.out, "loss"), 0.05);
  Result wrong = run_in(dir, {"train", "r.lua", "--amp", "fp8"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(has(wrong.err, "--amp takes bf16 or off, got 'fp8'")) << wrong.err;
  EXPECT_TRUE(has(run_in(dir, {"train", "r.lua", "--help"}).out, "--amp"));
}

TEST(Train, StepOfTheRecipe) {
  TempDir dir;
  dir.write("p.lua",
            points_recipe("r.step = function(model, batch, ctx) return F.cross_entropy(model(batch[1]), batch[2]) end\n"
                          "r.data = { train = r.data.train } r.loss = nil r.metrics = nil"));
  Result r = run_in(dir, {"train", "p.lua", "--dir", "run"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(lines(read_file(dir / "run/log.jsonl")), 2);
}

// Averaged weights go with the running statistics of the data: eval and best.h5 use both.
TEST(Train, AveragedModelHasBuffers) {
  TempDir dir;
  dir.write("p.lua", points_recipe("r.model = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3))"));
  Result r = run_in(dir, {"train", "p.lua", "--ema", "0.5", "--dir", "run"});
  ASSERT_EQ(r.code, 0) << r.err;
  r = run_in(
      dir,
      {"-e",
       "local s = torch.load('run/ckpt/last.h5') "
       "for _, name in ipairs { '1.running_mean', '1.running_var', '1.num_batches_tracked' } do "
       "print(torch.equal(s.ema[name], s.model[name])) end print(s.ema['1.running_mean']:abs():sum():item() > 0)"});
  EXPECT_EQ(r.out, "true\ntrue\ntrue\ntrue\n") << r.err;
}

}  // namespace
}  // namespace luth::testing
