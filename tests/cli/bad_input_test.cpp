// Bad input to `luth train` and `luth eval`: files, recipes, options, checkpoints, folders. Each error says what, where
// and what next, and ends with the exit code that belongs to it.
#include <gtest/gtest.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

// Trains the recipe of points after `more` has changed it.
Result train(const std::string& more, std::vector<std::string> words = {}) {
  TempDir dir;
  dir.write("p.lua", points_recipe(more));
  words.insert(words.begin(), {"train", "p.lua"});
  return run_in(dir, words);
}

// The program ended with `code` and said all `parts` on stderr. What is about settings (2), a diverged run (3) or a
// checkpoint (5) comes without a traceback and without places in luth's own files.
void expect_error(const Result& r, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(r.code, code) << r.err;
  for (auto& p : parts) EXPECT_TRUE(has(r.err, p)) << "'" << p << "' is not in:\n" << r.err;
  EXPECT_FALSE((code == 2 || code == 3 || code == 5) && has(r.err, "traceback")) << r.err;
  EXPECT_FALSE((code == 2 || code == 3 || code == 5) && has(r.err, "share/luth/")) << r.err;
}

// ---- data files ----

class Mnist : public ::testing::Test {
 protected:
  Mnist() {
    write_mnist(dir_, "digits", 40, 6);
    dir_.write("m.lua",
               "return recipe { data = data.mnist { root = 'digits' }, model = nn.Flatten() .. nn.Linear(36, 10),\n"
               "  loss = nn.CrossEntropyLoss(), optim = optim.SGD { lr = 0.1 } }");
  }
  std::string file(const std::string& name) const { return dir_ / ("digits/" + name); }
  void expect(const std::vector<std::string>& parts) { expect_error(run_in(dir_, {"train", "m.lua"}), 1, parts); }
  TempDir dir_;
};

TEST_F(Mnist, IsGoodBeforeItIsSpoilt) { EXPECT_EQ(run_in(dir_, {"train", "m.lua"}).code, 0); }

TEST_F(Mnist, MissingFile) {
  std::filesystem::remove(file("train-labels-idx1-ubyte"));
  expect({"no train-labels-idx1-ubyte", "'digits'"});
  std::filesystem::remove_all(dir_ / "digits");
  expect({"train-images-idx3-ubyte", "'digits'"});
}

TEST_F(Mnist, MissingTestFileIsNoticed) {
  std::filesystem::remove(file("t10k-images-idx3-ubyte"));
  expect({"no t10k-images-idx3-ubyte"});
}

TEST_F(Mnist, TruncatedFile) {
  const std::string images = idx_images(40, 6);
  dir_.write("digits/train-images-idx3-ubyte", images.substr(0, 700));
  expect({"train-images-idx3-ubyte", "cut short"});
  dir_.write("digits/train-images-idx3-ubyte", images.substr(0, 3));
  expect({"train-images-idx3-ubyte"});
  dir_.write("digits/train-images-idx3-ubyte", "");
  expect({"train-images-idx3-ubyte"});
}

TEST_F(Mnist, TruncatedGzipFile) {
  const std::string whole = read_file(LUTH_SOURCE_DIR "/share/data/mnist/train-labels-idx1-ubyte.gz");
  ASSERT_GT(whole.size(), 1000u);
  std::filesystem::remove(file("train-labels-idx1-ubyte"));
  dir_.write("digits/train-labels-idx1-ubyte.gz", whole.substr(0, whole.size() / 2));
  expect({"train-labels-idx1-ubyte.gz"});
}

TEST_F(Mnist, WrongMagicNumber) {
  dir_.write("digits/train-images-idx3-ubyte", "\x89PNG" + idx_images(40, 6));
  expect({"train-images-idx3-ubyte", "is no IDX file: it begins with 89 50 4e 47"});
}

TEST_F(Mnist, LabelsThatDoNotFit) {
  dir_.write("digits/train-labels-idx1-ubyte", idx({40}, std::string(17, '\x03') + '\xC8' + std::string(22, '\0')));
  expect({"train-labels-idx1-ubyte", "label 200 of image 18 is out of range 0 to 9"});
  dir_.write("digits/train-labels-idx1-ubyte", idx_labels(39));
  expect({"holds 40 images", "holds 39 labels"});
  dir_.write("digits/train-labels-idx1-ubyte", idx_images(40, 6));
  expect({"train-labels-idx1-ubyte", "expected labels"});
}

TEST_F(Mnist, EmptyFiles) {
  write_mnist(dir_, "digits", 0, 6);
  expect_error(run_in(dir_, {"train", "m.lua"}), 2, {"the training data is empty"});
}

// ---- recipes ----

TEST(BadRecipe, WrongShapeNamesTheModule) {
  expect_error(train("r.model[4] = nn.Linear(9, 3)"), 1,
               {"model.4 (Linear(in_features=9, out_features=3, bias=True))", "float32[16, 8]", "[3, 9]"});
}

TEST(BadRecipe, Fields) {
  expect_error(train("r.bach = 3"), 2, {"p.lua:13: unknown recipe field 'bach'", "did you mean 'batch'?"});
  expect_error(train("r.data.trian = 3"), 2, {"'trian'", "train, val and test"});
  expect_error(train("r.loss = nil"), 2, {"needs 'loss' or 'step'"});
  expect_error(train("r.model = nil"), 2, {"has no 'model'"});
  expect_error(train("r.batch = 'many'"), 2, {"batch must be an integer", "many"});
  expect_error(train("r.optim = optim.SDG { lr = 1 }"), 2, {"optim has no 'SDG'", "did you mean 'SGD'?"});
  expect_error(train("r.schedule = nil r.optim = optim.SGD { lrr = 1 }"), 2, {"'lrr'", "did you mean 'lr'?"});
}

// A mistake in the recipe is found before anything is written, and named with its place.
TEST(BadRecipe, IsRefusedBeforeAFolderIsMade) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"r.data = 3", {"p.lua:13: data must be a dataset", "got 3"}},
      {"r.data.val = 7", {"p.lua:13: data.val must be a dataset", "got 7"}},
      {"r.loss = 'mse'", {"p.lua:13: loss must be a module or function", "got 'mse'"}},
      {"r.loss = nn.CrossEntropyLoss", {"p.lua:13: loss must be", "got a class"}},
      {"r.model = function() end", {"p.lua:13: model must be the module", "got a function"}},
      {"r.optim = 'sgd'", {"p.lua:13: optim must be an optimizer", "got 'sgd'"}},
      {"r.optim = optim.SGD", {"p.lua:13: optim must be", "got optim.SGD without its settings"}},
      {"r.schedule = 3", {"p.lua:13: schedule must be a schedule", "got 3"}},
      {"r.metrics = 'accuracy'", {"p.lua:13: metrics must be a list", "got 'accuracy'"}},
      {"r.metrics = { 'acuracy' }", {"p.lua:13: unknown metric 'acuracy'", "did you mean 'accuracy'?"}},
      {"r.metrics = { 'acuracy' } r.data.val = nil", {"unknown metric 'acuracy'", "did you mean 'accuracy'?"}},
      {"r.callbacks = { on_stp = print }", {"p.lua:13: callbacks has no 'on_stp'", "did you mean 'on_step'?"}},
      {"r.collate = 3", {"p.lua:13: collate must be a function", "got 3"}},
      {"r.step = {}", {"p.lua:13: step must be function", "got a table"}},
      {"r.clip = 'x'", {"p.lua:13: clip must be a number of at least 0, got 'x'"}},
      {"r.ema = 1", {"p.lua:13: ema must be a number of at least 0 and below 1, got 1"}},
      {"r.schedule = nil r.optim = optim.SGD { lrr = 1 }", {"p.lua:12: optim.SGD: ", "'lrr'", "did you mean 'lr'?"}},
      {"options { dir = 'x' }", {"p.lua:12: the option --dir is luth's own (the folder of the run)"}},
      {"options { rate = { 1, 2 } }", {"p.lua:12: the help of option 'rate' must be a string, got 2"}},
      {"options { rate = { {} } }", {"p.lua:12: the default of option 'rate' must be a number"}},
      {"options(3)", {"p.lua:12: options wants a table", "got number"}},
  };
  for (auto& [more, parts] : cases) {
    TempDir dir;
    dir.write("p.lua", points_recipe(more));
    Result r = run_in(dir, {"train", "p.lua"});
    expect_error(r, 2, parts);
    EXPECT_FALSE(has(r.err, "share/luth")) << r.err;
    EXPECT_FALSE(std::filesystem::exists(dir / "runs")) << more;
  }
}

// The recipe's own errors keep their place and their traceback.
TEST(BadRecipe, ItsOwnErrorsHaveATraceback) {
  for (const char* more :
       {"error('mine')", "r.callbacks = { function() error('mine') end }", "r.step = function() error('mine') end"})
    expect_error(train(more), 1, {"p.lua:12: mine", "stack traceback:"});
}

TEST(BadRecipe, Options) {
  expect_error(train("", {"--lrr", "1"}), 2, {"unknown option '--lrr'", "did you mean '--lr'?", "--help"});
  expect_error(train("", {"--qqqqqqqq", "1"}), 2, {"unknown option '--qqqqqqqq'"});
  expect_error(train("", {"--hidden", "2.5"}), 2, {"--hidden takes an integer, got '2.5'"});
  expect_error(train("", {"--lr", "fast"}), 2, {"--lr takes a number, got 'fast'"});
  expect_error(train("", {"--wide=perhaps"}), 2, {"--wide takes true or false, got 'perhaps'"});
  expect_error(train("", {"--epochs"}), 2, {"--epochs needs a value"});
  expect_error(train("", {"--batch", "0"}), 2, {"--batch must be an integer of at least 1, got 0"});
  expect_error(train("", {"--ema", "2"}), 2, {"--ema must be a number of at least 0 and below 1, got 2"});
  expect_error(train("", {"--clip", "-1"}), 2, {"--clip must be a number of at least 0, got -1"});
  expect_error(train("", {"--workers", "-3"}), 2, {"--workers must be an integer from 0 to 1024, got -3"});
  expect_error(train("", {"--save-every", "-1"}), 2,
               {"--save-every must be a number of steps, or minutes such as 10m, got '-1'"});
  expect_error(train("", {"--dir", ""}), 2, {"--dir needs a value that is not empty"});
  expect_error(train("", {"--resume="}), 2, {"--resume takes the file of a checkpoint"});
  expect_error(train("", {"--checkpoint", "x"}), 2, {"unknown option '--checkpoint'"});
  expect_error(train("", {"--threads", "0"}), 2, {"--threads expects a count of 1 to 4096, got '0'"});
  expect_error(train("", {"stray"}), 2, {"unexpected argument 'stray'"});
}

TEST(BadRecipe, Files) {
  TempDir dir;
  expect_error(run_in(dir, {"train", "nix.lua"}), 2, {"cannot open nix.lua"});
  expect_error(run_in(dir, {"train"}), 2, {"Usage: luth train RECIPE"});
  expect_error(run_in(dir, {"eval"}), 2, {"Usage: luth eval CHECKPOINT"});
  dir.write("n.lua", "return 3");
  expect_error(run_in(dir, {"train", "n.lua"}), 2, {"n.lua is no recipe", "return recipe"});
  dir.write("s.lua", "\nlocal x = = 3");
  expect_error(run_in(dir, {"train", "s.lua"}), 1, {"s.lua:2:"});
  dir.write("e.lua", "\n\nlocal x = nothing.here");
  expect_error(run_in(dir, {"train", "e.lua"}), 1, {"e.lua:3: attempt to index a nil value"});
}

TEST(BadRecipe, DtypesAndDevices) {
  expect_error(train("x = torch.zeros(2, { dtype = 'flaot32' })"), 1,
               {"p.lua:12:", "unknown dtype 'flaot32'", "float32"});
  expect_error(train("", {"--device", "floppy"}), 2,
               {"device 'floppy' is not available", "libluth_floppy.so", "devices known here: cpu, "});
  expect_error(train("", {"--device", "cuda:x"}), 2, {"'cuda:x' is no device"});
  if (run({"-e", "print(torch.cuda.is_available())"}).out == "true\n") GTEST_SKIP() << "there is a GPU";
  expect_error(train("", {"--device", "cuda"}), 2, {"device 'cuda' is not available"});
}

TEST(BadRecipe, Datasets) {
  expect_error(train("r.data.train = data.TensorDataset(torch.zeros(0, 6), torch.zeros(0):long())"), 2,
               {"the training data is empty"});
  expect_error(train("r.data.train = data.TensorDataset(x, torch.full({ 64 }, 9):long())"), 1, {"must be from 1 to 3"});
  // Without workers and with them: the place is named.
  const std::string uneven =
      "r.data.train = data.ConcatDataset { r.data.train, data.TensorDataset(torch.zeros(3, 7), torch.ones(3):long()) }";
  for (const char* workers : {"0", "2"})
    expect_error(train(uneven, {"--workers", workers}), 1, {"of the batch is float32[7]", "float32[6]", "collate_fn"});
}

TEST(BadRecipe, ErrorInADatasetOfLua) {
  const std::string own =
      "r.data.train = setmetatable({ get = function(_, i)\n"
      "  if i == 7 then error('torn page') end\n"
      "  return x[i], y[i]\n"
      "end }, { __len = function() return 64 end })";
  for (const char* workers : {"0", "2"})
    expect_error(train(own, {"--workers", workers}), 1, {"sample 7 of the dataset", "p.lua:13: torn page"});
  expect_error(
      train("r.data.train = setmetatable({ get = function() return 'word' end }, { __len = function() return 3 end })"),
      2, {"a batch of the data has 1 value", "samples have two or more"});
  expect_error(train("r.data.train = setmetatable({ get = function() return nil, 'word' end }, { __len = function() "
                     "return 3 end })"),
               1, {"of the dataset: get returned nil as value 1"});
}

TEST(BadRecipe, ABatchLargerThanTheDatasetIsTheWholeDataset) {
  Result r = train("", {"--batch", "1000"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "64 samples, 2 epochs of 1 batch;")) << r.err;
}

TEST(BadRecipe, ADivergedRun) {
  expect_error(train("r.schedule = nil r.optim = optim.SGD { lr = 1e30 }"), 3,
               {"the loss is nan in epoch", "in epoch 1", "smaller lr"});
}

TEST(BadRecipe, ATensorThatFitsNoMemory) {
  expect_error(train("x = torch.zeros(2 ^ 50)"), 4, {"p.lua:12:", "4503599627370496 bytes"});
  expect_error(run({"-e", "torch.zeros(1 << 62, 8)"}), 4, {"2^62 bytes"});
  Result r = run({"-i"}, {.in = "torch.zeros(2 ^ 50)\nprint(torch.ones(3):sum():item())\n"});
  expect_error(r, 0, {"cannot allocate 4503599627370496 bytes"});
  EXPECT_TRUE(has(r.out, "3.0")) << r.out;
}

TEST(BadRecipe, RecursionWithoutEnd) {
  expect_error(train("local function f() return 1 + f() end f()"), 1, {"p.lua:12: stack overflow"});
  expect_error(train("r.data.train = setmetatable({ get = function(d, i) return (d.get(d, i)) end }, { __len = "
                     "function() return 3 end })"),
               1, {"stack overflow"});
  expect_error(train("local m = {} m.__index = function(t, k) return t[k] end print(setmetatable({}, m).x)"), 1,
               {"overflow"});
}

// ---- checkpoints ----

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() {
    dir_.write("p.lua", points_recipe());
    EXPECT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "run"}).code, 0);
    good_ = read_file(dir_ / "run/ckpt/last.h5");
  }
  void expect(const std::string& contents, const std::vector<std::string>& parts) {
    std::filesystem::remove(dir_ / "run/ckpt/prev.h5");  // a run would go on from it
    dir_.write("run/ckpt/last.h5", contents);
    expect_error(run_in(dir_, {"eval", "run/ckpt/last.h5"}), 5, parts);
    expect_error(run_in(dir_, {"eval", "p.lua", "--checkpoint", "run/ckpt/last.h5"}), 5, parts);
    expect_error(run_in(dir_, {"train", "p.lua", "--dir", "run", "--resume", "--epochs", "3"}), 5, parts);
    EXPECT_EQ(read_file(dir_ / "run/ckpt/last.h5"), contents) << "a damaged checkpoint must stay as it is";
  }
  TempDir dir_;
  std::string good_;
};

TEST_F(Checkpoint, Truncated) {
  for (size_t bytes : {size_t(0), size_t(100), good_.size() / 2, good_.size() - 1})
    expect(good_.substr(0, bytes), {"last.h5"});
  expect(good_.substr(0, good_.size() / 2), {"cut short"});
}

TEST_F(Checkpoint, Corrupted) {
  for (size_t at : {good_.size() / 3, good_.size() / 2, good_.size() - 9}) {
    std::string bad = good_;
    bad[at] ^= 0x10;
    expect(bad, {"last.h5"});
  }
}

TEST_F(Checkpoint, NoCheckpointAtAll) {
  expect("recipe { }", {"last.h5", "no HDF5 file"});
  expect_error(run_in(dir_, {"eval", "missing.h5"}), 5, {"missing.h5"});
  expect_error(run_in(dir_, {"eval", "p.lua", "--checkpoint", "missing.h5"}), 5, {"missing.h5"});
  expect_error(run_in(dir_, {"eval", "p.lua"}), 2, {"--checkpoint FILE"});
  for (const char* value : {"5", "{ 1, 2 }", "{ model = 'x' }", "torch.ones(3)"}) {
    ASSERT_EQ(run_in(dir_, {"-e", std::string("torch.save(") + value + ", 'plain.h5')"}).code, 0);
    expect_error(run_in(dir_, {"eval", "p.lua", "--checkpoint", "plain.h5"}), 5, {"plain.h5", "has no weights"});
  }
}

TEST_F(Checkpoint, OfAnotherModel) {
  dir_.write("q.lua", points_recipe("r.model = nn.Sequential(nn.Linear(6, 4))"));
  const std::vector<std::string> parts{"last.h5 does not fit this model",
                                       "'1.weight' has shape [8, 6], the module's is [4, 6]",
                                       "unexpected '4.bias', '4.weight'"};
  expect_error(run_in(dir_, {"eval", "q.lua", "--checkpoint", "run/ckpt/last.h5"}), 5, parts);
  const std::vector<std::string> names{"recipe.lua", "options.json", "log.jsonl", "ckpt/last.h5"};
  std::vector<std::string> before;
  for (auto& name : names) before.push_back(read_file(dir_ / ("run/" + name)));
  expect_error(run_in(dir_, {"train", "q.lua", "--dir", "run", "--resume", "--epochs", "3"}), 5, parts);
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(read_file(dir_ / ("run/" + names[i])), before[i]) << names[i];
  EXPECT_EQ(run_in(dir_, {"eval", "run"}).code, 0);
}

TEST_F(Checkpoint, OfTheOptimizerOfAnother) {
  dir_.write("q.lua", points_recipe("r.schedule = nil r.optim = optim.SGD { lr = 0.1 }"));
  expect_error(run_in(dir_, {"train", "q.lua", "--dir", "run", "--resume", "--epochs", "3"}), 5,
               {"last.h5 does not fit the optimizer"});
  EXPECT_EQ(read_file(dir_ / "run/recipe.lua"), points_recipe());
  expect_error(run_in(dir_, {"train", "q.lua", "--dir", "new", "--resume", "run/ckpt/best.h5", "--epochs", "3"}), 5,
               {"best.h5 does not fit the optimizer"});
  EXPECT_FALSE(std::filesystem::exists(dir_ / "new"));
}

// What is lost with last.h5 is one epoch; a run goes on from the one before.
TEST_F(Checkpoint, TheOneBeforeADamagedOne) {
  const std::string damaged = good_.substr(0, good_.size() / 2), whole = read_file(dir_ / "run/ckpt/prev.h5");
  dir_.write("run/ckpt/last.h5", damaged);
  expect_error(run_in(dir_, {"train", "p.lua", "--resume", "run/ckpt/last.h5"}), 5,
               {"cut short", "--resume run/ckpt/prev.h5"});
  expect_error(run_in(dir_, {"eval", "run"}), 5, {"cut short", "luth eval run/ckpt/prev.h5"});
  EXPECT_EQ(run_in(dir_, {"eval", "run/ckpt/prev.h5"}).code, 0);
  Result r = run_in(dir_, {"train", "p.lua", "--dir", "run", "--resume"});
  expect_error(r, 0,
               {"run/ckpt/last.h5 cannot be used: the run goes on from run/ckpt/prev.h5",
                "resuming run at epoch 2, batch 0", "done: run/ckpt/last.h5"});
  EXPECT_EQ(read_file(dir_ / "run/ckpt/prev.h5"), whole) << "the damaged one took its place";
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "whole"}).code, 0);
  EXPECT_EQ(log_of(dir_, "run"), log_of(dir_, "whole"));
  std::filesystem::remove(dir_ / "run/ckpt/last.h5");
  expect_error(run_in(dir_, {"train", "p.lua", "--dir", "run", "--resume"}), 5,
               {"there is no run/ckpt/last.h5", "prev.h5"});
  expect_error(run_in(dir_, {"train", "p.lua", "--resume", "nix.h5"}), 5, {"there is no checkpoint 'nix.h5'"});
}

// ---- folders and names ----

TEST(Folder, BelowAFile) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  for (const char* path : {"p.lua/run", "/dev/null/a/b"})
    expect_error(run_in(dir, {"train", "p.lua", "--dir", path}), 2, {path, "Not a directory"});
}

TEST(Names, OfAnyBytes) {
  TempDir dir;
  const std::string bad = "\xFE\xFFn\xC3";
  dir.write(bad + ".lua", points_recipe("print(o.name)"));
  Result r = run_in(dir, {"train", bad + ".lua", "--name", bad});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, bad + "\n");
  r = run_in(dir, {"eval", "runs/" + bad + "-1/ckpt/last.h5"});  // the words come back from options.json
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, bad + "\n")) << r.out;
  expect_error(run_in(dir, {"train", bad + ".lua", "--" + bad, "1"}), 2, {"unexpected argument '--" + bad + "'"});
  expect_error(run_in(dir, {"train", bad}), 2, {"cannot open " + bad});
  expect_error(run({"-e", "torch.zeros(1):to('" + bad + "')"}), 1, {"is no device"});
  r = run({"-e", "torch.load('" + bad + "')"});  // a script's own error: with its place and a traceback
  EXPECT_EQ(r.code, 5);
  EXPECT_TRUE(has(r.err, "(command line):1: ") && has(r.err, bad) && has(r.err, "stack traceback:")) << r.err;
}

// A callback that raises is named, with its line; so is a metric that gives no number.
TEST(BadInput, CallbacksAndMetrics) {
  const TempDir dir;
  const std::vector<std::pair<const char*, const char*>> cases{
      {"r.callbacks = { on_step = function() error('boom') end }", "callback on_step: p.lua:12: boom"},
      {"r.metrics = { mine = function(output) return output end }",
       "metric 'mine': it must return a number or a tensor of one element, got torch.Size([16, 3])"},
      {"r.metrics = { mine = { sums = function() return 1 end, value = function() return 'x' end } }",
       "metric 'mine' must be a number, got a string"}};
  for (auto& [lua, said] : cases) {
    dir.write("p.lua", points_recipe(lua));
    const Result r = run_in(dir, {"train", "p.lua", "--dir", "run"});
    EXPECT_TRUE(r.code == 1 || r.code == 2) << r.code;
    EXPECT_TRUE(has(r.err, said)) << r.err;
    EXPECT_FALSE(has(r.err, "luth/train/")) << r.err;
    std::filesystem::remove_all(dir / "run");
  }
}

}  // namespace
}  // namespace luth::testing
