// luth ckpt: what is in files of tensors, what differs, and files made of others.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Ckpt : public ::testing::Test {
 protected:
  // a.h5 and b.h5: checkpoints as luth train writes them, with weights of 1 and 3 under the names of a container.
  void SetUp() override {
    lua("local function write(path, v, step)\n"
        "  local net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))\n"
        "  local model = net:state_dict()\n"
        "  for name, t in pairs(model) do if t.dtype == torch.float32 then t:fill_(v) end end\n"
        "  torch.save({format = 'luth.train.checkpoint', version = 1, model = model, progress = {step = step}}, path)\n"
        "end\n"
        "write('a.h5', 1, 10) write('b.h5', 3, 20)");
  }
  Result ckpt(std::vector<std::string> words) {
    words.insert(words.begin(), "ckpt");
    return run(words, {.dir = dir_.path()});
  }
  std::string lua(const std::string& code) {
    Result r = run({"-e", code}, {.dir = dir_.path()});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  }
  TempDir dir_;
};

// Names and texts of others: each on its line, and nothing in them that a terminal obeys.
TEST_F(Ckpt, NamesTakeOneLine) {
  lua("torch.save({['a\\27[2J\\nb'] = torch.ones(1), c = 'd\\27'}, 'x.h5')");
  for (auto& words :
       std::vector<std::vector<std::string>>{{"ls", "x.h5"}, {"show", "x.h5"}, {"diff", "x.h5", "a.h5"}}) {
    const Result r = ckpt(words);
    EXPECT_TRUE(has(r.out, R"(a\x1b[2J\x0ab)")) << words[0] << ": " << r.out << r.err;
    EXPECT_FALSE(has(r.out, "\x1b")) << words[0];
  }
}

TEST_F(Ckpt, ListsAndShows) {
  Result r = ckpt({"ls", "a.h5"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "model.1.weight               float32 [3, 2]  24 B\n")) << r.out;
  EXPECT_TRUE(has(r.out, "progress.step                10\n")) << r.out;
  EXPECT_TRUE(has(r.out, "7 tensors, 22 elements, 92 B\n")) << r.out;
  EXPECT_FALSE(has(ckpt({"ls", "--tensors", "a.h5"}).out, "progress.step"));
  r = ckpt({"show", "b.h5", "model.2.bias"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("model.2.bias  float32 [3]  min 3, max 3, mean 3, std 0\ntensor([3., 3., 3.])"))
      << r.out;
  r = ckpt({"show", "b.h5", "model.2.bais"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "did you mean 'model.2.bias'?")) << r.err;
}

// The settings of the only optimizer of a run have no name between the dots.
TEST_F(Ckpt, AnOnlyKeyWithoutANameIsNoPart) {
  lua("torch.save({made = {optim = {[''] = {lr = 0.5}}, two = {[''] = 1, b = 2}}}, 'x.h5')");
  EXPECT_TRUE(has(ckpt({"ls", "x.h5"}).out, "made.optim.lr  0.5\nmade.two.      1\nmade.two.b     2\n"))
      << ckpt({"ls", "x.h5"}).out;
  EXPECT_EQ(ckpt({"show", "x.h5", "made.optim.lr"}).out, "made.optim.lr  0.5\n");
}

TEST_F(Ckpt, OrderIsThatOfNumbers) {
  lua("torch.save({l10 = torch.ones(1), l9 = torch.ones(1), x = {torch.ones(1), 2, 'z'}}, 'c.h5')");
  const std::string out = ckpt({"ls", "c.h5"}).out;
  EXPECT_LT(out.find("l9"), out.find("l10")) << out;
  EXPECT_TRUE(has(out, "x.3  \"z\"\n")) << out;
}

TEST_F(Ckpt, VerifiesTheSeal) {
  Result r = ckpt({"verify", "a.h5", "b.h5"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "b.h5: whole, its seal holds\n")) << r.out;
  {
    std::fstream file(dir_ / "b.h5", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\x55');
  }
  r = ckpt({"verify", "a.h5", "b.h5", "none.h5"});
  EXPECT_EQ(r.code, 5);
  EXPECT_TRUE(has(r.out, "a.h5: whole")) << r.out;
  EXPECT_TRUE(has(r.err, "2 of 3 files cannot be used")) << r.err;
}

TEST_F(Ckpt, SaysWhatDiffers) {
  Result r = ckpt({"diff", "a.h5", "a.h5"});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(has(r.out, "no difference in 10 entries")) << r.out;
  lua("local t = torch.load('b.h5') t.more = 1 t.model['1.bias'] = torch.zeros(4) torch.save(t, 'b.h5')");
  r = ckpt({"diff", "a.h5", "b.h5"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.out, "model.1.weight  max |a - b| 2, |a - b| / |a| 2\n")) << r.out;
  EXPECT_TRUE(has(r.out, "model.1.bias  float32 [3] and float32 [4]\n")) << r.out;
  EXPECT_TRUE(has(r.out, "progress.step  10 and 20\n")) << r.out;
  EXPECT_TRUE(has(r.out, "more  only in b.h5\n")) << r.out;
}

TEST_F(Ckpt, NanEqualsNan) {
  lua("torch.save({x = torch.tensor{0 / 0, 1.}}, 'c.h5') torch.save({x = torch.tensor{0 / 0, 1.}, n = nil}, 'd.h5')");
  EXPECT_EQ(ckpt({"diff", "c.h5", "d.h5"}).code, 0);
}

TEST_F(Ckpt, ExportsWithNamesOfPyTorch) {
  Result r = ckpt({"export", "a.h5", "a.safetensors"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "wrote 7 tensors of 'model' to a.safetensors; names count positions from 0")) << r.out;
  EXPECT_EQ(lua("local t = torch.load('a.safetensors') print(t['0.weight']:size(), t['1.running_mean'][1]:item(), "
                "t['2.bias'])"),
            "torch.Size([3, 2])\t1.0\tnil\n");
  EXPECT_EQ(ckpt({"export", "--base", "1", "a.h5", "b.npz"}).code, 0);
  EXPECT_EQ(lua("print(torch.load('b.npz')['1.weight']:size())"), "torch.Size([3, 2])\n");
  // a module knows which of its names are positions
  lua("torch.save(nn.ModuleDict{['1'] = nn.Linear(1, 1)}, 'm.h5')");
  EXPECT_EQ(ckpt({"export", "m.h5", "m.safetensors"}).code, 0);
  EXPECT_EQ(lua("print(torch.load('m.safetensors')['1.weight']:size())"), "torch.Size([1, 1])\n");
}

TEST_F(Ckpt, AveragedWeightsComeFirst) {
  lua("local t = torch.load('a.h5') t.ema = {['1.bias'] = torch.tensor{5.}} torch.save(t, 'e.h5')");
  EXPECT_TRUE(has(ckpt({"export", "e.h5", "e.safetensors"}).out, "1 tensor of 'ema'"));
  EXPECT_TRUE(has(ckpt({"export", "--part", "model", "e.h5", "f.safetensors"}).out, "7 tensors of 'model'"));
}

TEST_F(Ckpt, ConvertsAllOrNothing) {
  Result r = ckpt({"convert", "a.h5", "a.safetensors"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "a.h5 has values that a.safetensors cannot hold, such as 'format'")) << r.err;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "a.safetensors"));
  EXPECT_EQ(ckpt({"convert", "a.h5", "copy.h5"}).code, 0);
  EXPECT_EQ(ckpt({"diff", "a.h5", "copy.h5"}).code, 0);
  lua("torch.save({a = {b = torch.ones(2)}}, 'n.h5')");
  EXPECT_EQ(ckpt({"convert", "n.h5", "n.npz"}).code, 0);
  EXPECT_EQ(ckpt({"ls", "n.npz"}).out, "a.b  float32 [2]  8 B\n1 tensor, 2 elements, 8 B\n");
  EXPECT_EQ(lua("print(torch.load('n.npz')['a.b'])"), "tensor([1., 1.])\n");
}

// What safetensors files say in their header stays where they become others of their kind.
TEST_F(Ckpt, KeepsMetadata) {
  const auto write = [&](const std::string& name, const std::string& texts) {
    std::string header =
        R"({"__metadata__":{)" + texts + R"(},"0.w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    dir_.write(name, std::string(1, char(header.size())) + std::string(7, '\0') + header + std::string(4, '\0'));
  };
  write("a.safetensors", R"("format":"pt","by":"one")");
  write("b.safetensors", R"("format":"pt","by":"two")");
  EXPECT_TRUE(has(ckpt({"ls", "a.safetensors"}).out, "__metadata__.by      \"one\"\n"));
  EXPECT_FALSE(has(ckpt({"ls", "--tensors", "a.safetensors"}).out, "__metadata__."));
  EXPECT_EQ(ckpt({"show", "a.safetensors", "__metadata__.by"}).out, "__metadata__.by  one\n");
  EXPECT_EQ(ckpt({"diff", "a.safetensors", "b.safetensors"}).out, "__metadata__.by  \"one\" and \"two\"\n");
  for (const char* action : {"convert", "export"}) {
    EXPECT_EQ(ckpt({action, "--force", "a.safetensors", "c.safetensors"}).code, 0) << action;
    EXPECT_EQ(ckpt({"diff", "a.safetensors", "c.safetensors"}).code, 0) << action;
  }
  EXPECT_EQ(ckpt({"average", "a.safetensors", "b.safetensors", "m.safetensors"}).code, 0);
  EXPECT_EQ(ckpt({"diff", "a.safetensors", "m.safetensors"}).out, "__metadata__.by  only in a.safetensors\n");
  const Result r = ckpt({"convert", "a.safetensors", "a.npz"});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(has(r.err, "a.npz holds no metadata; __metadata__ was left out")) << r.err;
}

TEST_F(Ckpt, Averages) {
  Result r = ckpt({"average", "a.h5", "b.h5", "m.h5"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(lua("print(torch.load('m.h5').model['1.weight'][1][1]:item())"), "2.0\n");
  lua("local t = torch.load('b.h5') t.model['1.bias'] = nil torch.save(t, 'c.h5')");
  r = ckpt({"average", "a.h5", "c.h5", "n.h5"});
  EXPECT_EQ(r.code, 5);
  EXPECT_TRUE(has(r.err, "'1.bias' is float32 [3] in the first and missing in the second")) << r.err;
}

// The last file of a list that a shell has made is no target.
TEST_F(Ckpt, ReplacesNothingUnasked) {
  Result r = ckpt({"average", "a.h5", "a.h5", "b.h5"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "'b.h5' exists, and nothing was written")) << r.err;
  EXPECT_EQ(ckpt({"average", "--force", "a.h5", "a.h5", "b.h5"}).code, 0);
  EXPECT_EQ(ckpt({"convert", "a.h5", "."}).code, 2);
}

TEST_F(Ckpt, Usage) {
  Result r = ckpt({"list", "a.h5"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "luth ckpt has no 'list'")) << r.err;
  EXPECT_TRUE(has(ckpt({"diff", "a.h5"}).err, "usage: luth ckpt diff FILE FILE"));
  EXPECT_EQ(ckpt({"ls", "none.h5"}).code, 5);
  EXPECT_EQ(ckpt({"export", "--base", "2", "a.h5", "x.npz"}).code, 2);
  EXPECT_TRUE(has(ckpt({"--help"}).out, "average FILE FILE... NEW"));
}

}  // namespace
}  // namespace luth::testing
