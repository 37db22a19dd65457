// What `luth launch` was asked for.
#pragma once
#include <string>
#include <vector>

#include "cli/subcommands.h"
#include "core/dist/socket.h"

namespace luth::cli {

struct Plan {
  int nproc = 1, nodes = 1, node = 0, restarts = 0, threads = 0;
  bool asks_threads = false;
  dist::Address master;
  std::string log_dir, seconds;
  std::vector<std::string> command;
  int world() const { return nproc * nodes; }
};

/// Throws ErrorCode::usage for what cannot be; makes the folder of --log-dir.
Plan read_plan(const Arguments& a);

}  // namespace luth::cli
