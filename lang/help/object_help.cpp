#include "lang/help/object_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lang/help/function_help.h"
#include "lang/runtime/box.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/late_names.h"
#include "lang/tensor/tensor_class.h"

namespace luth::lang {
namespace {

struct ObjectField {
  const char* name;
  const char* text;
};
struct ObjectClass {
  const char* name;  // as luaL_typename says it
  const char* brief;
  std::vector<ObjectField> fields;
};

const ObjectClass classes[] = {
    {"torch.device",
     "A device: torch.device('cuda', 1), x.device. == compares two devices.",
     {{"type", "'cpu', 'cuda' or 'meta'."},
      {"index", "The number of a GPU, from 0; nil for the CPU and for 'cuda', which is the current GPU."},
      {"scope",
       "d:scope() or d:scope(f, ...): new tensors are on this device while the scope is open (local _ <close> = "
       "d:scope()), or while f runs."}}},
    {"torch.dtype",
     "The type of the elements of a tensor: torch.float32, x.dtype.",
     {{"is_floating_point", "Whether it is a float."}, {"itemsize", "Bytes of an element."}}},
    {"torch.Size",
     "A shape: s[1], s[-1], #s. == compares two shapes.",
     {{"numel", "s:numel(): the number of elements."}, {"tolist", "s:tolist(): the extents as a table."}}},
    {"torch.memory_format", "The order of elements in memory: torch.contiguous_format, torch.channels_last.", {}},
    {"torch.autograd.Node",
     "The node of the graph that made a tensor: y.grad_fn.",
     {{"name", "node:name(): 'PowBackward'."},
      {"next_functions", "The nodes of its inputs: node.next_functions[i][1]."},
      {"variable", "Of an AccumulateGrad node: the leaf whose grad it adds to."},
      {"register_hook",
       "node:register_hook(f): f(grad_inputs, grad_outputs) runs after the node. It may return other grad_inputs."},
      {"register_prehook",
       "node:register_prehook(f): f(grad_outputs) runs before the node. It may return other grad_outputs."}}},
    {"torch.autograd.function.ctx",
     "The context that forward and backward of a torch.autograd.Function share. Other fields are free.",
     {{"saved_tensors", "A table of the tensors that save_for_backward kept, with torch.none for a nil between them."},
      {"needs_input_grad", "A table of booleans: whether the gradient of each argument of forward is needed."}}},
    {"torch.cuda.Stream",
     "A queue of work on a GPU: torch.cuda.Stream(), torch.cuda.current_stream().",
     {{"device", "The GPU that it belongs to."},
      {"priority", "Streams with a lower number run first. The default is 0."}}},
    {"torch.cuda.Event",
     "A point in a stream: torch.cuda.Event{enable_timing = true}. The event is created on the GPU when it is first "
     "recorded.",
     {}},
    {"torch.Generator",
     "A generator of random numbers: torch.Generator():manual_seed(3). Operators take it as `generator`.",
     {{"device", "The device for which it makes numbers."}}},
    {"torch.hook", "The handle of a hook.", {{"remove", "handle:remove(): removes the hook."}}},
    {"torch.scope", "A scope of a grad mode: local _ <close> = torch.no_grad().", {}},
    {"torch.autograd.scope", "A scope of anomaly mode: local _ <close> = torch.autograd.detect_anomaly().", {}},
    {"torch.autocast", "A scope of mixed precision: local _ <close> = torch.autocast('cpu').", {}},
    {"torch.device.scope", "A scope of a device or stream: local _ <close> = torch.cuda.stream(s).", {}},
    {"nn.utils.rnn.PackedSequence",
     "Sequences of different lengths without padding: nn.utils.rnn.pack_padded_sequence(x, lengths).",
     {{"data", "The elements of all sequences at step 1, then those at step 2, and so on; the longest sequence first."},
      {"batch_sizes", "How many sequences have each step."},
      {"sorted_indices", "Which of the sequences given is at each place; nil if they were sorted."},
      {"unsorted_indices", "The place of each sequence given; nil if they were sorted."},
      {"is_cuda", "Whether the data lie on a GPU."}}},
    {"optim.Optimizer",
     "An optimizer: optim.SGD(model:parameters(), {lr = 0.1}).",
     {{"param_groups", "The list of parameter groups. opt.param_groups[1].lr can be read and assigned."}}},
    {"optim.Group",
     "A parameter group: opt.param_groups[1]. Its fields are the settings of the optimizer, for these parameters.",
     {{"params", "The parameters, a table."}, {"lr", "The learning rate."}}},
    {"optim.lr_scheduler", "A schedule of the learning rate: optim.lr_scheduler.StepLR(opt, {step_size = 30}).", {}},
    {"data.Dataset", "A dataset: #ds is the number of samples, ds:get(i) returns one sample as several values.", {}},
    {"data.DataLoader", "Batches of a dataset: for x, y in loader do … end. #loader is their number.", {}},
};

const ObjectClass* class_named(std::string_view name) {
  for (auto& c : classes)
    if (name == c.name) return &c;
  return nullptr;
}

void add_line(std::string& s, const std::string& name, const std::string& text) {
  s += "\n  " + name + std::string(name.size() < 20 ? 20 - name.size() : 1, ' ') + " " + text;
}

// The second line of a help text, without its indent.
std::string brief_of(const std::string& help) {
  const size_t line = help.find('\n');
  if (line == help.npos) return "";
  const size_t first = help.find_first_not_of(" \n", line);
  return first == help.npos ? "" : help.substr(first, help.find('\n', first) - first);
}

// Methods that several classes have, each by a function of its own.
void document_methods(lua_State* L, int classes_at) {
  constexpr const char* methods[][3] = {
      {"torch.scope", "close", "scope:close()\n  Restores the grad mode. <close> calls it at the end of the block."},
      {"torch.autograd.scope", "close",
       "scope:close()\n  Restores anomaly mode. <close> calls it at the end of the block."},
      {"torch.autocast", "close", "scope:close()\n  Ends mixed precision. <close> calls it at the end of the block."},
      {"torch.device.scope", "close",
       "scope:close()\n  Restores device or stream. <close> calls it at the end of the block."},
      {"torch.hook", "remove", "handle:remove()\n  Removes the hook."},
  };
  for (auto& [owner, method, text] : methods) {
    if (lua_getfield(L, classes_at, owner) == LUA_TTABLE) {
      lua_getfield(L, -1, method);
      if (lua_isfunction(L, -1)) document(L, -1, text);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

void open_objects(lua_State* L) {
  push_classes(L);
  document_methods(L, lua_gettop(L));
}
const NamedTexts field_texts([](const TakeText& take) {
  for (auto& c : classes)
    for (auto& f : c.fields) take(f.name, fmt::format("{}.{}\n  {}", c.name, f.name, f.text));
});
const Open opener("luth.objects", Open::extras + 40, open_objects);

}  // namespace

void push_classes(lua_State* L) {
  lua_newtable(L);
  const int list = lua_gettop(L);
  for (int slot = -1; slot >= boxes; --slot, lua_settop(L, list)) {
    if (lua_rawgeti(L, LUA_REGISTRYINDEX, slot) != LUA_TTABLE) continue;
    lua_getfield(L, -1, "__name");
    lua_getfield(L, -2, "__index");
    for (int up = 1; lua_isfunction(L, -1) && lua_getupvalue(L, -1, up); ++up)  // a closure over the methods
      if (lua_istable(L, -1))
        lua_remove(L, -2);
      else
        lua_pop(L, 1);
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    if (!lua_istable(L, -1)) lua_newtable(L), lua_remove(L, -2);
    lua_settable(L, list);
  }
}

std::vector<std::string> object_fields(lua_State* L, int index) {
  if (to_tensor(L, index)) return tensor_fields();
  std::vector<std::string> names;
  if (luaL_getmetafield(L, index, "__name") != LUA_TSTRING) return names;
  if (const ObjectClass* c = class_named(lua_tostring(L, -1)))
    for (auto& f : c->fields) names.emplace_back(f.name);
  lua_pop(L, 1);
  return names;
}

std::string object_text(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || luaL_getmetafield(L, index, "__name") != LUA_TSTRING) return "";
  const std::string name = lua_tostring(L, -1);
  lua_pop(L, 1);
  return class_text(L, name);
}

std::string class_text(lua_State* L, const std::string& name) {
  const ObjectClass* c = class_named(name);
  const int top = lua_gettop(L);
  push_classes(L);
  std::vector<std::pair<std::string, std::string>> methods;
  if (lua_getfield(L, -1, name.c_str()) == LUA_TTABLE) {
    make_late_names(L, -1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
      if (lua_type(L, -2) == LUA_TSTRING) methods.emplace_back(lua_tostring(L, -2), function_help(L, -1));
  }
  lua_settop(L, top);
  if (!c && methods.empty()) return "";
  std::string s = c ? name + "\n  " + c->brief : name;
  for (size_t i = 0; c && i < c->fields.size(); ++i) add_line(s, c->fields[i].name, c->fields[i].text);
  std::sort(methods.begin(), methods.end());
  for (auto& [method, help] : methods)
    if (!c || std::none_of(c->fields.begin(), c->fields.end(), [&](auto& f) { return method == f.name; }))
      add_line(s, method, brief_of(help));
  return s;
}

}  // namespace luth::lang
