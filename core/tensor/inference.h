// Inference mode: what is made in it can never take part in a graph, and so needs none of autograd's care. Values.
#pragma once
#include "core/tensor/storage.h"

namespace luth {

/// While it is on, on this thread, new storage belongs to inference tensors. Whoever turns it on turns grad mode off.
bool inference_mode();
/// Returns the mode before.
bool set_inference_mode(bool on);

/// The versions of such storage start here. Ordinary storage gets there by three thousand million writes.
constexpr uint32_t inference_version = 0xC0000000;
inline bool is_inference(const Storage& s) { return s.version() >= inference_version; }
/// Throws where an operator outside of the mode may not write.
void check_writable(const Storage& s);

}  // namespace luth
