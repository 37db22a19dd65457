// The meta device: tensors with shapes and no data, for model summaries and shape tests. It has no kernels.
#include "core/device/device.h"

namespace luth::meta {
namespace {

class Meta final : public Device {
 public:
  Meta() : Device("meta", 0) {}

  void* allocate(size_t, Stream*) override { return nullptr; }
  void free(void*, size_t, Stream*) noexcept override {}
  void copy(void*, Device&, const void*, Device&, size_t, bool) override {}
  void fill_zero(void*, size_t) override {}
  bool has_data() const override { return false; }
};

}  // namespace
}  // namespace luth::meta

extern "C" {
__attribute__((visibility("default"))) extern const int luth_abi;
const int luth_abi = luth::abi_version;
__attribute__((visibility("default"))) void luth_open() { luth::add_device(new luth::meta::Meta); }
}
