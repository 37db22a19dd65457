// Settings of a module that are modules: the layer that nn.TransformerEncoder copies.
#pragma once
#include <vector>

#include "core/nn/module.h"

namespace luth::nn {

struct ModuleSetting {
  const char *name, *doc;
  ModuleRef* value;  // null: not given
  size_t position;   // among all arguments of the constructor, from 0
  bool required = false;
  bool function = false;  // may be a function, too, which the language makes a module, or another kind of setting
  bool (*copied)(std::string_view path) = nullptr;  // whether the module at this path below is a copy of it
};

/// A module that has such settings. `build` takes them over.
class TakesModules {
 public:
  virtual ~TakesModules() = default;
  virtual std::vector<ModuleSetting> module_settings() = 0;
};

}  // namespace luth::nn
