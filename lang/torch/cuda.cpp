// torch.cuda: which GPUs there are, which one is meant, and their memory. Nothing of CUDA is opened before a function
// that needs it is called.

#include <algorithm>
#include <cstdlib>

#include "core/device/device_support.h"
#include "core/dispatch/generator.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/torch/torch.h"
#include "lang/values/devices.h"
#include "lang/values/generator.h"

namespace luth::lang {

namespace {

// ---- devices ----

int count_devices() {
  if (!cuda_present()) return 0;
  const auto all = open_devices();
  return int(std::count_if(all.begin(), all.end(), [](Device* d) { return d->kind() == "cuda"; }));
}
int is_available(lua_State* L) { return lua_pushboolean(L, cuda_available()), 1; }
int is_initialized(lua_State* L) {
  const auto all = open_devices();
  return lua_pushboolean(L, std::any_of(all.begin(), all.end(), [](Device* d) { return d->kind() == "cuda"; })), 1;
}
int device_count(lua_State* L) { return lua_pushinteger(L, count_devices()), 1; }
int current(lua_State* L) { return lua_pushinteger(L, current_device("cuda").index()), 1; }
// A negative number changes nothing, as in PyTorch.
int set_current(lua_State* L) {
  if (lua_isinteger(L, 1) && lua_tointeger(L, 1) < 0) return 0;
  if (is_none(L, 1)) throw Error("torch.cuda.set_device expects a device: 0, 'cuda:1', …");
  return set_current_device(cuda_at(L, 1, "torch.cuda.set_device")), 0;
}

// '0,1', {0, 1} or 0, as CUDA_VISIBLE_DEVICES has it.
std::string visible_list(lua_State* L) {
  if (lua_type(L, 1) == LUA_TSTRING) {
    std::string text = lua_tostring(L, 1);
    std::erase(text, ' ');
    return text;
  }
  std::string text;
  if (!lua_isinteger(L, 1) && !lua_istable(L, 1))
    throw Error("torch.cuda.set_visible_devices expects '0,1', a number or a list of numbers, got {}",
                given_text(L, 1));
  for (int64_t i : check_ints(L, 1)) text += (text.empty() ? "" : ",") + std::to_string(i);
  return text;
}
int set_visible(lua_State* L) {
  const std::string list = visible_list(L);
  if (asked_for("cuda"))
    throw Error(
        "torch.cuda.set_visible_devices comes too late: CUDA is in use; call it before anything else of CUDA, or set "
        "CUDA_VISIBLE_DEVICES before luth starts");
  return setenv("CUDA_VISIBLE_DEVICES", list.c_str(), 1), 0;
}

std::pair<int, int> capability(const DeviceProperties& p) {
  const size_t dot = p.capability.find('.');
  return {std::atoi(p.capability.c_str()), dot == std::string::npos ? 0 : std::atoi(p.capability.c_str() + dot + 1)};
}
int get_name(lua_State* L) {
  return lua_pushstring(L, cuda_at(L, 1, "torch.cuda.get_device_name").properties().name.c_str()), 1;
}
int get_capability(lua_State* L) {
  auto [major, minor] = capability(cuda_at(L, 1, "torch.cuda.get_device_capability").properties());
  lua_pushinteger(L, major);
  lua_pushinteger(L, minor);
  return 2;
}

void set(lua_State* L, const char* name, const std::string& v) {
  lua_pushlstring(L, v.data(), v.size());
  lua_setfield(L, -2, name);
}
void set(lua_State* L, const char* name, int64_t v) {
  lua_pushinteger(L, v);
  lua_setfield(L, -2, name);
}
int get_properties(lua_State* L) {
  Device& d = cuda_at(L, 1, "torch.cuda.get_device_properties");
  const DeviceProperties p = d.properties();
  auto [major, minor] = capability(p);
  lua_newtable(L);
  set(L, "name", p.name);
  set(L, "total_memory", p.total_memory);
  set(L, "major", major);
  set(L, "minor", minor);
  set(L, "multi_processor_count", p.multiprocessors);
  set(L, "pci_bus_id", p.bus_id);
  set(L, "driver", p.driver);
  set(L, "code", device_support(d).code);
  return 1;
}
// Kernels compute in float32 and round once, on every GPU.
int is_bf16_supported(lua_State* L) { return lua_pushboolean(L, cuda_available()), 1; }

// ---- random numbers ----

int seed_current(lua_State* L) {
  const int64_t s = check_integer(L, 1);
  if (cuda_available()) default_generator(current_device("cuda")).seed(s);
  return 0;
}
int seed_all(lua_State* L) {
  const int64_t s = check_integer(L, 1);
  if (!cuda_available()) return 0;
  for (Device* d : open_devices())
    if (d->kind() == "cuda") default_generator(*d).seed(s);
  return 0;
}

int get_rng_state(lua_State* L) { return push_rng_state(L, cuda_at(L, 1, "torch.cuda.get_rng_state")), 1; }
int set_rng_state(lua_State* L) {
  return take_rng_state(L, 1, cuda_at(L, 2, "torch.cuda.set_rng_state"), "torch.cuda"), 0;
}

// ---- memory ----

int synchronize(lua_State* L) { return cuda_at(L, 1, "torch.cuda.synchronize").synchronize(), 0; }

// Without a device and before first use there is nothing to count.
bool has_memory(lua_State* L) { return !is_none(L, 1) || (asked_for("cuda") && cuda_available()); }
MemoryStats stats_at(lua_State* L, const char* function) {
  return has_memory(L) ? cuda_at(L, 1, function).memory() : MemoryStats{};
}
int push_memory(lua_State* L, const char* function, int64_t MemoryStats::*field) {
  return lua_pushinteger(L, stats_at(L, function).*field), 1;
}
int memory_allocated(lua_State* L) { return push_memory(L, "torch.cuda.memory_allocated", &MemoryStats::allocated); }
int max_memory_allocated(lua_State* L) { return push_memory(L, "torch.cuda.max_memory_allocated", &MemoryStats::peak); }
int memory_reserved(lua_State* L) { return push_memory(L, "torch.cuda.memory_reserved", &MemoryStats::reserved); }
int max_memory_reserved(lua_State* L) {
  return push_memory(L, "torch.cuda.max_memory_reserved", &MemoryStats::peak_reserved);
}
int mem_get_info(lua_State* L) {
  Device& d = cuda_at(L, 1, "torch.cuda.mem_get_info");
  lua_pushinteger(L, free_memory(d));
  lua_pushinteger(L, d.properties().total_memory);
  return 2;
}
int memory_stats(lua_State* L) {
  const MemoryStats s = stats_at(L, "torch.cuda.memory_stats");
  lua_newtable(L);
  set(L, "allocated_bytes.all.current", s.allocated);
  set(L, "allocated_bytes.all.peak", s.peak);
  set(L, "reserved_bytes.all.current", s.reserved);
  set(L, "reserved_bytes.all.peak", s.peak_reserved);
  set(L, "allocation.all.allocated", s.allocations);
  set(L, "num_alloc_retries", s.retries);
  return 1;
}
std::string mib(int64_t bytes) { return fmt::format("{:.1f} MiB", double(bytes) / (1 << 20)); }
int memory_summary(lua_State* L) {
  Device& d = cuda_at(L, 1, "torch.cuda.memory_summary");
  const MemoryStats s = d.memory();
  const DeviceProperties p = d.properties();
  std::string text = fmt::format("{}, {}, {}\n", d.name(), p.name, mib(p.total_memory));
  text += fmt::format("  {:<24} {:>14} {:>14}\n", "", "now", "most");
  text += fmt::format("  {:<24} {:>14} {:>14}\n", "used by tensors", mib(s.allocated), mib(s.peak));
  text += fmt::format("  {:<24} {:>14} {:>14}\n", "reserved from the GPU", mib(s.reserved), mib(s.peak_reserved));
  text += fmt::format("  {:<24} {:>14}\n", "cached", mib(s.reserved - s.allocated));
  text += fmt::format("  {:<24} {:>14}\n", "allocations", s.allocations);
  text += fmt::format("  {:<24} {:>14}\n", "after giving back", s.retries);
  return lua_pushlstring(L, text.data(), text.size()), 1;
}
int reset_peak(lua_State* L) {
  if (has_memory(L)) cuda_at(L, 1, "torch.cuda.reset_peak_memory_stats").reset_peak();
  return 0;
}
int empty_cache(lua_State*) {
  for (Device* d : open_devices())
    if (d->kind() == "cuda") d->empty_cache();
  return 0;
}
// Of all devices, unless one is named.
int host_waits(lua_State* L) {
  int64_t n = 0;
  if (!is_none(L, 1)) return lua_pushinteger(L, cuda_at(L, 1, "torch.cuda.host_waits").host_waits()), 1;
  for (Device* d : open_devices())
    if (d->kind() == "cuda") n += d->host_waits();
  return lua_pushinteger(L, n), 1;
}

constexpr Row rows[] = {
    {"is_available", guarded<is_available>, "torch.cuda.is_available()",
     "Whether there is a GPU that luth can use; `luth doctor` says why not."},
    {"is_initialized", guarded<is_initialized>, "torch.cuda.is_initialized()", "Whether CUDA has been opened."},
    {"device_count", guarded<device_count>, "torch.cuda.device_count()", "The number of GPUs."},
    {"current_device", guarded<current>, "torch.cuda.current_device()",
     "The number, from 0, of the GPU that 'cuda' means."},
    {"set_device", guarded<set_current>, "torch.cuda.set_device(device)", "Sets the GPU that 'cuda' means."},
    {"set_visible_devices", guarded<set_visible>, "torch.cuda.set_visible_devices('0,1')",
     "Sets the GPUs that luth sees. Call it before the first use of CUDA."},
    {"get_device_name", guarded<get_name>, "torch.cuda.get_device_name(device?)", "The name of a GPU."},
    {"get_device_capability", guarded<get_capability>, "torch.cuda.get_device_capability(device?)",
     "The compute capability, as two numbers: 9, 0."},
    {"get_device_properties", guarded<get_properties>, "torch.cuda.get_device_properties(device?)",
     "A table: name, total_memory, major, minor, multi_processor_count, pci_bus_id, driver, code (the GPUs for which "
     "this luth has code)."},
    {"is_bf16_supported", guarded<is_bf16_supported>, "torch.cuda.is_bf16_supported()",
     "Whether a GPU computes with bfloat16."},
    {"manual_seed", guarded<seed_current>, "torch.cuda.manual_seed(seed)",
     "Seeds the current GPU's random numbers. Without a GPU it does nothing."},
    {"manual_seed_all", guarded<seed_all>, "torch.cuda.manual_seed_all(seed)",
     "Seeds the random numbers of every GPU."},
    {"get_rng_state", guarded<get_rng_state>, "torch.cuda.get_rng_state(device?)",
     "The state of a GPU's random numbers, as a tensor on the CPU."},
    {"set_rng_state", guarded<set_rng_state>, "torch.cuda.set_rng_state(state, device?)",
     "Restores a state that get_rng_state has returned."},
    {"synchronize", guarded<synchronize>, "torch.cuda.synchronize(device?)",
     "Waits until all work of the GPU is done, and raises the errors of kernels."},
    {"memory_allocated", guarded<memory_allocated>, "torch.cuda.memory_allocated(device?)",
     "Bytes of memory in use by tensors."},
    {"max_memory_allocated", guarded<max_memory_allocated>, "torch.cuda.max_memory_allocated(device?)",
     "The largest number of bytes in use by tensors since reset_peak_memory_stats()."},
    {"memory_reserved", guarded<memory_reserved>, "torch.cuda.memory_reserved(device?)",
     "Bytes that luth has allocated on the GPU: memory of tensors and cached memory."},
    {"max_memory_reserved", guarded<max_memory_reserved>, "torch.cuda.max_memory_reserved(device?)",
     "The largest number of bytes that luth has allocated on the GPU."},
    {"mem_get_info", guarded<mem_get_info>, "torch.cuda.mem_get_info(device?)",
     "Two values: the free bytes of the GPU, as its driver says, and all its bytes."},
    {"memory_stats", guarded<memory_stats>, "torch.cuda.memory_stats(device?)",
     "A table of counts under PyTorch's names: ['allocated_bytes.all.current'] and so on."},
    {"memory_summary", guarded<memory_summary>, "torch.cuda.memory_summary(device?)",
     "A text with the memory in use by tensors, reserved and cached memory, and the peaks."},
    {"empty_cache", guarded<empty_cache>, "torch.cuda.empty_cache()", "Gives cached memory back to the GPUs."},
    {"reset_peak_memory_stats", guarded<reset_peak>, "torch.cuda.reset_peak_memory_stats(device?)",
     "Resets the peaks."},
    {"host_waits", guarded<host_waits>, "torch.cuda.host_waits(device?)",
     "How many times luth has waited for GPUs, in item(), tolist(), printing, copies to the CPU, synchronize()."},
};

}  // namespace

void open_cuda(lua_State* L, int torch, int methods) {
  lua_newtable(L);
  add_functions(L, -1, rows);
  lua_setfield(L, torch, "cuda");
  open_cuda_streams(L, torch, methods);
}

}  // namespace luth::lang
