// Memory of the nodes of operators.
#pragma once
#include <cstddef>

namespace luth {

/// One place of `bytes`, always the same number. A long recorded loop makes a million nodes and frees them all: they
/// lie in chunks, beyond the first few of huge pages, of which the first touch costs a fifth of that of ordinary ones,
/// and which go back to the system when all their nodes are dead; where a few live on, the places of the others are
/// taken again. A node may die on another thread. Without memory for another chunk, relieve_memory_pressure() is tried.
void* take_node(size_t bytes);
void give_node(void* p);

}  // namespace luth
