// A device library that was built for another luth.
#include "core/device/device.h"

extern "C" {
__attribute__((visibility("default"))) extern const int luth_abi;
const int luth_abi = luth::abi_version + 1;
__attribute__((visibility("default"))) void luth_open() { luth::add_device(nullptr); }
}
