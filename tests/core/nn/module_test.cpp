// What all modules share: parts, walks, state dicts, cloning, conversion, printing, errors that name the module.
#include "core/nn/module.h"

#include "core/autograd/autograd.h"
#include "core/nn/container.h"
#include "core/nn/conv.h"
#include "core/nn/linear.h"
#include "core/nn/norm.h"
#include "core/nn/pool.h"
#include "tests/core/nn/golden.h"

namespace luth::test {
namespace {

Tensor filled(const Shape& shape, float v) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  std::fill_n(t.data<float>(), t.numel(), v);
  return t;
}

template <class Entry>
std::string names(const std::vector<Entry>& list) {
  std::string s;
  for (auto& e : list) s += e.name + " ";
  return s;
}

std::string text_of(auto&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "no error";
}

Ref<nn::Sequential> two_layers() {
  return nn::sequential(
      {nn::create<nn::Linear>({.in_features = 3, .out_features = 4}),
       nn::sequential({nn::create<nn::BatchNorm1d>({4}),
                       nn::create<nn::Linear>({.in_features = 4, .out_features = 2, .bias = false})})});
}

TEST(Module, NamesPartsByDottedPathsFromOne) {
  auto net = two_layers();
  EXPECT_EQ(names(net->named_parameters()), "1.weight 1.bias 2.1.weight 2.1.bias 2.2.weight ");
  EXPECT_EQ(names(net->state_dict()),
            "1.weight 1.bias 2.1.weight 2.1.bias 2.1.running_mean 2.1.running_var 2.1.num_batches_tracked 2.2.weight ");
  EXPECT_EQ(names(net->state_dict(0)).substr(0, 32), "0.weight 0.bias 1.0.weight 1.0.b");
  EXPECT_EQ(net->submodule("2.2")->type(), "Linear");
  EXPECT_NE(text_of([&] { net->submodule("2.7"); }).find("has no '7'"), std::string::npos);
}

TEST(Module, GivesSharedTensorsOnce) {
  auto a = nn::create<nn::Linear>({.in_features = 2, .out_features = 2}), b = nn::create<nn::Linear>({2, 2});
  b->register_parameter("weight", a->parameter(0));
  auto net = nn::sequential({a, b, a});
  EXPECT_EQ(net->parameters().size(), 3u);
  EXPECT_EQ(net->state_dict().size(), 6u);
  auto copy = net->clone();
  EXPECT_EQ(copy->parameters().size(), 3u);  // still shared
  EXPECT_FALSE(copy->parameters()[0].same(net->parameters()[0]));
  EXPECT_EQ(differs(copy->parameters()[0], net->parameters()[0], 0, 0), "");
  nn::StateDict dict = net->state_dict();
  std::erase_if(dict, [](auto& e) { return e.name == "2.weight" || e.name.starts_with("3."); });
  EXPECT_TRUE(net->load_state_dict(dict).missing.empty());  // a tied tensor may come under one of its names
}

TEST(Module, LoadsAllOrNothing) {
  auto net = two_layers();
  auto before = nn::duplicate(net->parameters()[0]);
  nn::StateDict dict = net->clone()->state_dict();
  for (auto& e : dict)
    if (e.name == "1.weight") e.value = filled({4, 3}, 7);
  dict.back().value = filled({5, 5}, 0);
  std::string text = text_of([&] { net->load_state_dict(dict); });
  EXPECT_NE(text.find("'2.2.weight' has shape [5, 5], the module's is [2, 4]"), std::string::npos) << text;
  EXPECT_EQ(differs(net->parameters()[0], before, 0, 0), "");
  dict.pop_back();
  dict.push_back({"other", filled({1}, 0)});
  text = text_of([&] { net->load_state_dict(dict); });
  EXPECT_NE(text.find("missing '2.2.weight'; unexpected 'other'"), std::string::npos) << text;
  EXPECT_EQ(differs(net->parameters()[0], before, 0, 0), "");
  auto result = net->load_state_dict(dict, {.strict = false});
  EXPECT_EQ(result.missing, std::vector<std::string>{"2.2.weight"});
  EXPECT_EQ(result.unexpected, std::vector<std::string>{"other"});
  EXPECT_EQ(element(net->parameters()[0], 0), 7);
}

TEST(Module, ConvertsInPlace) {
  auto net = two_layers();
  Tensor weight = net->parameters()[0];
  weight.set_grad(filled({4, 3}, 1));
  net->to(Dtype::f64);
  EXPECT_EQ(weight.dtype(), Dtype::f64);
  EXPECT_EQ(weight.grad().dtype(), Dtype::f64);
  EXPECT_TRUE(weight.requires_grad());
  for (auto& e : net->state_dict())
    EXPECT_EQ(e.value.dtype(), e.name.ends_with("tracked") ? Dtype::i64 : Dtype::f64) << e.name;
  EXPECT_THROW(net->to(Dtype::i64), Error);
}

TEST(Module, PrintsAsPyTorch) {
  EXPECT_EQ(two_layers()->repr(),
            "Sequential(\n"
            "  (1): Linear(in_features=3, out_features=4, bias=True)\n"
            "  (2): Sequential(\n"
            "    (1): BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)\n"
            "    (2): Linear(in_features=4, out_features=2, bias=False)\n"
            "  )\n"
            ")");
  nn::Conv2dSpec spec{.in_channels = 3, .out_channels = 4, .kernel_size = {3}, .stride = {1, 2}};
  spec.padding.word = "valid";
  spec.bias = false;
  EXPECT_EQ(nn::create<nn::Conv2d>(spec)->repr(),
            "Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 2), padding=valid, bias=False)");

  EXPECT_EQ(nn::create<nn::MaxPool2d>({.window = {.kernel_size = {2}}})->repr(),
            "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)");
  nn::ModuleList list;
  for (int i = 0; i < 3; ++i) list.append(nn::create<nn::Identity>());
  list.append(nn::create<nn::Linear>({1, 1}));
  EXPECT_EQ(list.repr(),
            "ModuleList(\n  (1-3): 3 x Identity()\n  (4): Linear(in_features=1, out_features=1, bias=True)\n)");
}

TEST(Module, NamesItselfInErrors) {
  auto net = two_layers();
  std::string text = text_of([&] { (*net->submodule("2"))(filled({2, 4}, 0)), (*net)(filled({2, 5}, 0)); });
  EXPECT_TRUE(text.starts_with("linear(float32[2, 5], float32[4, 3], float32[4]): ")) << text;
  EXPECT_TRUE(text.ends_with(", in module Sequential.1 (Linear(in_features=3, out_features=4, bias=True))")) << text;
  EXPECT_EQ(nn::Frame::where(), "");
}

TEST(Module, HooksSeeAndReplace) {
  auto m = nn::create<nn::Identity>();
  int seen = 0;
  int64_t pre = m->hooks().add(&nn::Hooks::before, [&](nn::Module&, nn::Values& in, nn::Named&) {
    ++seen;
    in = {filled({1}, 2)};
  });
  m->hooks().add(&nn::Hooks::after, [&](nn::Module&, const nn::Values& in, const nn::Named&, nn::Values& out) {
    EXPECT_EQ(element(in[0].tensor(), 0), 2);
    EXPECT_EQ(element(out[0].tensor(), 0), 2);
    out = {filled({1}, 3)};
  });
  EXPECT_EQ(element((*m)(filled({1}, 1)), 0), 3);
  m->hooks().remove(pre);
  EXPECT_EQ(seen, 1);
}

TEST(Module, LazyOnesLearnTheirShape) {
  auto net = nn::sequential({nn::create<nn::LazyLinear>(nn::LinearSpec{.out_features = 2})});
  Tensor weight = net->parameters()[0];
  EXPECT_EQ(net->repr(), "Sequential(\n  (1): LazyLinear(in_features=0, out_features=2, bias=True)\n)");
  auto other = net->clone();
  (*net)(filled({1, 3}, 1));
  EXPECT_EQ(to_string(weight.shape()), "[2, 3]");
  EXPECT_EQ(net->at(0)->type(), "Linear");
  other->load_state_dict(net->state_dict());
  EXPECT_EQ(differs(other->parameters()[0], weight, 0, 0), "");
}

TEST(Module, RefusesNamesThatWouldClash) {
  auto m = nn::create<nn::Linear>({1, 1});
  EXPECT_THROW(m->add_module("weight", nn::create<nn::Identity>()), Error);
  EXPECT_THROW(m->register_buffer("a.b", filled({1}, 0)), Error);
  EXPECT_THROW(m->add_module("self", m), Error);
  EXPECT_THROW(nn::create<nn::Linear>({-1, 2}), Error);
}

// Deep trees are searched, and end, without a deep stack.
TEST(Module, DeepTreesEnd) {
  nn::ModuleRef lowest = make<nn::Sequential>(), m = lowest;
  for (int i = 0; i < 200000; ++i) {
    nn::ModuleRef above = make<nn::Sequential>();
    above->parts().children.push_back({"0", std::move(m)});
    m = std::move(above);
  }
  EXPECT_THROW(lowest->add_module("0", m), Error);  // it would contain itself
  m = {};
  EXPECT_EQ(lowest->use_count(), 1u);
}

}  // namespace
}  // namespace luth::test
