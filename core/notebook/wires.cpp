#include "core/notebook/wires.h"

#include "core/base/error.h"
#include "core/device/device.h"

namespace luth::notebook {
namespace {
const Library* opened = nullptr;
}

void add_library(const Library* library) { opened = library; }

const Library& library() {
  if (!opened) {
    const std::string trouble = open_library("notebook");
    if (!opened)
      throw Error(ErrorCode::usage,
                  "notebooks cannot be served: {}; luth is built with them where ZeroMQ and libsodium are installed "
                  "(Debian: libzmq3-dev libsodium-dev)",
                  trouble);
  }
  return *opened;
}

}  // namespace luth::notebook
