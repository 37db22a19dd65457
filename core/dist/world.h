// The run that this process belongs to: its first group, its store, and the groups made of its ranks.
#pragma once
#include <optional>

#include "core/dist/process_group.h"

namespace luth::dist {

inline constexpr Milliseconds default_timeout{120'000};

struct InitOptions {
  std::string backend;      // "": gloo, and for a run of one process nothing that must be installed
  std::string init_method;  // "", "env://", "tcp://host:port", "file://path"
  int rank = -1, world_size = -1;
  std::optional<Milliseconds> timeout;  // nothing: $LUTH_DIST_TIMEOUT seconds, else default_timeout
  std::shared_ptr<Store> store;         // instead of init_method
};

/// Joins the run; returns when all ranks have come. A process that ends by exit() leaves it by itself. Throws
/// ErrorCode::usage for what cannot be right, ErrorCode::peer where the others cannot be reached.
void init_process_group(const InitOptions& o);
bool is_initialized();
/// The group of all ranks; throws where there is no run.
const GroupRef& world();
/// The group of that name, "": world(). Throws where this process is in none of it.
GroupRef find_group(const std::string& name);
/// All ranks call it with the same ranks, in the same order of calls. Null for a process that is not one of them.
GroupRef new_group(std::vector<int> ranks, const std::string& backend, std::optional<Milliseconds> timeout);
/// Leaves the run, and ends all groups; rank 0, which keeps the store, waits some seconds until all have left. Nothing
/// where there is no run.
void destroy_process_group();
/// Ends one group, of which this process takes no more part.
void destroy_group(const GroupRef& g);
/// Tells the other ranks why this process fails, so that their errors can say it. Never throws.
void tell_end(ErrorCode code, const std::string& why) noexcept;

}  // namespace luth::dist
