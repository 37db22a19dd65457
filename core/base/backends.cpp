#include "core/base/backends.h"

namespace luth {

Backends& backends() {
  static constinit Backends state;
  return state;
}

}  // namespace luth
