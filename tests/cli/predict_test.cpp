// `luth predict`: classes and outputs of images, tables, tensors and standard input, with the recipe's transform.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

class Predict : public ::testing::Test {
 protected:
  // Two classes of images of several sizes: red ones and blue ones. The transform of the validation data tells them
  // apart.
  void images() {
    lua(R"lua(
for c, name in ipairs { 'red', 'sea blue' } do
  os.execute('mkdir -p "images/' .. name .. '"')
  for i = 1, 4 do
    local x = torch.zeros({ 3, 8 + i, 9 }, { dtype = torch.uint8 })
    x[c * 2 - 1] = 200 + i
    data.write_image(x, string.format('images/%s/%d.png', name, i))
  end
end
)lua");
    dir_.write("i.lua", R"lua(
local T = data.transforms
local held = data.ImageFolder('images', { transform = T.Compose { T.Resize { 4, 4 }, T.ToTensor() } })
return recipe {
  data = { train = data.Subset(held, { 1, 2, 3, 4, 5, 6, 7, 8 }), val = held }, model = nn.Flatten() .. nn.Linear(48, 2),
  loss = nn.CrossEntropyLoss(), optim = optim.AdamW { lr = 0.1 }, batch = 3, epochs = 8,
}
)lua");
    EXPECT_EQ(run_in(dir_, {"train", "i.lua", "--dir", "i"}).code, 0);
  }
  Result predict(std::vector<std::string> words, const std::string& in = "") {
    words.insert(words.begin(), "predict");
    return run(words, {.in = in, .dir = dir_.path()});
  }
  std::string lua(const std::string& code) {
    Result r = run({"-e", code}, {.dir = dir_.path()});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  }
  TempDir dir_;
};

TEST_F(Predict, Images) {
  images();
  Result r = predict({"i", "images/red/1.png", "images/sea blue/2.png", "images/red/3.png", "images/red/4.png"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("images/red/1.png  red ")) << r.out;
  EXPECT_TRUE(has(r.out, "\nimages/sea blue/2.png  sea blue ")) << r.out;
  r = predict({"i/ckpt/best.h5", "--json", "--top", "1", "-"}, read_file(dir_ / "images/sea blue/1.png"));
  EXPECT_TRUE(r.out.starts_with("{\"classes\":[{\"class\":\"sea blue\",\"label\":2,\"probability\":0."))
      << r.out << r.err;
  EXPECT_TRUE(has(r.out, "}],\"file\":\"stdin\"}\n")) << r.out;
  // what cannot be read is left out
  dir_.write("bad.png", "x");
  r = predict({"i", "bad.png", "images/red/1.png", "--top", "1"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(r.out.starts_with("images/red/1.png  red ") && lines(r.out) == 1) << r.out;
  EXPECT_TRUE(has(r.err, "bad.png: cannot read the image") && has(r.err, "1 of the samples could not be read"))
      << r.err;
  // also where training would leave it out: the others of its batch keep their names
  const std::string whole = predict({"i", "images/red/1.png", "images/sea blue/2.png", "images/red/3.png"}).out;
  r = predict({"i", "bad.png", "images/red/1.png", "images/sea blue/2.png", "images/red/3.png", "--on-error", "skip"});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.out, whole);
}

TEST_F(Predict, WeightsAlone) {
  images();
  lua("torch.save(torch.load('i/ckpt/last.h5').model, 'w.npz')");
  EXPECT_EQ(run_in(dir_, {"ckpt", "export", "i/ckpt/last.h5", "w.safetensors"}).code, 0);
  const std::string out = predict({"i", "images/red/2.png"}).out;
  for (auto file : {"w.npz", "w.safetensors", "i/ckpt/last.h5"})
    EXPECT_EQ(predict({"i.lua", "--checkpoint", file, "images/red/2.png"}).out, out) << file;
  EXPECT_EQ(run_in(dir_, {"eval", "i.lua", "--checkpoint", "w.safetensors"}).out, run_in(dir_, {"eval", "i"}).out);
  lua("torch.save({x = torch.ones(2)}, 'x.npz')");
  const Result r = predict({"i.lua", "--checkpoint", "x.npz", "images/red/2.png"});
  EXPECT_EQ(r.code, 5);
  EXPECT_TRUE(has(r.err, "x.npz does not fit this model")) << r.err;
}

TEST_F(Predict, NumbersAndTensors) {
  dir_.write("p.lua", points_recipe());
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "p"}).code, 0);
  const std::string row = "1,2,-3,4e-1,5,6\n", out = predict({"p", "-"}, row).out;
  EXPECT_TRUE(out.starts_with("stdin  ") && lines(out) == 1) << out;
  dir_.write("t.csv", "a,b,c,d,e,f\n" + row + row);
  EXPECT_EQ(predict({"p", "t.csv"}).out, "t.csv:1" + out.substr(5) + "t.csv:2" + out.substr(5));
  lua("torch.save(torch.tensor{{1,2,-3,0.4,5,6}}, 't.npy')");
  EXPECT_EQ(predict({"p", "t.npy"}).out, "t.npy" + out.substr(5));
  Result r = predict({"p", "-"}, "1,2\n");
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "stdin:1: 2 fields; a sample of the recipe has 6")) << r.err;
  EXPECT_TRUE(has(predict({"p", "-"}, row + "1,2,x,4,5,6\n").err, "stdin:2: field 3 is no number"));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += row;
  r = run({"predict", "p", "-"}, {.in = many, .dir = dir_.path(), .prepare = limited(RLIMIT_FSIZE, 4096)});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "standard input does not fit in a file: File too large") && r.out.empty()) << r.err;
  EXPECT_TRUE(has(predict({"p", "none.csv"}).err, "there is no file 'none.csv'"));
  EXPECT_TRUE(has(predict({"p"}).err, "luth predict needs files behind p"));
  EXPECT_TRUE(has(predict({"p", "t.csv", "--top", "0"}).err, "--top takes a number of at least 1"));
  EXPECT_TRUE(has(predict({"p", "t.csv", "--tpo", "1"}).err, "did you mean '--top'?"));
}

// One class: training says so, and the only score of a sample is not taken for that of a second class.
TEST_F(Predict, OneClass) {
  lua("os.execute('mkdir -p one/red') for i = 1, 4 do "
      "data.write_image(torch.full({3, 4, 4}, i * 9, {dtype = torch.uint8}), 'one/red/' .. i .. '.png') end");
  dir_.write("o.lua", R"lua(
local held = data.ImageFolder('one', { transform = data.transforms.ToTensor() })
local model = nn.Flatten() .. nn.Linear(48, 1)
nn.init.constant_(model[2].bias, -9)
return recipe { data = { train = held, val = held }, model = model, loss = nn.CrossEntropyLoss(),
                metrics = { 'f1', 'accuracy' }, optim = optim.SGD { lr = 0.1 }, epochs = 1, batch = 3 }
)lua");
  Result r = run_in(dir_, {"train", "o.lua", "--dir", "o"});
  EXPECT_EQ(r.code, 0) << r.err;
  const char* words = "(ImageFolder of 4 samples) have one class alone, 'red'";
  EXPECT_TRUE(has(r.err, words)) << r.err;
  EXPECT_TRUE(has(read_file(dir_ / "o/warnings.jsonl"), words));
  r = run_in(dir_, {"eval", "o", "--per-class"});
  EXPECT_TRUE(has(r.out, "f1 1\naccuracy 1\n") && has(r.out, "red    1.0000     1.0000  1.0000  4")) << r.out << r.err;
  EXPECT_EQ(predict({"o", "one/red/1.png"}).out, "one/red/1.png  red 1.0000\n");
  images();
  EXPECT_FALSE(has(run_in(dir_, {"train", "i.lua", "--dir", "i2"}).err, "one class alone"));
}

// What cannot be read is named, and the other files count; where none can, the first one's reason does.
TEST_F(Predict, LeavesOutFiles) {
  images();
  const std::string one = predict({"i", "images/red/1.png"}).out, two = predict({"i", "images/red/2.png"}).out;
  Result r = predict({"i", "images/red/1.png", "gone.png", "images/red/2.png", "gone.csv"});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.out, one + two);
  EXPECT_TRUE(has(r.err, "there is no file 'gone.png'\n") && has(r.err, "there is no file 'gone.csv'\n") &&
              has(r.err, "2 of the samples could not be read"))
      << r.err;
  dir_.write("cut.npy", "\x93NUMPY");
  r = predict({"i", "cut.npy", "images/red/1.png"});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.out, one);
  EXPECT_TRUE(has(r.err, "'cut.npy': it does not begin as .npy files do")) << r.err;
  r = predict({"i", "gone.png", "cut.npy"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "there is no file 'gone.png'") && r.out.empty()) << r.err;
  EXPECT_EQ(predict({"i", "cut.npy", "gone.png"}).code, 5);
}

TEST_F(Predict, OutputsOfARegression) {
  dir_.write("p.lua", points_recipe("r.model, r.metrics = nn.Linear(6, 2), nil "
                                    "r.loss = function(a, b) return a:sub(b:unsqueeze(2)):square():mean() end"));
  ASSERT_EQ(run_in(dir_, {"train", "p.lua", "--dir", "p"}).code, 0);
  Result r = predict({"p", "-"}, "0,0,0,0,0,0");
  double a, b;
  ASSERT_EQ(sscanf(r.out.c_str(), "stdin  %lf  %lf\n", &a, &b), 2) << r.out << r.err;
  const std::string bias = lua("print(torch.load('p/ckpt/last.h5').model.bias[2]:item())");
  EXPECT_NEAR(b, std::stod(bias), 1e-5);
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  r = run({"predict", "p", "pipe"}, {.dir = dir_.path(), .timeout = 20});
  EXPECT_FALSE(r.timed_out);
  EXPECT_TRUE(has(r.err, "it is a device or pipe")) << r.err;
}

}  // namespace
}  // namespace luth::testing
