#include "cli/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "core/base/threads.h"
#include "core/device/device.h"
#include "core/device/isa.h"

namespace luth::cli {
namespace {

// The instruction sets that matter to large products, from the oldest.
enum Isa { older, avx2, avx512 };

Isa best_isa() { return runs_here("v4") ? avx512 : runs_here("v3") ? avx2 : older; }

std::string lower(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool one_of(const std::string& value, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return value == w; });
}

bool is_on(const std::string& value) { return !one_of(value, {"0", "false", "off", "no", "none"}); }

std::string does_without(Isa isa, const char* what) {
  if (isa >= best_isa()) return "";
  return fmt::format("{} without {}, which this processor has", what, best_isa() == avx512 ? "AVX-512" : "AVX2");
}

// ---- notes on values that slow luth down; values in lower case ----

std::string of_core_type(const std::string& value) {
  const bool newest = one_of(value, {"skylakex", "cooperlake", "sapphirerapids"});
  return does_without(newest ? avx512 : one_of(value, {"haswell", "zen"}) ? avx2 : older, "large matrix products");
}
std::string of_onednn_isa(const std::string& value) {
  const bool newest = one_of(value, {"all", "default"}) || value.starts_with("avx512") || value.starts_with("avx10");
  return does_without(newest ? avx512 : value.starts_with("avx2") ? avx2 : older, "convolutions");
}
std::string of_cpu_isa(const std::string& value) {
  try {
    cpu_isa();
  } catch (const Error& e) { return e.what(); }
  return does_without(value == "v4" ? avx512 : value == "v3" ? avx2 : older, "kernels");
}
std::string of_threads(const std::string& value) {
  const int n = std::atoi(value.c_str()), cores = available_cores();
  return n > 0 && n < cores ? fmt::format("fewer threads than the {} cores", cores)
         : n > cores        ? fmt::format("more threads than the {} cores", cores)
                            : "";
}
std::string of_openmp_threads(const std::string& value) {
  const char* own = getenv("LUTH_THREADS");
  return own && *own ? "" : of_threads(value);
}
std::string of_log(const std::string& value) { return is_on(value) ? "a line is printed for each call" : ""; }
std::string of_sync(const std::string& value) {
  return is_on(value) ? "the host waits for each operator of a GPU" : "";
}
std::string of_no_cache(const std::string& value) {
  return is_on(value) ? "each tensor on a GPU is allocated by the driver" : "";
}

struct Variable {
  std::string_view name;
  std::string (*note)(const std::string& value);  // nullptr: no value of it is known to slow anything down
  std::string_view text;                          // for the manual page; "": another program's
};
constexpr Variable variables[] = {
    {"LUTH_THREADS", of_threads, "The number of threads to compute with, where --threads is not given."},
    {"OMP_NUM_THREADS", of_openmp_threads, "The same, where LUTH_THREADS is not set."},
    {"LUTH_CPU_ISA", of_cpu_isa,
     "The instruction set of the kernels: v2, v3 or v4; else the best that the processor has."},
    {"LUTH_LOG_PLACEMENT", of_log, "1: print where each operator runs, as --log-device-placement does."},
    {"LUTH_CUDA_SYNC", of_sync, "1: wait for each operator on a GPU, so that an error names the line that made it."},
    {"LUTH_CUDA_NO_CACHE", of_no_cache, "1: take each tensor on a GPU from the driver, for tools that watch memory."},
    {"LUTH_DEVICE_PATH", nullptr, "Folders with more device libraries, separated by colons."},
    {"LUTH_DIST_CHECK", nullptr,
     "1: compare each call of torch.distributed with those of the other ranks first, with NCCL too."},
    {"LUTH_DIST_TIMEOUT", nullptr, "Seconds that a call of torch.distributed may take (default: 120)."},
    {"LUTH_PLOT", nullptr, "How plot shows pictures on a terminal: text, kitty or sixel; else the terminal is asked."},
    {"LUTH_SHARE", nullptr, "The folder share/luth, where it is not beside the program."},
    {"LUA_INIT", nullptr, "Lua code, or @FILE, that runs before a script. -E ignores it."},
    {"XDG_DATA_HOME", nullptr, "`luth data get` puts data sets into the folder luth below it."},
    {"XDG_STATE_HOME", nullptr, "The history of the prompt is the file luth/history below it."},
    {"CUDA_LAUNCH_BLOCKING", of_sync, ""},
    {"DNNL_MAX_CPU_ISA", of_onednn_isa, ""},
    {"DNNL_VERBOSE", of_log, ""},
    {"ONEDNN_MAX_CPU_ISA", of_onednn_isa, ""},
    {"ONEDNN_VERBOSE", of_log, ""},
    {"OPENBLAS_CORETYPE", of_core_type, ""},
};
constexpr std::string_view families[] = {"DNNL_", "GOMP_", "LUTH_", "MKL_", "OMP_", "ONEDNN_", "OPENBLAS_"};

const Variable* find_variable(std::string_view name) {
  for (auto& v : variables)
    if (name == v.name) return &v;
  return nullptr;
}

bool changes_speed(std::string_view name) {
  const Variable* v = find_variable(name);
  return (v && v->note) ||
         std::any_of(std::begin(families), std::end(families), [&](auto f) { return name.starts_with(f); });
}

std::string note_on(std::string_view name, const std::string& value) {
  const Variable* v = find_variable(name);
  return v && v->note ? v->note(lower(value)) : "";
}

}  // namespace

std::vector<EnvironmentSetting> environment_settings() {
  std::vector<EnvironmentSetting> list;
  for (char** entry = environ; *entry; ++entry) {
    const char* equals = strchr(*entry, '=');
    if (!equals || !equals[1]) continue;
    const std::string name(*entry, size_t(equals - *entry)), value(equals + 1);
    if (changes_speed(name)) list.push_back({name, value, note_on(name, value)});
  }
  std::sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return list;
}

std::string environment_line() {
  std::string line;
  for (auto& s : environment_settings())
    line +=
        fmt::format("{}{}={}{}", line.empty() ? "" : ", ", s.name, s.value, s.note.empty() ? "" : " (" + s.note + ")");
  return line;
}

std::vector<DocumentedVariable> documented_variables() {
  std::vector<DocumentedVariable> list;
  for (auto& v : variables)
    if (!v.text.empty()) list.push_back({v.name, v.text});
  return list;
}

}  // namespace luth::cli
