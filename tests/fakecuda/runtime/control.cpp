// The machine that the runtime pretends to be, and what tests may ask of it beyond CUDA.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tests/fakecuda/runtime/engine.h"

namespace fake {
namespace {

long long from_environment(const char* name, long long otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::atoll(text) : otherwise;
}

// What CUDA makes of CUDA_VISIBLE_DEVICES: numbers up to the first that is wrong or there before; all if it is not set.
std::vector<int> visible_devices(int count) {
  std::vector<int> chosen;
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!text) {
    for (int d = 0; d < count; ++d) chosen.push_back(d);
    return chosen;
  }
  while (*text) {
    char* end = nullptr;
    long d = std::strtol(text, &end, 10);
    bool twice = std::find(chosen.begin(), chosen.end(), int(d)) != chosen.end();
    if (twice) return {};
    if (end == text || d < 0 || d >= count) break;
    chosen.push_back(int(d));
    while (*end == ' ') ++end;
    if (*end != ',') break;
    text = end + 1;
  }
  return chosen;
}

cudaDeviceProp ordinary_properties(int physical, size_t memory) {
  cudaDeviceProp p{};
  fmt::format_to_n(p.name, sizeof p.name - 1, "Fake GPU {}", physical);
  for (int i = 0; i < 16; ++i) p.uuid.bytes[i] = char(physical * 16 + i);
  p.totalGlobalMem = memory;
  p.sharedMemPerBlock = ordinary_shared_bytes;
  p.sharedMemPerBlockOptin = most_shared_bytes;
  p.sharedMemPerMultiprocessor = most_shared_bytes + 1024;
  p.totalConstMem = 64 << 10;
  p.regsPerBlock = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024, p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff, p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  const int capability = int(from_environment("FAKECUDA_CAPABILITY", 90));
  p.major = capability / 10, p.minor = capability % 10;
  p.multiProcessorCount = 4;  // few, so that grids which follow it stay small
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.l2CacheSize = 50 << 20;
  p.memoryBusWidth = 6144;
  p.pciBusID = physical + 1;
  p.unifiedAddressing = p.concurrentKernels = p.canMapHostMemory = p.cooperativeLaunch = 1;
  p.asyncEngineCount = 3;
  return p;
}

}  // namespace

int runtime_version() { return int(from_environment("FAKECUDA_RUNTIME", CUDART_VERSION)); }

void Engine::reset(const Machine& wanted) {
  machine = wanted;
  if (machine.devices < 0) machine.devices = int(from_environment("FAKECUDA_DEVICES", 1));
  machine.devices = std::min(machine.devices, most_devices);
  if (machine.driver < 0) machine.driver = int(from_environment("FAKECUDA_DRIVER", runtime_version()));
  machine.late_reads = machine.late_reads || from_environment("FAKECUDA_LATE_READS", 0) != 0;
  machine.guards = machine.guards || from_environment("FAKECUDA_GUARDS", 0) != 0;
  if (machine.seed == 0) machine.seed = uint64_t(from_environment("FAKECUDA_SEED", 1));
  random = Random(machine.seed);
  memory.reset(machine.protect);
  for (auto& [start, block] : pinned_blocks)
    if (!block.registered) std::free(reinterpret_cast<void*>(start));
  pinned_blocks.clear();
  streams.clear();
  events.clear();
  all_.clear();
  devices.clear();
  injections.clear();
  kernels.clear();
  reports.clear();
  counters = Counters();
  host_entries_ = 0;
  print_reports = true;
  started_ = false;
  ++generation;
}

cudaError_t Engine::start() {
  if (machine.driver < runtime_version() / 1000 * 1000) return cudaErrorInsufficientDriver;
  if (const auto error = from_environment("FAKECUDA_START", 0)) return cudaError_t(error);
  if (!started_) {
    started_ = true;
    for (int physical : visible_devices(machine.devices)) {
      Device d;
      d.properties = ordinary_properties(physical, machine.memory);
      d.limit = machine.memory;
      d.legacy = std::make_shared<CUstream_st>();
      d.legacy->device = int(devices.size());
      d.legacy->legacy = true;
      add_stream(d.legacy);
      devices.push_back(std::move(d));
    }
  }
  return devices.empty() ? cudaErrorNoDevice : cudaSuccess;
}

void reset(const Machine& machine) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.settle(lock);
  engine.reset(machine);
}

void seed(uint64_t value) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.random = Random(value ? value : 1);
}

cudaDeviceProp& properties(int device) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.start();
  return engine.devices.at(size_t(device)).properties;
}

void set_memory(int device, size_t bytes) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.start();
  Device& d = engine.devices.at(size_t(device));
  d.limit = d.properties.totalGlobalMem = bytes;
}

bool has_context(int device) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  return size_t(device) < engine.devices.size() && engine.devices[size_t(device)].context;
}

void set_guards(bool on) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.machine.guards = on;
}

void fail(const char* function, cudaError_t error, int times, int after) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.injections[function] = {error, times, after};
}

void fail_when_run(int device, cudaError_t error) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.start();
  engine.devices.at(size_t(device)).next_failure = error;
}

Counters counters() {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  return engine.counters;
}

void reset_counters() {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.counters = Counters();
}

std::vector<std::string> take_kernels() {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  std::vector<std::string> names;
  for (const Kernel* kernel : engine.kernels) names.push_back(kernel->name);
  engine.kernels.clear();
  return names;
}

std::vector<std::string> take_reports() {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  return std::exchange(engine.reports, {});
}

void print_reports(bool on) {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  engine.print_reports = on;
}

}  // namespace fake
