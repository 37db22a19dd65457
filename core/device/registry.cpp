// Devices: kinds, names, and the opening of their libraries.
#include "core/device/device.h"

#include <dlfcn.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

#include "core/base/headroom.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/device/device_names.h"
#include "core/device/device_support.h"
#include "core/device/isa.h"

namespace luth {
namespace {

std::recursive_mutex lock;
std::vector<Device*>& opened() {
  static auto& d = *new std::vector<Device*>;  // never destroyed: tensors in static variables may outlive it
  return d;
}
void (*pressure_hook)() = nullptr;
thread_local bool relieving = false;
thread_local Device* default_ = nullptr;
constinit thread_local std::array<int, max_kinds> current_{};  // by slot; 1 + the number, 0 where none was set

using Support = void (*)(const Device&, DeviceSupport&);
std::array<Support, max_kinds> supports{};  // by slot
using FreeMemory = int64_t (*)(const Device&);
std::array<FreeMemory, max_kinds> free_memories{};  // by slot
using NativeStream = void* (*)(Device&);
std::array<NativeStream, max_kinds> native_streams{};  // by slot
using Libraries = void (*)(std::vector<DeviceLibrary>&);
std::array<Libraries, max_kinds> libraries{};  // by slot
bool any_trouble = false;                      // some device that is open cannot be used
std::vector<std::string>& asked() {
  static auto& kinds = *new std::vector<std::string>;
  return kinds;
}

DeviceSupport support_of(const Device& d) {
  DeviceSupport s;
  if (Support support = supports[size_t(d.slot())]) support(d, s);
  return s;
}

// What "cuda" means until a thread sets another: the first one, or of the processes that `luth launch` has started on a
// machine each another one.
int first_of(std::string_view kind) {
  static const char* const text = std::getenv("LUTH_FIRST_DEVICE");
  static const long number = text ? std::max(0L, std::atol(text)) : 0;
  if (!number) return 0;
  const auto n = std::count_if(opened().begin(), opened().end(), [&](Device* d) { return d->kind() == kind; });
  return n ? int(number % n) : 0;
}

// `index` below 0: the current one of its kind.
Device* find(std::string_view kind, int index) {
  for (Device* d : opened()) {
    if (d->kind() != kind) continue;
    if (index < 0) index = current_[size_t(d->slot())] ? current_[size_t(d->slot())] - 1 : first_of(kind);
    if (d->index() == index) return d;
  }
  return nullptr;
}

std::string open_file(const std::string& path) {
  const Headroom room;  // a constructor of the library that throws ends the process
  void* h = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!h) return dlerror();
  auto* abi = static_cast<const int*>(dlsym(h, "luth_abi"));
  if (!abi) return path + " is not a luth library (it has no luth_abi)";
  if (*abi != abi_version)
    return fmt::format("{} was built for ABI {}, this luth has {}; install matching versions", path, *abi, abi_version);
  try {
    const size_t before = opened().size();
    if (auto open = reinterpret_cast<void (*)()>(dlsym(h, "luth_open"))) open();
    auto support = reinterpret_cast<Support>(dlsym(h, "luth_support"));
    auto unused = reinterpret_cast<FreeMemory>(dlsym(h, "luth_free_memory"));
    auto stream = reinterpret_cast<NativeStream>(dlsym(h, "luth_native_stream"));
    auto used = reinterpret_cast<Libraries>(dlsym(h, "luth_libraries"));
    for (size_t i = before; i < opened().size(); ++i) {
      supports[size_t(opened()[i]->slot())] = support;
      libraries[size_t(opened()[i]->slot())] = used;
      free_memories[size_t(opened()[i]->slot())] = unused;
      native_streams[size_t(opened()[i]->slot())] = stream;
      any_trouble = any_trouble || !support_of(*opened()[i]).trouble.empty();
    }
  } catch (const Error& e) { return e.what(); }
  return "";
}

bool library_exists(const std::string& stem) {
  return std::filesystem::exists(library_dir() + "libluth_" + stem + ".so");
}

}  // namespace

int kind_slot(std::string_view kind) {
  std::lock_guard hold(lock);
  static std::vector<std::string> kinds;
  auto it = std::find(kinds.begin(), kinds.end(), kind);
  if (it != kinds.end()) return int(it - kinds.begin());
  if (kinds.size() == max_kinds) throw Error("more than {} kinds of devices", max_kinds);
  kinds.emplace_back(kind);
  return int(kinds.size()) - 1;
}

void add_device(Device* d) {
  std::lock_guard hold(lock);
  if (!find(d->kind(), d->index())) opened().push_back(d);
}
std::vector<Device*> open_devices() {
  std::lock_guard hold(lock);
  return opened();
}

std::string library_dir() {
  const std::string& core = core_library();
  return core.substr(0, core.rfind('/') + 1);
}

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  const char* more = std::getenv("LUTH_DEVICE_PATH");
  for (std::string_view path = more ? more : ""; !path.empty();) {
    const size_t end = path.find(':');
    if (std::string folder(path.substr(0, end)); !folder.empty())
      folders.push_back(folder.back() == '/' ? folder : folder + '/');
    path.remove_prefix(end == path.npos ? path.size() : end + 1);
  }
  folders.push_back(library_dir());
  return folders;
}

std::string open_library(const std::string& stem) {
  std::lock_guard hold(lock);
  const std::string file = "libluth_" + stem + ".so";
  std::string looked_in;
  for (auto& folder : library_folders()) {
    if (std::filesystem::exists(folder + file)) return open_file(folder + file);
    looked_in += (looked_in.empty() ? "" : " nor ") + folder;
  }
  return "no " + file + " in " + looked_in;
}

std::string cpu_isa() {
#if defined(__x86_64__)
  constexpr const char* known[] = {"v4", "v3", "v2"};
#else
  constexpr const char* known[] = {"generic"};
#endif
  if (const char* asked = std::getenv("LUTH_CPU_ISA"); asked && *asked) {
    if (std::find(std::begin(known), std::end(known), std::string_view(asked)) == std::end(known))
      throw Error(ErrorCode::usage, "LUTH_CPU_ISA={} is unknown; here it is one of: {}", asked, fmt::join(known, ", "));
    if (!runs_here(asked)) throw Error(ErrorCode::usage, "LUTH_CPU_ISA={}: this processor cannot run that code", asked);
    if (!library_exists(std::string("cpu_") + asked))
      throw Error(ErrorCode::usage, "LUTH_CPU_ISA={}: this build has no kernels for it", asked);
    return asked;
  }
  for (const char* isa : known)
    if (runs_here(isa) && library_exists(std::string("cpu_") + isa)) return isa;
  if (!runs_here(std::end(known)[-1]))
    throw Error(
        "luth's kernels need SSE4.2 and POPCNT (x86-64-v2), which this processor lacks or a virtual machine hides "
        "(QEMU: -cpu host)");
  throw Error("no kernel library for this processor in {}; reinstall luth", library_dir());
}

namespace {
// "; CUDA_VISIBLE_DEVICES is '0'", where it is set.
std::string visible_hint(std::string_view kind) {
  std::string variable(kind);
  for (char& c : variable) c = char(std::toupper(c));
  variable += "_VISIBLE_DEVICES";
  const char* text = std::getenv(variable.c_str());
  return text ? fmt::format("; {} is '{}'", variable, text) : "";
}

[[noreturn]] void throw_no_such(std::string_view name, std::string_view kind) {
  const auto n = std::count_if(opened().begin(), opened().end(), [&](Device* d) { return d->kind() == kind; });
  const std::string those = n == 1 ? fmt::format("only {}:0", kind) : fmt::format("{}:0 to {}:{}", kind, kind, n - 1);
  throw Error("device '{}' does not exist; there is {}{}", name, those, visible_hint(kind));
}

Device& usable(Device& d) {
  if (!any_trouble) return d;
  if (DeviceSupport s = support_of(d); !s.trouble.empty())
    throw Error("device '{}' cannot be used: {}", d.name(), s.trouble);
  return d;
}

}  // namespace

void* native_stream(Device& d) {
  const NativeStream stream = native_streams[size_t(d.slot())];
  return stream ? stream(d) : nullptr;
}
int64_t free_memory(const Device& d) {
  FreeMemory ask;
  {
    std::lock_guard hold(lock);
    ask = free_memories[size_t(d.slot())];
  }
  return ask ? ask(d) : 0;
}
DeviceSupport device_support(const Device& d) {
  std::lock_guard hold(lock);
  return support_of(d);
}
std::vector<DeviceLibrary> device_libraries(std::string_view kind) {
  std::vector<DeviceLibrary> list;
  for (Device* d : open_devices())
    if (d->kind() == kind) {
      if (Libraries f = libraries[size_t(d->slot())]) f(list);
      break;
    }
  return list;
}
Device& current_device(std::string_view kind) { return device(kind); }
void set_current_device(const Device& d) { set_current_device(d.slot(), d.index()); }
int set_current_device(int slot, int index) { return std::exchange(current_[size_t(slot)], index + 1) - 1; }
bool asked_for(std::string_view kind) {
  std::lock_guard hold(lock);
  return std::find(asked().begin(), asked().end(), kind) != asked().end();
}

Device& device(std::string_view name) {
  std::string_view kind = name.substr(0, name.find(':'));
  int index = -1;  // the current one
  if (kind.size() < name.size()) {
    std::string digits(name.substr(kind.size() + 1));
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos)
      throw Error("'{}' is no device; write 'cpu', 'meta' or 'cuda:0'", name);
    index = std::stoi(digits);
  }
  std::lock_guard hold(lock);
  if (Device* d = find(kind, index)) return usable(*d);
  bool known = false;
  for (Device* d : opened()) known |= d->kind() == kind;
  if (kind.empty() || kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string_view::npos)
    throw Error("'{}' is no device; write 'cpu', 'meta' or 'cuda:0'", name);
  if (!known) {
    if (!asked_for(kind)) asked().emplace_back(kind);
    std::string why = open_library(kind == "cpu" ? "cpu_" + cpu_isa() : std::string(kind));
    if (!why.empty()) {
      std::string names;
      for (auto& n : device_names()) names += (names.empty() ? "" : ", ") + n;
      const std::string meant = kind == "gpu" ? "; did you mean 'cuda'?"
                                              : did_you_mean(kind, std::vector<std::string>{"cpu", "cuda", "meta"});
      throw Error("device '{}' is not available: {}; devices known here: {}{}", name, why, names, meant);
    }
  }
  if (Device* d = find(kind, index)) return usable(*d);
  throw_no_such(name, kind);
}

Device& host() {
  static Device& d = device("cpu");
  return d;
}
Device& default_device() { return default_ ? *default_ : host(); }
void set_default_device(Device& d) { default_ = &d; }

void set_memory_pressure_hook(void (*hook)()) { pressure_hook = hook; }
void relieve_memory_pressure() {
  if (!pressure_hook) return;
  struct During {
    bool before = std::exchange(relieving, true);
    ~During() { relieving = before; }
  } during;
  pressure_hook();
}
void refuse_while_relieving() {
  if (relieving)
    throw Error(
        "a finalizer cannot give a tensor other memory here: it runs within an operator, which is out of memory");
}

}  // namespace luth
