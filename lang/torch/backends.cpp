// torch.backends, determinism, and the log of placement: switches of the core as fields and functions.
#include "core/base/backends.h"

#include <cstdlib>

#include "core/base/text.h"
#include "core/device/device_support.h"
#include "core/dispatch/placement_log.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/torch/torch.h"
#include "lang/values/devices.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

struct Switch {
  const char* name;
  const char* brief;
  std::atomic<bool>& (*value)();
};
constexpr Switch matmul_switches[] = {
    {"allow_tf32",
     "float32 matrix products on a GPU may round their inputs to 10 bits; this is several times as quick. Default: "
     "false.",
     []() -> std::atomic<bool>& { return backends().matmul_tf32; }},
    {"enabled", "cuBLASLt computes matrix products if it is installed; else luth's own kernel does. Default: true.",
     []() -> std::atomic<bool>& { return backends().blas_enabled; }}};
constexpr Switch cudnn_switches[] = {
    {"enabled", "cuDNN computes convolutions if it is installed; else luth's own kernels do. Default: true.",
     []() -> std::atomic<bool>& { return backends().cudnn_enabled; }},
    {"benchmark",
     "The first convolution of each shape tries cuDNN's algorithms and keeps the quickest. Default: false.",
     []() -> std::atomic<bool>& { return backends().cudnn_benchmark; }},
    {"deterministic", "Use only algorithms of cuDNN that give the same bits each time. Default: false.",
     []() -> std::atomic<bool>& { return backends().cudnn_deterministic; }},
    {"allow_tf32", "float32 convolutions on a GPU may round their inputs to 10 bits. Default: true.",
     []() -> std::atomic<bool>& { return backends().cudnn_tf32; }}};

struct Group {
  const char* name;
  std::span<const Switch> switches;
  const char* brief;
};
constexpr Group matmul{"torch.backends.cuda.matmul", matmul_switches,
                       "Settings of matrix products on GPUs. They are fields that can be read and assigned."};
constexpr Group cudnn{"torch.backends.cudnn", cudnn_switches,
                      "Settings of cuDNN. They are fields that can be read and assigned. is_available() and version() "
                      "tell about the library."};

std::string group_help(const void* of) {
  auto& g = *static_cast<const Group*>(of);
  std::string all = fmt::format("{}\n  {}", g.name, g.brief);
  for (auto& s : g.switches) all += fmt::format("\n  {:<14} {}", s.name, s.brief);
  return all;
}
// For help('torch.backends.cudnn.enabled').
const NamedTexts switch_texts([](const TakeText& take) {
  for (auto* g : {&matmul, &cudnn})
    for (auto& s : g->switches) take(s.name, fmt::format("{}.{}\n  {} Assignable.", g->name, s.name, s.brief));
});

// Upvalue: the group.
std::atomic<bool>* find(lua_State* L, const Group& g) {
  const std::string_view key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  for (auto& s : g.switches)
    if (key == s.name) return &s.value();
  return nullptr;
}
[[noreturn]] void unknown(lua_State* L, const Group& g) {
  std::vector<std::string> names;
  for (auto& s : g.switches) names.emplace_back(s.name);
  const std::string key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : given_text(L, 2);
  throw Error("{} has no field '{}'{}", g.name, key, did_you_mean(key, names));
}
const Group& group(lua_State* L) { return *static_cast<const Group*>(lua_touserdata(L, lua_upvalueindex(1))); }
int get_switch(lua_State* L) {
  const Group& g = group(L);
  if (auto* v = find(L, g)) return lua_pushboolean(L, *v), 1;
  unknown(L, g);
}
int set_switch(lua_State* L) {
  const Group& g = group(L);
  auto* v = find(L, g);
  if (!v) unknown(L, g);
  if (!lua_isboolean(L, 3)) throw Error("{}.{} is true or false, got {}", g.name, lua_tostring(L, 2), given_text(L, 3));
  *v = lua_toboolean(L, 3);
  return 0;
}

void push_group(lua_State* L, const Group& g, std::span<const Row> functions = {}) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setmetatable(L, -3);
  add_functions(L, -2, functions);
  lua_pushlightuserdata(L, const_cast<Group*>(&g));
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, guarded<get_switch>, 1);
  lua_setfield(L, -3, "__index");
  lua_pushcclosure(L, guarded<set_switch>, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pop(L, 1);
  document(L, -1, group_help, &g);
}

// ---- cuDNN ----

DeviceLibrary cudnn_library() {
  if (!cuda_available()) return {};
  for (auto& l : device_libraries("cuda"))
    if (l.name == "cuDNN") return l;
  return {};
}
int cudnn_available(lua_State* L) { return lua_pushboolean(L, cudnn_library().version > 0), 1; }
int cudnn_version(lua_State* L) {
  const DeviceLibrary l = cudnn_library();
  return l.version > 0 ? lua_pushinteger(L, l.version) : lua_pushnil(L), 1;
}

// ---- determinism and placement ----

int use_deterministic(lua_State* L) {
  if (!lua_isboolean(L, 1))
    throw Error("torch.use_deterministic_algorithms expects true or false, got {}", given_text(L, 1));
  backends().deterministic = lua_toboolean(L, 1);
  return 0;
}
int are_deterministic(lua_State* L) { return lua_pushboolean(L, backends().deterministic), 1; }
int log_placement(lua_State* L) { return set_log_placement(flag_at(L, 1, "torch.set_log_device_placement", "on")), 0; }

// ---- precision of float32 products ----

bool medium = false;  // how a precision below the highest was called; luth has one, TF32

int set_precision(lua_State* L) {
  const std::string_view given = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
  if (given != "highest" && given != "high" && given != "medium")
    throw Error("torch.set_float32_matmul_precision expects 'highest', 'high' or 'medium', got {}", given_text(L, 1));
  backends().matmul_tf32 = given != "highest";
  medium = given == "medium";
  return 0;
}
int get_precision(lua_State* L) {
  return lua_pushstring(L, !backends().matmul_tf32 ? "highest" : medium ? "medium" : "high"), 1;
}

constexpr Row cudnn_rows[] = {
    {"is_available", guarded<cudnn_available>, "torch.backends.cudnn.is_available()", "Whether cuDNN can be used."},
    {"version", guarded<cudnn_version>, "torch.backends.cudnn.version()", "cuDNN's version as a number, or nil."},
};
constexpr Row torch_rows[] = {
    {"set_float32_matmul_precision", guarded<set_precision>, "torch.set_float32_matmul_precision(precision)",
     "'highest' computes float32 matrix products in full precision. 'high' and 'medium' let a GPU round inputs to 10 "
     "bits (TF32), like torch.backends.cuda.matmul.allow_tf32 = true."},
    {"get_float32_matmul_precision", guarded<get_precision>, "torch.get_float32_matmul_precision()",
     "'highest' (the default), 'high' or 'medium'."},
    {"use_deterministic_algorithms", guarded<use_deterministic>, "torch.use_deterministic_algorithms(on)",
     "With true, every operator gives the same bits each time, or raises an error that names it."},
    {"are_deterministic_algorithms_enabled", guarded<are_deterministic>, "torch.are_deterministic_algorithms_enabled()",
     "Whether use_deterministic_algorithms is on."},
    {"set_log_device_placement", guarded<log_placement>, "torch.set_log_device_placement(on)",
     "Prints on stderr where each operator runs, such as 'matmul: cuda:0'. LUTH_LOG_PLACEMENT=1 and "
     "--log-device-placement do the same."},
};

}  // namespace

void open_backends(lua_State* L, int torch) {
  add_functions(L, torch, torch_rows);
  lua_newtable(L);
  lua_newtable(L);
  push_group(L, matmul);
  lua_setfield(L, -2, "matmul");
  document(L, -1, "torch.backends.cuda\n  Settings of CUDA: matmul.");
  lua_setfield(L, -2, "cuda");
  push_group(L, cudnn, cudnn_rows);
  lua_setfield(L, -2, "cudnn");
  document(L, -1, "torch.backends\n  Settings of the libraries that devices use: cuda.matmul, cudnn.");
  lua_setfield(L, torch, "backends");
  const char* log = std::getenv("LUTH_LOG_PLACEMENT");
  if (log && *log && *log != '0') set_log_placement(true);
}

}  // namespace luth::lang
