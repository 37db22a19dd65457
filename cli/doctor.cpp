// `luth doctor`: versions of luth and its libraries, devices and settings of this machine, for bug reports and for the
// question "why is it slow?".
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/environment.h"
#include "cli/subcommands.h"
#include "core/base/limits.h"
#include "core/base/paths.h"
#include "core/base/threads.h"
#include "core/base/version.h"
#include "core/device/device.h"
#include "core/device/device_names.h"
#include "core/device/device_support.h"
#include "core/dist/backend.h"
#include "core/io/hdf5_child.h"
#include "core/ops/create/factory.h"
#include "core/ops/linalg/lapack.h"
#include "lang/library/versions.h"

namespace luth::cli {
namespace {

void heading(const char* text) { fmt::print("{}\n", text); }
void row(const char* name, const std::string& value) { fmt::print("  {:<14} {}\n", name, value); }

// The value of `key` in a file of "key<separator>value" lines, or "".
std::string value_in(const char* path, const std::string& key, const char* separators) {
  std::string found;
  FILE* f = fopen(path, "re");
  if (!f) return found;
  char line[4096];
  while (found.empty() && fgets(line, sizeof line, f)) {
    std::string text(line);
    const size_t split = text.find_first_of(separators);
    if (text.compare(0, key.size(), key) != 0 || split == text.npos) continue;
    const size_t first = text.find_first_not_of(" \t\"", split + 1), last = text.find_last_not_of(" \t\"\n");
    if (first != text.npos && last >= first) found = text.substr(first, last - first + 1);
  }
  fclose(f);
  return found;
}

// The result of `f`, or the text of the error that it throws.
template <class F>
std::string tried(F&& f) {
  try {
    return f();
  } catch (const std::exception& e) { return e.what(); }
}

std::string memory_text() {
  const double total = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)), usable = double(total_memory());
  const std::string limit = usable < 0.99 * total ? fmt::format("{:.1f} GiB", usable / (1 << 30)) : "none";
  return fmt::format("{:.1f} GiB, cgroup limit {}", total / (1 << 30), limit);
}

void show_system() {
  heading("system");
  utsname u{};
  uname(&u);
  const std::string os = value_in("/etc/os-release", "PRETTY_NAME", "=");
  row("os", fmt::format("{}{}{} {} {}", os, os.empty() ? "" : ", ", u.sysname, u.release, u.machine));
  row("memory", memory_text());
  const std::string cpu = value_in("/proc/cpuinfo", "model name", ":");
  row("cpu", cpu.empty() ? "unknown model" : cpu);
  row("kernels for", tried([] { return cpu_isa(); }) + (getenv("LUTH_CPU_ISA") ? " (by LUTH_CPU_ISA)" : ""));
}

void show_threads(bool given) {
  heading("threads");
  cpu_set_t set;
  const int affinity = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  const char *luth = getenv("LUTH_THREADS"), *omp = getenv("OMP_NUM_THREADS");
  const char* why = given ? "--threads" : luth ? "LUTH_THREADS" : omp ? "OMP_NUM_THREADS" : "the number of cores";
  row("used", fmt::format("{} (from {})", num_threads(), why));
  row("cores", fmt::format("{} online, {} by affinity, {} with the cgroup's limit", sysconf(_SC_NPROCESSORS_ONLN),
                           affinity, available_cores()));
}

// Why operators cannot use OpenBLAS, or "". They see to it that it fits into `ulimit -v` before they open it: where it
// does not, OpenBLAS waits for ever.
std::string math_trouble() {
  return tried([] {
    lapack_svdvals(ones({1, 1}, Dtype::f32, host()));
    return "";
  });
}

void show_libraries() {
  heading("libraries");
  const std::string trouble = math_trouble();
  if (!trouble.empty()) row("OpenBLAS", "not available: " + trouble), row("oneDNN", "not available");
  for (auto& l : lang::library_versions())
    row(l.name.c_str(), l.version + (l.version.empty() || l.note.empty() ? "" : ", ") + l.note);
  const std::string unread = io::reader_trouble();
  row("HDF5's reader", unread.empty() ? "a process of its own" : unread);
  for (auto& [name, backend] : {std::pair("Gloo", "gloo"), {"Open MPI", "mpi_openmpi"}, {"MPICH", "mpi_mpich"}}) {
    const std::string trouble = dist::backend_trouble(backend);
    row(name, trouble.empty() ? "there, for torch.distributed" : trouble);
  }
}

// "cuda:0 NVIDIA H200, 139.8 GiB, PCI 0000:01:00.0, compute capability 9.0, driver 580.65 (CUDA 13.0)", and whether
// there is code for it.
void show_gpu(const Device& d) {
  const DeviceProperties p = d.properties();
  const DeviceSupport support = device_support(d);
  row(d.name().c_str(), fmt::format("{}, {:.1f} GiB, PCI {}, compute capability {}, driver {}", p.name,
                                    double(p.total_memory) / (1 << 30), p.bus_id, p.capability, p.driver));
  row("", support.trouble.empty() ? "this build has code for it: " + support.code : support.trouble);
}

void show_kind(const std::string& name) {
  const std::string trouble = tried([&] { return open_library(name); });
  if (!trouble.empty()) return row(name.c_str(), "not available: " + trouble);
  bool any = false;
  for (auto* d : open_devices()) {
    if (d->kind() != name) continue;
    any = true;
    const DeviceProperties p = d->properties();
    p.bus_id.empty() ? row(d->name().c_str(), p.name) : show_gpu(*d);
  }
  if (!any) row(name.c_str(), "open, no device");
  for (auto& l : device_libraries(name)) row(l.name.c_str(), l.version ? l.text : "not available: " + l.text);
}

void show_devices() {
  heading("devices");
  row("cpu", tried([] { return host().properties().name; }));
  auto names = device_names();
  if (std::find(names.begin(), names.end(), "cuda") == names.end()) names.emplace_back("cuda");  // people look for it
  for (auto& name : names)
    if (name != "cpu") show_kind(name);
}

void show_environment() {
  heading("environment");
  const auto settings = environment_settings();
  for (auto& e : settings) row(e.name.c_str(), e.value + (e.note.empty() ? "" : ": " + e.note));
  if (settings.empty()) row("none", "no setting that changes the speed");
}

}  // namespace

int doctor(const Arguments& arguments) {
  struct stat st;
  heading("luth");
  row("version", fmt::format("{} ({} build)", version, build_type));
  row("commit", *lang::commit_text() ? lang::commit_text() : "not known");
  row("compiler", lang::compiler_text());
  row("library", library_dir());
  row("share", share_dir() + (stat(share_dir().c_str(), &st) == 0 ? "" : " (missing)"));
  show_system();
  show_threads(arguments.has("--threads"));
  show_libraries();
  show_devices();
  show_environment();
  return 0;
}

}  // namespace luth::cli
