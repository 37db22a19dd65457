#include "cli/device_option.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "lang/library/choose_device.h"

namespace luth::cli {

void use_device(const std::string& name) {
  std::string reason;
  Device& d = lang::choose_device(name, reason);
  if (name == "auto") fmt::print(stderr, "luth: --device auto: {} ({})\n", d.name(), reason);
  set_default_device(d);
}

void log_placement() { setenv("LUTH_LOG_PLACEMENT", "1", 1); }

}  // namespace luth::cli
