// Threads that read batches, which all passes share. They belong to no pass, so that one that its loop has left, and
// that waits for Lua's collector, has none.
#pragma once
#include <functional>

namespace luth::data {

/// Starts threads until there are so many. Returns how many there are, `wanted` at most: fewer where the system has no
/// room for more.
int ready_workers(int wanted);

/// Runs the job on a thread without work, or a new one; where none can be started, on the first that is free. False
/// where there is no thread at all. Threads without work end after a tenth of a second. Jobs do not throw.
bool run_on_worker(std::function<void()> job);

}  // namespace luth::data
