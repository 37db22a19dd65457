#include "lang/help/names.h"

#include <algorithm>
#include <vector>

#include "core/base/text.h"
#include "lang/help/function_help.h"
#include "lang/help/object_help.h"
#include "lang/hints/hints.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/late_names.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

using Space = NameSpace;
constexpr Space spaces[] = {
    {"torch", "Tensors, operators, gradients, files, random numbers."},
    {"torch.Tensor", "The methods of tensors: x:sum(). torch.Tensor(3, 4) makes one that is not initialised."},
    {"torch.amp", "Automatic mixed precision."},
    {"torch.autograd", "Gradients beyond x:backward()."},
    {"torch.autograd.functional", "Jacobians, Hessians, and products with them."},
    {"torch.cuda", "GPUs."},
    {"torch.distributions", "Probability distributions, maps of them, and their divergences."},
    {"torch.distributed",
     "Processes that compute together: init_process_group, then collectives. share/doc/distributed.md describes "
     "launchers."},
    {"torch.distributed.algorithms.ddp_comm_hooks.default_hooks",
     "Hooks for register_comm_hook of DistributedDataParallel: means over the ranks."},
    {"torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook",
     "A hook for register_comm_hook of DistributedDataParallel: means by thin factors."},
    {"torch.func", "Functions of functions: vmap, derivatives, modules as functions of their parameters."},
    {"torch.linalg", "Linear algebra: equations, factorizations, norms. All functions take batches of matrices."},
    {"torch.profiler", "Where the time goes: by operator, module and line."},
    {"torch.profiler.ProfilerActivity", "What a profile records: CPU, CUDA."},
    {"torch.signal", "Signal processing: torch.signal.windows."},
    {"torch.signal.windows", "Window functions of signal processing."},
    {"torch.special", "Special functions of each element."},
    {"torch.testing", "Comparisons for tests. torch.TestSuite and torch.Tester run tests."},
    {"torch.utils", "Utilities. torch.utils.data is the same table as data."},
    {"torch.utils.benchmark", "Measures how long calls take."},
    {"torch.utils.checkpoint", "Gradient checkpointing: backward computes parts of the forward again, to save memory."},
    {"torch.utils.tensorboard", "Files that TensorBoard opens."},
    {"nn", "Modules, losses, containers."},
    {"nn.functional", "Functions for networks; F is the same table. A script may add its own functions."},
    {"nn.init", "Initial values of parameters. All functions work in place."},
    {"nn.parallel", "Modules on several devices and processes."},
    {"nn.parameter", "Questions about single parameters."},
    {"nn.utils", "Utilities for parameters and gradients."},
    {"nn.utils.parametrizations", "Usual functions for nn.utils.parametrize."},
    {"nn.utils.parametrize", "Parameters as functions of others."},
    {"nn.utils.prune", "Sets elements or channels of parameters to 0."},
    {"optim", "Optimizers: optim.SGD(model:parameters(), {lr = 0.1})."},
    {"optim.lr_scheduler", "Schedules of the learning rate: the optimizer comes first."},
    {"optim.swa_utils", "Averages of a model's weights, and the schedule for them."},
    {"data", "Datasets and loaders; also torch.utils.data."},
    {"plot", "Pictures of numbers, on the terminal or as PNG and SVG. plot(y) is plot.plot(y)."},
    {"data.Tokenizer",
     "Tokenizers: text to the numbers of tokens, and back. from_file, characters, bytes, words and bpe make "
     "one."},
    {"data.transforms", "Transforms of images: resizing, cropping, flips, colours, augmentation, ToTensor, Normalize."},
};

char spaces_key;  // registry: table of names -> light userdata of its Space; keys are weak

void push_spaces(lua_State* L) { push_kept(L, &spaces_key, "k"); }

const Space* space_at(lua_State* L, int index) {
  if (!lua_istable(L, index)) return nullptr;
  index = lua_absindex(L, index);
  push_spaces(L);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  auto* space = static_cast<const Space*>(lua_touserdata(L, -1));
  lua_pop(L, 2);
  return space;
}

std::vector<std::string> names_in(lua_State* L, int table) {
  std::vector<std::string> names;
  table = lua_absindex(L, table);
  make_late_names(L, table);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names.emplace_back(lua_tostring(L, -2));
  std::sort(names.begin(), names.end());
  return names;
}

// Pushes the table at a dotted path of globals, or nil.
void push_path(lua_State* L, std::string_view path) {
  lua_pushglobaltable(L);
  while (!path.empty() && lua_istable(L, -1)) {
    std::string_view part = path.substr(0, path.find('.'));
    lua_pushlstring(L, part.data(), part.size());
    rawget_or_late(L, -2);
    lua_remove(L, -2);
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
}

// The operator for a module `name` that is missing in the table at 1: "elu" for "ELU", "group_norm" for
// "GroupNorm".
std::string functional_hint(lua_State* L, std::string_view name) {
  if (!name_index(L, 1).alike(name).empty()) return "";  // nn.Relu
  push_path(L, "F");
  const std::string found(space_at(L, -1) ? name_index(L, -1).alike(name, false) : "");
  lua_pop(L, 1);
  return found.empty() ? "" : "; there is F." + found;
}

// __index of a table of names. Upvalue 1: its path. Keys that are no strings are nil, as in any table.
int missing(lua_State* L) {
  if (push_late(L, 1, 2)) return 1;
  if (lua_type(L, 2) != LUA_TSTRING) return lua_pushnil(L), 1;
  std::string_view key = lua_tostring(L, 2);
  if (key.starts_with("__")) return lua_pushnil(L), 1;  // what others ask any table, not a name
  const std::string path = lua_tostring(L, lua_upvalueindex(1));
  std::string instead = foreign_hint(path, key);
  if (instead.empty() && path == "nn") instead = functional_hint(L, key);
  throw Error("{} has no '{}'{}", path, key, instead.empty() ? name_index(L, 1).did_you_mean(key) : instead);
}

// "  softmax              The softmax along a dim."
std::string line(const std::string& name, const std::string& help) {
  size_t at = help.find('\n');
  std::string brief = at == std::string::npos ? "" : help.substr(help.find_first_not_of(" \n", at));
  brief = brief.substr(0, brief.find('\n'));
  return "\n  " + name + std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') + brief;
}

void set_names(lua_State* L, int index, const Space& space) {
  push_spaces(L);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, const_cast<Space*>(&space));
  lua_rawset(L, -3);
  lua_pop(L, 1);
  if (!lua_getmetatable(L, index)) lua_newtable(L);
  lua_pushstring(L, space.path);
  lua_pushcclosure(L, guarded<missing>, 1);
  lua_setfield(L, -2, "__index");
  note_new_names(L);
  lua_setmetatable(L, index);
}

void open_names(lua_State* L) {
  for (auto& space : spaces) {
    push_path(L, space.path);
    if (lua_istable(L, -1)) set_names(L, lua_gettop(L), space);
    lua_pop(L, 1);
  }
}
// After everything that puts names into the tables.
const Open opener("luth.names", Open::extras + 50, open_names);

// __index of the table of globals: names that are silently nil, and never meant to be, as in {dtype = float}.
int missing_global(lua_State* L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    const std::string_view name = lua_tostring(L, 2);
    if (name == "None" || name == "True" || name == "False")
      throw Error("'{}' is Python's{}", name, foreign_hint("global", name));
    constexpr std::string_view dtypes[] = {"float16", "float32", "float64", "bfloat16", "int8",
                                           "int16",   "int32",   "int64",   "uint8",    "float",
                                           "double",  "half",    "long",    "int",      "bool"};
    if (std::find(std::begin(dtypes), std::end(dtypes), name) != std::end(dtypes))
      throw Error("the global '{}' is nil{}", name, foreign_hint("global", name));
  }
  return lua_pushnil(L), 1;
}

void open_global_names(lua_State* L) {
  lua_pushglobaltable(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, guarded<missing_global>);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}
const Open globals_opener("luth.hints", Open::extras + 60, open_global_names);

}  // namespace

std::span<const NameSpace> name_spaces() { return spaces; }

std::string names_text(lua_State* L, int index) {
  const Space* space = space_at(L, index);
  if (!space) return "";
  index = lua_absindex(L, index);
  std::string s = std::string(space->path) + "\n  " + space->brief;
  for (auto& name : names_in(L, index)) {
    lua_pushlstring(L, name.data(), name.size());
    lua_rawget(L, index);
    const Space* within = space_at(L, -1);  // named, not listed
    std::string text = within ? std::string("\n") + within->brief : function_help(L, -1);
    s += line(name, text.empty() ? object_text(L, -1) : text);
    lua_pop(L, 1);
  }
  return s;
}

}  // namespace luth::lang
