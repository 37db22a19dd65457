#include "lang/library/choose_device.h"

#include "core/device/device_support.h"

namespace luth::lang {
namespace {

Device& any_gpu(std::string& reason) {
  try {
    Device& d = device("cuda");
    reason = d.properties().name;
    return d;
  } catch (const Error& e) {
    reason = e.what();
    return host();
  }
}

Device& named(const std::string& name) {
  try {
    return device(name);
  } catch (const Error& e) {
    throw Error(ErrorCode::usage, "--device takes 'auto' or a device, got '{}': {}", name, e.what());
  }
}

}  // namespace

Device& choose_device(const std::string& name, std::string& reason) {
  Device& d = name == "auto" ? any_gpu(reason) : named(name);
  set_current_device(d);
  return d;
}

}  // namespace luth::lang
