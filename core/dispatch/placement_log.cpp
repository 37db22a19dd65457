#include "core/dispatch/placement_log.h"

#include <cstdio>

#include "core/base/per_thread.h"
#include "core/op/op.h"

namespace luth {
namespace {

// Where another observer has come after it, it cannot leave their chain: then it stays and is silent.
class Placement final : public Observer {
 public:
  void called(const Call& call) override {
    if (before_) before_->called(call);
    if (!on_) return;
    const Device* device = nullptr;
    for (auto& t : call.out)
      if (t && !device) device = &t.device();
    for (auto& v : call.in)
      if (v.is_tensor() && !device) device = &v.tensor().device();
    if (device)
      std::fprintf(stderr, "%s%s: %s\n", call.info->lua_name.c_str(), call.inplace ? "_" : "", device->name().c_str());
  }
  void set(bool on) {
    on_ = on;
    if (on && !installed_) {
      before_ = set_observer(this);
      installed_ = true;
    } else if (!on && observer() == this) {
      set_observer(before_);
      installed_ = false;
    }
  }

 private:
  Observer* before_ = nullptr;
  bool on_ = false, installed_ = false;
};

}  // namespace

void set_log_placement(bool on) {
  static constinit thread_local PerThread<Placement> log;
  log->set(on);
}

}  // namespace luth
