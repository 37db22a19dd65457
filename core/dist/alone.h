// What a run of one process needs, which has nobody to send to: no library and no port.
#pragma once
#include <memory>

#include "core/dist/backend.h"

namespace luth::dist {

/// A store in the memory of this process, which others cannot reach.
std::shared_ptr<Store> make_own_store(Milliseconds timeout);
/// The collectives of a group of one, for tensors of the CPU: copies.
std::unique_ptr<Backend> make_backend_of_one();

}  // namespace luth::dist
