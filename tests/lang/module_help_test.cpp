// The help of every registered module, from its description.
#include <gtest/gtest.h>

#include "core/nn/module.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

std::string help_of(Interp& interp, const std::string& name) {
  lua_State* L = interp.state();
  EXPECT_EQ(interp.run_string("help_text = require('luth.registry').help_of(" + name + ")", "=code"), 0);
  lua_getglobal(L, "help_text");
  std::string text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

TEST(ModuleHelp, NamesEverySetting) {
  Interp interp;
  for (auto* c : nn::module_classes()) {
    SCOPED_TRACE(std::string(c->name));
    const std::string text = help_of(interp, "nn." + std::string(c->name));
    auto says = [&](const std::string& part) { EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text; };
    says("nn." + std::string(c->name) + "(");
    says(std::string(c->brief));
    FieldList list;
    c->make()->describe(list);
    for (auto& f : list.items) {
      if ((f.as & (as::hidden | as::base))) continue;
      says(std::string("\n  ") + f.name + " ");
      says(f.doc);
    }
  }
}

}  // namespace
}  // namespace luth::lang
