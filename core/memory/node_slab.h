// Slab allocator for the nodes of the autograd graph.
#pragma once
#include <cstddef>

namespace luth {

/// Memory for one node; `bytes` is the same number in every call. Nodes lie in slabs of 2 MB: a slab goes back to the
/// system when all its nodes are dead, and free slots of half empty slabs are used again. All but the first few slabs
/// have huge pages, because first touch is a third of the time of a long graph. A node may be freed by another thread.
/// Without memory, relieve_memory_pressure() is called once; then std::bad_alloc is thrown.
void* allocate_node(size_t bytes);
void free_node(void* p);

}  // namespace luth
