// Modules as trees: what comes back, and what is refused of files that somebody has made up.
#include "core/io/module.h"

#include <gtest/gtest.h>
#include <locale.h>

#include "core/nn/activation.h"
#include "core/nn/container.h"
#include "core/nn/linear.h"
#include "tests/core/io/io_util.h"

namespace luth::test {
namespace {

using io::Item;
using io::List;
using io::Map;

nn::ModuleRef network() {
  auto shared = nn::create<nn::Linear>({.in_features = 2, .out_features = 2});
  return nn::sequential({shared, nn::create<nn::Tanh>(), shared});
}

std::string failure(const Item& item) {
  try {
    io::to_module(item);
    return "none";
  } catch (const std::exception& e) { return e.what(); }
}

// The tree of a Linear with one entry replaced; nil takes it away.
Item changed(const char* name, Item value) {
  Item item = io::to_item(*nn::create<nn::Linear>({.in_features = 2, .out_features = 2}));
  Map map;
  map.kind = item.as<Map>()->kind;
  for (auto& e : *item.as<Map>())
    if (e.key != io::Key(std::string(name))) map.add(e.key, e.value);
  if (!value.is_nil()) map.add(std::string(name), value);
  return map;
}
Map parameters(std::initializer_list<const char*> names) {
  Map map;
  for (auto* name : names) map.add(std::string(name), Tensor::empty({2, 2}, Dtype::f32, host()));
  return map;
}

TEST(ModuleTrees, GiveTheModuleBack) {
  nn::ModuleRef m = network();
  m->eval();
  nn::ModuleRef back = io::to_module(io::to_item(*m));
  EXPECT_EQ(back->repr(), m->repr());
  EXPECT_FALSE(back->training());
  EXPECT_EQ(back->parts().children[0].module.get(), back->parts().children[2].module.get());
  ASSERT_EQ(back->parameters().size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(back->parameters()[i].requires_grad());
    EXPECT_TRUE(back->parameters()[i].impl()->parameter);
  }
  nn::StateDict dict = io::to_state_dict(io::to_item(m->state_dict()));
  EXPECT_TRUE(back->load_state_dict(dict).missing.empty());
}

// A program in C++ may have set the locale of its user, whose numbers have a comma.
TEST(ModuleTrees, ReadNumbersInEveryLocale) {
  const io::testing::Folder dir;
  const std::string make = "localedef -f UTF-8 -i de_DE '" + dir / "de_DE.UTF-8" + "' >/dev/null 2>&1";
  setenv("LOCPATH", dir.path.c_str(), 1);
  const bool german = std::system(make.c_str()) == 0 && setlocale(LC_NUMERIC, "de_DE.UTF-8");
  unsetenv("LOCPATH");
  if (!german) GTEST_SKIP() << "the locale de_DE.UTF-8 cannot be made here";
  EXPECT_EQ(std::strtod("0,25", nullptr), 0.25);
  const Item item = io::to_item(*nn::find_module_class("Dropout")->make());
  EXPECT_EQ(failure(item), "none");
  EXPECT_EQ(io::to_module(item)->repr(), "Dropout(p=0.5, inplace=False)");
  setlocale(LC_NUMERIC, "C");
}

TEST(ModuleTrees, RefuseWhatIsNone) {
  auto expect = [](const Item& item, const std::string& part) {
    EXPECT_NE(failure(item).find(part), std::string::npos) << failure(item) << "; expected " << part;
  };
  expect(Item(3), "something else");
  expect(Item(Map()), "something else");
  expect(changed("class", "Nothing"), "'Nothing', which this luth does not have");
  expect(changed("class", Item()), "without a readable 'class'");
  expect(changed("class", Item(3)), "without a readable 'class'");
  expect(changed("id", "x"), "without a readable 'id'");
  expect(changed("settings", "in_features=x;"), "'x'");
  expect(changed("settings", "in_features=-7;out_features=2;"), "in_features");
  expect(changed("settings", "bias=false;in_features="), "");
  expect(changed("settings", "in_features=nil;out_features=2;"), "in_features must not be nil");
  expect(changed("settings", "in_features=3;out_features=2;bias=7;"), "'7' is neither true nor false");
  expect(changed("parameters", Item()), "parameter number 1 is missing");
  expect(changed("parameters", parameters({"bias", "weight"})), "parameter number 1 is 'bias', not 'weight'");
  expect(changed("parameters", Item(3)), "without a readable 'parameters'");
  Map wrong;
  wrong.add(std::string("weight"), "text");
  expect(changed("parameters", wrong), "no tensor");
  Map child;
  child.add(std::string("a"), 3);
  expect(changed("children", child), "something else");
  Map same;
  same.kind = io::kinds::same;
  same.add(std::string("id"), 17);
  expect(same, "a module 17 that it lacks");
  child.set(std::string("a"), same);
  expect(changed("children", child), "that it lacks");
  same.set(std::string("id"), 1);
  child.set(std::string("a"), same);
  expect(changed("children", child), "cannot contain itself");
  expect(changed("language", "Lua"), "is written in Lua");
  EXPECT_THROW(io::to_state_dict(changed("id", 1)), Error);
}

// Each level holds the one below twice.
TEST(ModuleTrees, RefuseModulesThatUnfoldWithoutEnd) {
  nn::ModuleRef m = network();
  for (int level = 0; level < 10; ++level) m = nn::sequential({m, m});
  EXPECT_EQ(failure(io::to_item(*m)), "none");
  for (int level = 10; level < 40; ++level) m = nn::sequential({m, m});
  EXPECT_EQ(failure(io::to_item(*m)), "the file describes modules at more than 1000000 places");
}

TEST(ModuleTrees, RefuseSettingsOfAnotherKind) {
  auto expect = [](const char* type, const std::string& settings, const std::string& part) {
    const Item item = io::to_item(*nn::find_module_class(type)->make());
    Map map = *item.as<Map>();
    map.set(std::string("settings"), settings);
    EXPECT_NE(failure(map).find(part), std::string::npos) << failure(map) << "; expected " << part;
  };
  expect("MaxPool2d", "kernel_size=7;", "'7' does not begin with [ and end with ]");
  expect("MaxPool2d", "kernel_size=;", "'' does not begin with [");
  expect("Conv2d", "padding_mode='", "does not begin with ' and end with '");
  expect("Conv2d", "padding_mode=zeros;", "'zeros' does not begin with '");
  expect("Conv2d", "in_channels=-1;out_channels=1;kernel_size=[1, 1];", "the file describes a Conv2d that cannot be");
  expect("LSTM", "input_size=1;hidden_size=1;num_layers=1000000;", "the file describes a LSTM that cannot be");
}

}  // namespace
}  // namespace luth::test
