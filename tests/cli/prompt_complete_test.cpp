// What Tab offers.
#include "tests/cli/screen.h"

namespace luth::testing {
namespace {

class Completes : public AtTerminal {
 protected:
  // The screen below the prompt after `before` and Tab.
  std::string after(const std::string& before) {
    type("\x15" + before);
    const std::string shown = "> " + before.substr(0, before.find_last_not_of(' ') + 1);
    for (int i = 0; i < 50 && !has(screen.text(), shown); ++i) screen.settle();
    type("\t");
    std::string text = screen.text();
    return text.substr(text.rfind("\n> ") + 3);
  }
  void type(const std::string& keys) {
    screen.type(keys);
    screen.settle();
  }
  void run(const std::string& block) { type("\x15" + block + "\r"); }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  TempDir dir;
  Screen screen{{}, {}, 100, 40};
};

TEST_F(Completes, FieldsOfModulesAndTables) {
  run("net = nn.Linear(2, 2) net.mine = 5 s = nn.Sequential(net, nn.ReLU()) opt = optim.SGD(net:parameters(), {lr = "
      "0.1})");
  EXPECT_EQ(after("net.wei"), "net.weight");
  EXPECT_EQ(after("net.min"), "net.mine");
  EXPECT_EQ(after("s[1].weight.requires_gra"), "s[1].weight.requires_grad");
  EXPECT_EQ(after("net.weight:contig"), "net.weight:contiguous");
  EXPECT_EQ(after("opt.param_groups[1].par"), "opt.param_groups[1].params");
  run("t = {alpha = {beta_long = 1}, ['two words'] = 2, key = 3} d = net:state_dict()");
  EXPECT_EQ(after("t.alpha.be"), "t.alpha.beta_long");
  EXPECT_EQ(after("t['alpha'].be"), "t['alpha'].beta_long");
  EXPECT_EQ(after("d.wei"), "d.weight");
  EXPECT_TRUE(has(after("t."), "alpha  key"));
  run("e = nn.Sequential(net, nn.ReLU()):state_dict()");
  EXPECT_EQ(after("e['1.w"), "e['1.weight");
  EXPECT_EQ(after("t[\"tw"), "t[\"two words");
  EXPECT_EQ(after("t.alpha['"), "t.alpha['beta_long");
  EXPECT_EQ(after("nosuch['"), "nosuch['");
}

TEST_F(Completes, NothingThatCannotFollow) {
  run("net = nn.Linear(2, 2) forest = 1");
  for (const char* text :
       {"net:state_dict().w", "-- whi", "local fores", "for fores", "function f(a, fores", "1e", "net.nosuch.w"})
    EXPECT_EQ(after(text), text);
  EXPECT_EQ(after("x = fore"), "x = forest");
  EXPECT_EQ(after("x = whil"), "x = whil");  // no statement
  EXPECT_EQ(after("whil"), "while");
  EXPECT_EQ(after("x = fals"), "x = false");
}

TEST_F(Completes, OptionsOfCalls) {
  EXPECT_EQ(after("nn.Linear(2, 2, {bi"),
            "nn.Linear(2, 2, {bias =\nnn.Linear(in_features, out_features, {bias = true, device = nil, dtype = nil})");
  EXPECT_TRUE(has(after("data.DataLoader(d, {batch_size = 4, "), "shuffle = false"));
  EXPECT_FALSE(has(after("data.DataLoader(d, {batch_size = 4, "), "\nbatch_size = 1"));
  EXPECT_EQ(after("torch.zeros(3, {dtype = torch.floa"), "torch.zeros(3, {dtype = torch.float");
  EXPECT_TRUE(has(after("torch.zeros(3, {dtype = torch.float"), "\nfloat16  float32  float64"));
  run("x = torch.ones(2, 2)");
  EXPECT_TRUE(has(after("x:sum(1, {keep"), "x:sum(1, {keepdim ="));
  EXPECT_TRUE(has(after("torch.softmax("), "torch.softmax(input, dim, dtype = nil)"));
  EXPECT_TRUE(has(after("torch.zeros(2, {device = 'cud"), "device = 'cuda"));
  EXPECT_TRUE(has(after("torch.zeros(2, {dtype = 'bfloa"), "dtype = 'bfloat16"));
  EXPECT_TRUE(has(after("torch.zeros(2, {dtype = "), "dtype = torch."));
}

TEST_F(Completes, Commands) {
  dir.write("script.lua", "");
  const std::string file = dir / "script.lua";
  EXPECT_EQ(after(":rel"), ":reload");
  EXPECT_EQ(after(":load " + dir.path() + "/scr"), ":load " + file);
  EXPECT_EQ(after(":time torch.softma"), ":time torch.softmax");
  EXPECT_EQ(after("!ls " + dir.path() + "/scr"), "!ls " + file);
  EXPECT_EQ(after("!luth trai"), "!luth train");
  EXPECT_EQ(after("!luth train r.lua --find-b"), "!luth train r.lua --find-batch");
  EXPECT_EQ(after("!luth train r.lua --device cud"), "!luth train r.lua --device cuda");
  EXPECT_EQ(after("!luth completion z"), "!luth completion zsh");
}

TEST_F(Completes, FileNames) {
  dir.write("checkpoint.h5", "");
  dir.write("folder/inner.txt", "");
  EXPECT_TRUE(has(after("torch.load('" + dir.path() + "/chec"), "/checkpoint.h5\ntorch.load(path, "));
  EXPECT_TRUE(has(after("io.open('" + dir.path() + "/fol"), "/folder/"));
  EXPECT_TRUE(has(after("io.open('" + dir.path() + "/folder/"), "/folder/inner.txt"));
}

TEST_F(Completes, ModulesOfRequire) {
  dir.write("mine_a.lua", "");
  dir.write("mine_b/init.lua", "");
  dir.write("mine_c/initial.lua", "");
  dir.write("mine.txt", "");
  run("package.path = '" + dir.path() + "/?.lua;" + dir.path() +
      "/?/init.lua' package.preload['mine.given'] = print y = torch.ones(2)");
  const std::string all = after("require 'mine");
  for (const char* name : {"mine.given", "mine_a", "mine_b", "mine_c."}) EXPECT_TRUE(has(all, name)) << all;
  EXPECT_FALSE(has(all, ".txt") || has(all, ".lua") || has(all, "/")) << all;
  EXPECT_TRUE(has(after("local m = require('mine_c."), "require('mine_c.initial"));
  EXPECT_TRUE(has(after("y:to 'me"), "y:to 'meta"));
  EXPECT_TRUE(has(after("require \"models.lla"), "models.llama"));
}

}  // namespace
}  // namespace luth::testing
