// `luth train`: the options that every recipe has, callbacks, what happens to a loss that is no number; `luth eval`:
// what it prints besides metrics.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

class TrainOptions : public ::testing::Test {
 protected:
  void SetUp() override { recipe(""); }
  void recipe(const std::string& more) { dir_.write("p.lua", points_recipe(more)); }
  Result train(std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "p.lua", "--dir", "run"});
    return run_in(dir_, words);
  }
  bool exists(const std::string& name) { return std::filesystem::exists(dir_ / name); }
  std::string lua(const std::string& code) {
    Result r = run({"-e", code}, {.dir = dir_.path()});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  }
  TempDir dir_;
};

TEST_F(TrainOptions, MetricsAreATable) {
  ASSERT_EQ(train({"--log-every", "2"}).code, 0);
  const std::string table = read_file(dir_ / "run/metrics.csv");
  EXPECT_TRUE(table.starts_with("step,epoch,loss,lr,samples_per_second,val_loss,val_accuracy,grad_norm\n2,1,"))
      << table;
  EXPECT_EQ(lines(table), 1 + 2 * 3) << table;
}

// Lines behind the checkpoint from which a run goes on are written once.
TEST_F(TrainOptions, TheTableOfAResumedRunIsThatOfAWholeOne) {
  auto steps = [&] {
    const std::string table = read_file(dir_ / "run/metrics.csv");
    std::string list;
    for (size_t at = 0; at < table.size(); at = table.find('\n', at) + 1)
      list += table.substr(at, table.find(',', at) - at) + " ";
    return list;
  };
  recipe("r.callbacks = { on_step = function(t) if t.step == 6 and not os.getenv 'GO' then os.exit(9) end end }");
  EXPECT_EQ(train({"--log-every", "1", "--save-every", "3"}).code, 9);
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "run", "--resume"}, {{"GO", "1"}});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(steps(), "step 1 2 3 4 4 5 6 7 8 8 ");
}

// Where the epochs end first, the schedule comes to its end with them.
TEST_F(TrainOptions, AScheduleEndsWithTheRun) {
  auto rates = [&](const std::string& steps) {
    std::filesystem::remove_all(dir_ / "run");
    EXPECT_EQ(train({"--steps", steps, "--log-every", "1"}).code, 0);
    return lua("for line in io.lines 'run/metrics.csv' do print((line:match '^%d+,%d+,[^,]*,([^,]*)')) end");
  };
  const std::string all = rates("0");
  EXPECT_EQ(rates("1000"), all);
  EXPECT_NE(rates("6"), all);
}

TEST_F(TrainOptions, StepsEndARunWithinAnEpoch) {
  Result r = train({"--steps", "6"});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string where =
      "local t = torch.load 'run/ckpt/last.h5' print(t.progress.step, t.loader.epoch, t.loader.batch)";
  EXPECT_EQ(lua(where), "6\t2\t2\n");
  r = train({"--steps", "0", "--resume"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "resuming run at epoch 2, batch 2")) << r.err;
  EXPECT_EQ(lua(where), "8\t3\t0\n");
}

TEST_F(TrainOptions, LimitsAndOverfitting) {
  Result r = train({"--limit-train", "3", "--limit-val", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "2 epochs of 3 batches")) << r.err;
  r = run_in(dir_, {"train", "p.lua", "--overfit", "1", "--epochs", "60", "--val-every", "60", "--dir", "over"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "16 samples, 60 epochs of 1 batch;")) << r.err;
  EXPECT_EQ(lines(read_file(dir_ / "over/log.jsonl")), 60);
  EXPECT_EQ(
      lua("local n = 0 for l in io.lines 'over/log.jsonl' do if l:find 'val_loss' then n = n + 1 end end print(n)"),
      "1\n");
}

// The rates of all groups and of the schedule are scaled with the first one's.
TEST_F(TrainOptions, LearningRateWithoutADeclaration) {
  dir_.write("q.lua", R"lua(
local x = torch.randn(8, 2)
local net = nn.Linear(2, 2)
return recipe {
  data = { train = data.TensorDataset(x, x) }, model = net, loss = nn.MSELoss(), batch = 8,
  optim = optim.SGD({ { params = { net.weight }, lr = 0.1 }, { params = { net.bias }, lr = 0.01 } }, { lr = 0.1 }),
  callbacks = { on_step = function(t) print(t.optimizer.param_groups[1].lr, t.optimizer.param_groups[2].lr) end },
}
)lua");
  Result r = run_in(dir_, {"train", "q.lua", "--lr", "0.5"});
  EXPECT_EQ(r.out, "0.5\t0.05\n") << r.err;
}

TEST_F(TrainOptions, KeepsTheBestAndStopsEarly) {
  recipe(
      "local scores, at = { 3, 5, 4, 1, 2, 9 }, 0\n"
      "r.metrics = { function() at = at + 1 return scores[(at - 1) // 4 + 1] end }");
  Result r = train({"--epochs", "6", "--early-stop", "3", "--keep", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "stopping early: no better score in 3 validations; the best is in run/ckpt/best.h5")) << r.err;
  EXPECT_EQ(lines(read_file(dir_ / "run/log.jsonl")), 5);
  EXPECT_TRUE(exists("run/ckpt/epoch-2.h5") && exists("run/ckpt/epoch-3.h5"));
  EXPECT_FALSE(exists("run/ckpt/epoch-1.h5") || exists("run/ckpt/epoch-4.h5"));
}

TEST_F(TrainOptions, BeginsWithWeightsOfAFile) {
  lua("torch.save({['0.weight'] = torch.full({8, 6}, 7.), ['0.bias'] = torch.zeros(9), other = torch.ones(1)}, "
      "'w.safetensors')");
  Result r = train({"--init-from", "w.safetensors", "--epochs", "0"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err,
                  "w.safetensors: took 1 tensor of 4; as the recipe makes them: 1.bias (torch.Size([9]) there, "
                  "torch.Size([8]) here)"))
      << r.err;
  EXPECT_TRUE(has(r.err, "not in the model: other")) << r.err;
  EXPECT_EQ(lua("print(torch.load('run/ckpt/last.h5').model['1.weight'][1][1]:item())"), "7.0\n");
  lua("torch.save({x = torch.zeros(3)}, 'none.h5')");
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--init-from", "none.h5"}).code, 2);
}

TEST_F(TrainOptions, FrozenParametersStay) {
  Result r = train({"--freeze", "1%.", "--epochs", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "56 of 83 parameters are frozen")) << r.err;
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "start", "--epochs", "0"}).code, 0);
  EXPECT_EQ(lua("local a, b = torch.load('run/ckpt/last.h5').model, torch.load('start/ckpt/last.h5').model "
                "print(torch.equal(a['1.weight'], b['1.weight']), torch.equal(a['4.weight'], b['4.weight']))"),
            "true\tfalse\n");
  EXPECT_EQ(train({"--freeze", "zz", "--resume"}).code, 2);
}

TEST_F(TrainOptions, AnOptimizerOfAnotherModel) {
  recipe("r.optim = optim.SGD(nn.Linear(2, 2):parameters(), { lr = 1 }) r.schedule = nil");
  Result r = train({});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "the optimizer has none of the parameters of the model")) << r.err;
  recipe("r.optim = optim.SGD({ r.model[1].weight }, { lr = 1 }) r.schedule = nil");
  EXPECT_TRUE(has(train({}).err, "no optimizer trains 1.bias, 4.weight, 4.bias"));
}

TEST_F(TrainOptions, CallbacksOfEveryEventInOrder) {
  recipe(
      "r.callbacks = {\n"
      "  on_start = function(t) io.write('start ') end, on_epoch_start = function(t) io.write('epoch', t.epoch, ' ') "
      "end,\n"
      "  on_step = function(t, loss) assert(loss:item() > 0) io.write 'step ' end,\n"
      "  on_validation = function(t, entry) assert(entry.val_accuracy) io.write 'val ' end,\n"
      "  on_save = function(t, path, step) assert(path == 'run/ckpt/last.h5' and step == 2) io.write 'save ' end,\n"
      "  on_end = { function() io.write 'end' end, function() io.write '!' end },\n"
      "  function(t, entry) io.write 'first ' t:stop() end, { on_epoch = function() io.write 'second ' end } }");
  Result r = train({"--batch", "32"});
  EXPECT_EQ(r.out, "start epoch1 step step val first second save end!") << r.err;
}

TEST_F(TrainOptions, ACallbackChangesTheLossWithinAnEpoch) {
  recipe(
      "r.schedule = nil r.callbacks = { on_step = function(t) if t.step == 2 then\n"
      "  t.loss = function(a, b) io.write(t.step, ' ') return F.cross_entropy(a, b) end end end }\n"
      "r.data.val = nil");
  EXPECT_EQ(train({"--epochs", "1"}).out, "2 3 ");
}

class BadLoss : public TrainOptions {
 protected:
  // The third batch of each epoch has a value that overflows in the module 2.
  void SetUp() override {
    dir_.write("p.lua", R"lua(
local x, y = torch.ones(64, 2), torch.ones(64, { dtype = torch.int64 })
for i = 33, 48 do x[i] = 1e30 end
local Cube = nn.class('Cube')
function Cube:forward(x) return x * x * x end
local head = nn.Linear(2, 2)
return recipe {
  data = { train = data.TensorDataset(x, y) }, batch = 16, epochs = 2,
  model = nn.Sequential(nn.Identity(), Cube(), head), loss = nn.CrossEntropyLoss(), optim = optim.AdamW { lr = 0.02 },
  callbacks = { on_end = function() print(torch.isfinite(head.weight):all()) end },
}
)lua");
  }
};

TEST_F(BadLoss, EndsTheRunAndNamesTheModule) {
  Result r = train({});
  EXPECT_EQ(r.code, 3);
  EXPECT_TRUE(has(r.err, "the loss is nan in epoch 1, batch ") &&
              has(r.err, "the first bad value is in the output of 2 (Cube())"))
      << r.err;
}

TEST_F(BadLoss, IsLeftOut) {
  Result r = train({"--on-nan", "skip"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "batches were left out, as their loss was no number")) << r.err;
  EXPECT_EQ(r.out, "true\n");
}

TEST_F(BadLoss, TakesUpTheLastCheckpoint) {
  Result r = train({"--on-nan", "rollback", "--save-every", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "run/ckpt/last.h5 is taken up; the batch is left out")) << r.err;
  EXPECT_EQ(r.out, "true\n");
}

TEST_F(BadLoss, WithoutEndEndsTheRun) {
  TempDir dir;
  dir.write("p.lua", points_recipe("r.loss = function(y) return y:sum() * (0 / 0) end r.batch = 2"));
  Result r = run_in(dir, {"train", "p.lua", "--on-nan", "skip"});
  EXPECT_EQ(r.code, 3);
  EXPECT_TRUE(has(r.err, "as in the 19 batches before it")) << r.err;
}

TEST_F(TrainOptions, ADryRunWritesNothing) {
  Result r = train({"--dry-run", "--batch", "24", "--keep", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "dry run: 2 batches, validation, saving and loading went well")) << r.err;
  EXPECT_FALSE(exists("run") || exists("runs"));
  recipe("r.metrics = { function(y) return y:sum(7) end }");
  r = train({"--dry-run"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "metric 'metric1'")) << r.err;
}

TEST_F(TrainOptions, WrongValues) {
  EXPECT_TRUE(has(train({"--on-nan", "x"}).err, "--on-nan must be stop, skip or rollback, got 'x'"));
  EXPECT_TRUE(has(train({"--save-every", "1h"}).err, "--save-every must be a number of steps, or minutes such as 10m"));
  EXPECT_TRUE(has(train({"--freeze", "["}).err, "'[' is no pattern of Lua"));
  recipe("r.optimizer = r.optim r.optim = nil");
  EXPECT_TRUE(has(train({}).err, "unknown recipe field 'optimizer' (luth calls it 'optim')"));
  EXPECT_FALSE(exists("run"));
}

// A recipe's own option of the name is the recipe's.
TEST_F(TrainOptions, ARecipeMayDeclareThem) {
  dir_.write("q.lua", "local o = options { steps = 3, split = 'x' } print(o.steps, o.split)\n" + points_recipe());
  EXPECT_EQ(run_in(dir_, {"train", "q.lua", "--steps", "5", "--split", "y", "--dir", "q"}).out, "5\ty\n");
}

// Its kind may be another one than that of luth's option.
TEST_F(TrainOptions, ARecipeMayDeclareFlags) {
  dir_.write("q.lua",
             "local o = options { quiet = 3, json = 'x', fsdp = 1.5, dist_timeout = 'y', print_config = 1, lr = 0.5 } "
             "io.write(o.quiet, o.json, o.fsdp, o.dist_timeout, o.print_config, o.lr) local t = torch.ones(1) + 1\n" +
                 points_recipe());
  Result r = run_in(
      dir_, {"train", "q.lua", "--quiet", "4", "--json=z", "--fsdp", "2.5", "--dist-timeout", "w", "--dir", "q"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "4z2.5w10.5");
  EXPECT_TRUE(has(r.err, "epoch 2/2")) << r.err;
  r = run_in(dir_, {"train", "q.lua", "--dir", "q", "--resume", "--epochs", "3"});
  EXPECT_EQ(r.out, "4z2.5w10.5") << r.err;
}

TEST_F(TrainOptions, TheCommandIsKeptAsGiven) {
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "run", "--epochs", "1", "--threads", "1"}).code, 0);
  EXPECT_TRUE(has(read_file(dir_ / "run/env.json"), R"("command":"luth train p.lua --dir run --epochs 1 --threads 1")"))
      << read_file(dir_ / "run/env.json");
  ASSERT_EQ(run_in(dir_, {"train", "--threads", "2", "p.lua", "--dir", "two", "--epochs", "1", "--threads=1"}).code, 0);
  EXPECT_TRUE(has(read_file(dir_ / "two/env.json"), R"(p.lua --dir two --epochs 1 --threads=1")"));
  EXPECT_TRUE(has(read_file(dir_ / "two/env.json"), R"("threads":1)"));
}

TEST_F(TrainOptions, ValuesOfSeveralSources) {
  dir_.write("c.json", R"({"epochs": 1, "batch": 8, "hidden": 5, "wide": true, "name": "a b"})");
  Result r =
      run_in(dir_, {"train", "p.lua", "--dir", "run", "--config", "c.json", "--batch", "4"}, {{"LUTH_HIDDEN", "6"}});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string options = read_file(dir_ / "run/options.json");
  for (auto part : {R"("batch":{"source":"command line","value":"4"})",
                    R"("hidden":{"source":"environment","value":"6"})", R"("epochs":{"source":"file","value":"1"})",
                    R"("wide":{"source":"file","value":"true"})", R"("name":{"source":"file","value":"a b"})",
                    R"("lr":{"source":"recipe","value":"0.02"})", R"("clip":{"source":"default","value":"0.0"})"})
    EXPECT_TRUE(has(options, part)) << part << "\n" << options;
  // what is printed is a file with the same values
  r = train({"--config", "c.json", "--print-config", "--batch", "4"});
  EXPECT_EQ(r.code, 0) << r.err;
  dir_.write("d.json", r.out);
  EXPECT_EQ(train({"--config", "d.json", "--print-config"}).out, r.out);
  EXPECT_TRUE(has(r.out, "\"batch\": 4,\n") && has(r.out, "\"name\": \"a b\"")) << r.out;
  dir_.write("d.json", R"({"epocs": 1})");
  EXPECT_TRUE(has(train({"--config", "d.json"}).err, "unknown option '--epocs' in d.json"));
  dir_.write("d.json", "[1]");
  EXPECT_TRUE(has(train({"--config", "d.json"}).err, "--config d.json: it is no JSON object"));
  dir_.write("d.json", "{\"lr\": 1,\n\"a\": {\"lr\": 2},\n\"lr\": 3}");
  EXPECT_TRUE(has(train({"--config", "d.json"}).err,
                  "luth: --config d.json: JSON has the key 'lr' twice in one object, in lines 1 and 3\n"));
  for (const char* name : {"lr=1", "a b", "", "-lr"}) {
    dir_.write("d.json", std::string("{\"") + name + "\": 1}");
    EXPECT_TRUE(has(train({"--config", "d.json"}).err, std::string("'") + name + "' cannot be the name of an option"))
        << name;
  }
  dir_.write("d.json", R"({"resume": true})");
  EXPECT_TRUE(has(train({"--config", "d.json"}).err, "--resume is of the command line alone"));
}

TEST_F(TrainOptions, MetricsWithoutDataForThem) {
  recipe("r.data = r.data.train");
  EXPECT_TRUE(has(train({}).err, "no validation data: accuracy is not measured; data = {train = , val = }"));
}

TEST_F(TrainOptions, QuietAndJson) {
  Result r = train({"--quiet"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out + r.err, "");
  r = train({"--json", "--resume", "--epochs", "3"});
  EXPECT_EQ(lines(r.err), 1) << r.err;  // a warning: the schedule is another one
  EXPECT_TRUE(r.out.starts_with("{\"batch\":0,\"epoch\":3,\"event\":\"resume\"}\n{")) << r.out;
  EXPECT_TRUE(has(r.out, "\"event\":\"epoch\"") && has(r.out, "\"val_accuracy\":") && has(r.out, "\"event\":\"end\""));
  EXPECT_EQ(lines(r.out), 4) << r.out;
}

// The page has every field, and its examples run.
TEST(RecipesPage, IsWholeAndRuns) {
  const std::string page = read_file(LUTH_SOURCE_DIR "/share/doc/recipes.md");
  TempDir dir;
  Result r = run({"-e", "for name in pairs(require('luth.train.fields').all) do print(name) end"});
  for (size_t at = 0, end; (end = r.out.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_TRUE(has(page, "`" + r.out.substr(at, end - at) + "`")) << r.out.substr(at, end - at);
  int examples = 0;
  for (size_t at = 0; (at = page.find("```lua\n", at)) != std::string::npos; ++examples) {
    const size_t end = page.find("```\n", at += 7);
    dir.write("r.lua", page.substr(at, end - at));
    r = run_in(dir, {"train", "r.lua", "--dry-run"});
    EXPECT_EQ(r.code, 0) << page.substr(at, end - at) << r.err;
  }
  EXPECT_EQ(examples, 7);
}

TEST(RecipesPage, IsHelpToo) {
  Result r = run({"help", "recipe"});
  for (auto part : {"return recipe {data = ", "\n  early_stop [0]\n", "\n  callbacks\n"})
    EXPECT_TRUE(has(r.out, part)) << r.out;
  for (auto [name, part] : {std::pair{"callbacks", "| `on_validation` |"},
                            {"recipe.step", "generator"},
                            {"ema", "field of a recipe: ema [0.0]"},
                            {"collate", "pad_sequence"},
                            {"metrics", "`auroc`"},
                            {"recipe.data", "a dataset, or"}}) {
    r = run({"help", name});
    EXPECT_EQ(r.code, 0) << name;
    EXPECT_TRUE(has(r.out, part)) << name << "\n" << r.out << r.err;
  }
  EXPECT_TRUE(has(run({"help", "step"}).out, "opt:step(closure?)"));
  r = run({"help", "callbakcs"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "there is no help on 'callbakcs'")) << r.err;
}

// An error names where the value stands.
TEST_F(TrainOptions, WrongValuesOfAVariableOrAFile) {
  dir_.write("c.json", R"({"epochs": "many"})");
  auto refused = [&](const std::vector<std::string>& words, const Env& env, const std::string& part) {
    std::vector<std::string> all{"train", "p.lua", "--dir", "run"};
    all.insert(all.end(), words.begin(), words.end());
    const Result r = run_in(dir_, all, env);
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(r.err, part)) << r.err;
  };
  refused({}, {{"LUTH_EPOCHS", "x"}}, "luth: LUTH_EPOCHS takes an integer, got 'x'");
  refused({}, {{"LUTH_EPOCHS", "-1"}}, "luth: LUTH_EPOCHS must be an integer of at least 0, got -1");
  refused({}, {{"LUTH_AMP", "x"}}, "luth: LUTH_AMP takes bf16 or off");
  refused({}, {{"LUTH_DEVICE", "x"}}, "luth: LUTH_DEVICE: ");
  refused({"--config", "c.json"}, {}, "luth: c.json: epochs takes an integer, got 'many'");
  refused({"--config", "c.json", "--epochs", "y"}, {{"LUTH_EPOCHS", "x"}}, "luth: --epochs takes an integer, got 'y'");
}

// ---- luth eval ----

// Samples 2 and 7 cannot be read: those behind them keep their numbers, by which their labels are known.
TEST_F(TrainOptions, WorstSamplesHaveTheirOwnNumbers) {
  recipe(
      "local D = data.class('D') function D:len() return 20 end "
      "function D:get(i) if i == 2 or i == 7 then error('broken') end return x[i], i % 3 + 1 end "
      "r.data.val, r.on_error = D(), 'skip'");
  ASSERT_EQ(train({"--epochs", "1"}).code, 0);
  EXPECT_EQ(
      lua("local e = require('luth.native').json_decode(io.open('run/examples.json'):read 'a') local wrong = 0 "
          "for _, w in ipairs(e.worst) do if w.label ~= tostring(w.sample % 3 + 1) then wrong = wrong + 1 end end "
          "print(#e.worst, wrong)"),
      "18\t0\n");
}

TEST_F(TrainOptions, EvalRequires) {
  ASSERT_EQ(train({}).code, 0);
  EXPECT_EQ(run_in(dir_, {"eval", "run", "--require", "accuracy=0.1,loss=9"}).code, 0);
  Result r = run_in(dir_, {"eval", "run", "--require", "accuracy=0.99,loss=0.001"});
  EXPECT_EQ(r.code, 7);
  EXPECT_TRUE(has(r.err, "required at least 0.99") && has(r.err, "required at most 0.001")) << r.err;
  r = run_in(dir_, {"eval", "run", "--require", "acuracy=1"});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");  // before anything is measured
  EXPECT_TRUE(has(r.err, "did you mean 'accuracy'?")) << r.err;
}

TEST_F(TrainOptions, EvalSaysWhatItEvaluates) {
  ASSERT_EQ(train({"--epochs", "0"}).code, 0);
  EXPECT_TRUE(has(run_in(dir_, {"eval", "run"}).err, "64 samples, the validation data, as there are no test data"));
  EXPECT_TRUE(has(run_in(dir_, {"eval", "run", "--split", "train"}).err, "64 samples, the training data\n"));
  EXPECT_EQ(run_in(dir_, {"eval", "run", "--split", "test"}).code, 2);
}

TEST_F(TrainOptions, EvalNamesTheClasses) {
  const std::string named =
      "local D = data.class('D') function D:len() return 64 end function D:get(i) return x[i], y[i] end "
      "function D:classes() return {'lily', 'rose', 'tulip'} end r.data.val = D() ";
  recipe(named);
  ASSERT_EQ(train({"--epochs", "0"}).code, 0);
  Result r = run_in(dir_, {"eval", "run", "--per-class"});
  EXPECT_TRUE(has(r.out, "\nclass  precision  recall  f1      samples\nlily   0.")) << r.out << r.err;
  recipe("r.data = data.TensorDataset(x, 5 * y:float()) r.loss = function(a, b) return F.mse_loss(a[{{}, 1}], b) end");
  EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "numbers", "--epochs", "0"}).code, 0);
  r = run_in(dir_, {"eval", "numbers", "--per-class"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--per-class is for labels of classes, and the targets are other numbers")) << r.err;
}

TEST_F(TrainOptions, EvalWritesPredictionsAndIntervals) {
  ASSERT_EQ(train({}).code, 0);
  Result r = run_in(dir_, {"eval", "run", "--predictions", "p.csv", "--confidence", "--per-class"});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string table = read_file(dir_ / "p.csv");
  EXPECT_TRUE(table.starts_with("sample,target,predicted,output_1,output_2,output_3\n1,")) << table;
  EXPECT_EQ(lines(table), 65);
  EXPECT_TRUE(has(r.out, "class  precision  recall  f1      samples\n1 ")) << r.out;
  double value, low, high;
  ASSERT_EQ(sscanf(r.out.c_str() + r.out.find("accuracy"), "accuracy %lf [%lf, %lf]", &value, &low, &high), 3) << r.out;
  EXPECT_LT(low, value);
  EXPECT_GT(high, value);
  // the accuracy is that of the table
  EXPECT_EQ(run_in(dir_, {"eval", "run", "--predictions", "p.h5"}).code, 0);
  EXPECT_NEAR(
      std::stod(lua("local p = torch.load 'p.h5' print(p.output:argmax(2):eq(p.target):double():mean():item())")),
      value, 1e-6);
}

}  // namespace
}  // namespace luth::testing
