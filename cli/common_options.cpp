#include "cli/common_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/dispatch/placement_log.h"
#include "lang/library/choose_device.h"

namespace luth::cli {
namespace {

int thread_count(const char* what, const char* text) {
  const long n = is_number(text) ? strtol(text, nullptr, 10) : 0;
  if (n < 1 || n > 4096) throw Error(ErrorCode::usage, "{} expects a count of 1 to 4096, got '{}'", what, text);
  return int(n);
}

}  // namespace

void obey_common(const Arguments& arguments) {
  const char* variable = getenv("LUTH_THREADS");
  if (auto threads = arguments.text("--threads"))
    set_num_threads(thread_count("--threads", threads->c_str()));
  else if (variable && *variable)
    thread_count("LUTH_THREADS", variable);
  if (arguments.has("--log-device-placement")) set_log_placement(true);
}

void use_device(const Arguments& arguments) {
  const auto name = arguments.text("--device");
  if (!name) return;
  std::string reason;
  Device& d = lang::choose_device(*name, reason);
  if (*name == "auto") fmt::print(stderr, "luth: --device auto: {} ({})\n", d.name(), reason);
  set_default_device(d);
}

}  // namespace luth::cli
