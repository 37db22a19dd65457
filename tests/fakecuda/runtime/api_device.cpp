// The API: devices, errors, kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/fakecuda/runtime/engine.h"

using namespace fake;

namespace {

bool known(const Engine& engine, int device) { return device >= 0 && size_t(device) < engine.devices.size(); }

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorText error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorNvlinkUncorrectable, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected"},
    {cudaErrorContained, "cudaErrorContained", "Invalid access of peer GPU memory over nvlink or a hardware error"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorInvalidAddressSpace, "cudaErrorInvalidAddressSpace",
     "operation not supported on global/shared address space"},
    {cudaErrorInvalidPc, "cudaErrorInvalidPc", "invalid program counter"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};
const ErrorText* text_of(cudaError_t error) {
  for (const ErrorText& t : error_texts)
    if (t.error == error) return &t;
  return nullptr;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* t = text_of(error);
  return t ? t->name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* t = text_of(error);
  return t ? t->text : "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() {
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  ThreadState& mine = thread_state();
  if (known(engine, mine.device) && engine.devices[size_t(mine.device)].sticky != cudaSuccess)
    return engine.devices[size_t(mine.device)].sticky;
  return mine.last;
}
cudaError_t cudaGetLastError() {
  cudaError_t error = cudaPeekAtLastError();
  Engine& engine = Engine::one();
  Lock lock(engine.mutex);
  thread_state().last = cudaSuccess;
  return error;
}

// ---- devices ----

cudaError_t cudaDriverGetVersion(int* version) {
  return call("cudaDriverGetVersion", Needs::nothing, [&](Engine& e, Lock&) {
    *version = e.machine.driver;
    return cudaSuccess;
  });
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = runtime_version();
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", Needs::nothing, [&](Engine& e, Lock&) {
    cudaError_t error = e.start();
    if (error != cudaErrorInsufficientDriver) *count = int(e.devices.size());  // else untouched, as measured
    return error;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", Needs::devices, [&](Engine&, Lock&) {
    *device = thread_state().device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", Needs::devices, [&](Engine& e, Lock&) {
    if (!known(e, device)) return cudaErrorInvalidDevice;
    thread_state().device = device;
    e.devices[size_t(device)].context = true;  // since CUDA 12
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", Needs::devices, [&](Engine& e, Lock&) {
    if (!known(e, device)) return cudaErrorInvalidDevice;
    *properties = e.devices[size_t(device)].properties;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call("cudaDeviceGetAttribute", Needs::devices, [&](Engine& e, Lock&) {
    if (!known(e, device)) return cudaErrorInvalidDevice;
    const cudaDeviceProp& p = e.devices[size_t(device)].properties;
    switch (attribute) {
      case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
      case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
      case cudaDevAttrWarpSize: *value = p.warpSize; break;
      case cudaDevAttrClockRate: *value = 1'980'000; break;        // kHz
      case cudaDevAttrMemoryClockRate: *value = 3'201'000; break;  // kHz
      case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
      case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
      case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
      case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
      case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
      case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
      case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(p.sharedMemPerMultiprocessor); break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
      case cudaDevAttrPageableMemoryAccess: *value = e.machine.late_reads; break;
      case cudaDevAttrPageableMemoryAccessUsesHostPageTables: *value = 0; break;
      default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call("cudaDeviceGetPCIBusId", Needs::devices, [&](Engine& e, Lock&) {
    if (!known(e, device)) return cudaErrorInvalidDevice;
    const cudaDeviceProp& p = e.devices[size_t(device)].properties;
    std::string text = fmt::format("{:04X}:{:02X}:{:02X}.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
    if (length <= int(text.size())) return cudaErrorInvalidValue;
    std::memcpy(id, text.c_str(), text.size() + 1);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", Needs::health, [&](Engine& e, Lock& lock) {
    e.wait_for_device(lock, thread_state().device);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", Needs::devices, [&](Engine& e, Lock&) {
    if (!known(e, device) || !known(e, peer)) return cudaErrorInvalidDevice;
    *can = device != peer;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call("cudaDeviceEnablePeerAccess", Needs::health, [&](Engine& e, Lock&) {
    int device = thread_state().device;
    if (flags) return cudaErrorInvalidValue;
    if (!known(e, peer) || peer == device) return cudaErrorInvalidDevice;
    uint32_t& peers = e.devices[size_t(device)].peers;
    if (peers >> peer & 1) return cudaErrorPeerAccessAlreadyEnabled;
    peers |= 1u << peer;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call("cudaDeviceDisablePeerAccess", Needs::health, [&](Engine& e, Lock&) {
    if (!known(e, peer)) return cudaErrorInvalidDevice;
    uint32_t& peers = e.devices[size_t(thread_state().device)].peers;
    if (!(peers >> peer & 1)) return cudaErrorPeerAccessNotEnabled;
    peers &= ~(1u << peer);
    return cudaSuccess;
  });
}

// ---- kernels ----

namespace fake {
namespace {
cudaError_t check(const cudaDeviceProp& p, const Kernel& kernel, const cudaLaunchConfig_t& c) {
  dim3 b = c.blockDim, g = c.gridDim;
  auto outside = [](unsigned v, int most) { return v == 0 || v > unsigned(most); };
  if (outside(b.x, p.maxThreadsDim[0]) || outside(b.y, p.maxThreadsDim[1]) || outside(b.z, p.maxThreadsDim[2]) ||
      uint64_t(b.x) * b.y * b.z > unsigned(p.maxThreadsPerBlock) || outside(g.x, p.maxGridSize[0]) ||
      outside(g.y, p.maxGridSize[1]) || outside(g.z, p.maxGridSize[2]))
    return cudaErrorInvalidConfiguration;
  return c.dynamicSmemBytes > size_t(kernel.most_dynamic_bytes) ? cudaErrorInvalidValue : cudaSuccess;
}
}  // namespace

cudaError_t launch(const void* function, const cudaLaunchConfig_t& c, std::function<void()> body,
                   const void* const* pointers, int count) {
  return call("cudaLaunchKernel", Needs::health, [&](Engine& e, Lock& lock) {
    int device = thread_state().device;
    Stream stream = e.stream(c.stream);
    if (!stream || stream->device != device) return cudaErrorInvalidResourceHandle;
    Kernel& kernel = kernel_at(function);
    if (cudaError_t error = check(e.devices[size_t(device)].properties, kernel, c); error != cudaSuccess) return error;
    Grid grid{function, &kernel, c.gridDim, c.blockDim, c.dynamicSmemBytes, std::move(body), 0};
    Entry entry;
    entry.memory = (1u << device) | e.devices[size_t(device)].peers;
    entry.run = [&e, device, grid = std::move(grid), arguments = std::vector(pointers, pointers + count)]() mutable {
      return e.run_kernel(device, grid, arguments);
    };
    e.submit(lock, stream, std::move(entry));
    return cudaSuccess;
  });
}

cudaError_t set_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", Needs::health, [&](Engine& e, Lock&) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    const cudaDeviceProp& p = e.devices[size_t(thread_state().device)].properties;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        size_t(value) > p.sharedMemPerBlockOptin)
      return cudaErrorInvalidValue;
    kernel_at(kernel).most_dynamic_bytes = value;
    return cudaSuccess;
  });
}

cudaError_t get_attributes(cudaFuncAttributes* attributes, const void* kernel) {
  return call("cudaFuncGetAttributes", Needs::health, [&](Engine&, Lock&) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = kernel_at(kernel).most_dynamic_bytes;
    return cudaSuccess;
  });
}

cudaError_t active_blocks(int* blocks, const void*, int threads, size_t shared_bytes) {
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", Needs::health, [&](Engine& e, Lock&) {
    const cudaDeviceProp& p = e.devices[size_t(thread_state().device)].properties;
    if (threads < 1 || threads > p.maxThreadsPerBlock) return cudaErrorInvalidValue;
    int by_threads = p.maxThreadsPerMultiProcessor / ((threads + 31) / 32 * 32);
    int by_memory = int(p.sharedMemPerMultiprocessor / (shared_bytes + 1024));
    *blocks = std::min({by_threads, by_memory, p.maxBlocksPerMultiProcessor});
    return cudaSuccess;
  });
}

}  // namespace fake
