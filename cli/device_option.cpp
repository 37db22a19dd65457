#include "cli/device_option.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "core/device_support.h"

namespace luth::cli {
namespace {

void use(Device& d) {
  set_default_device(d);
  set_current_device(d);  // "cuda" in a script means this one
}

// A GPU, or the CPU and why.
Device& chosen(std::string& reason) {
  try {
    Device& d = device("cuda");
    reason = d.properties().name;
    return d;
  } catch (const Error& e) {
    reason = e.what();
    return host();
  }
}

}  // namespace

void use_device(const std::string& name) {
  if (name == "auto") {
    std::string reason;
    Device& d = chosen(reason);
    fmt::print(stderr, "luth: --device auto: {} ({})\n", d.name(), reason);
    return use(d);
  }
  try {
    use(device(name));
  } catch (const Error& e) {
    throw Error(ErrorCode::usage, "--device takes 'auto' or a device, got '{}': {}", name, e.what());
  }
}

void log_placement() { setenv("LUTH_LOG_PLACEMENT", "1", 1); }

}  // namespace luth::cli
