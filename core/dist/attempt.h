// Where a run's keys lie in its store, and what a launcher reads there of its ranks.
#pragma once
#include <string>

#include "core/dist/store.h"

namespace luth::dist {

/// The keys of a start lie below a prefix of its own. What a launcher starts again is another attempt; what a process
/// joins again, another start.
std::string prefix_of(const std::string& attempt, const std::string& start);
/// The key of the attempt's last start.
std::string key_of_start(const std::string& attempt);

/// The call in which the rank waited when the run's attempt ended, "" where it did in none: what its process has told
/// the store.
std::string where_waits(Store& store, int attempt, int rank);
/// Waits until the ranks from `first` on have left the run's attempt or failed, at most to the deadline. Returns at
/// once where rank 0 has not come.
void wait_for_ends(Store& store, int attempt, int first, int size, Deadline deadline);

}  // namespace luth::dist
