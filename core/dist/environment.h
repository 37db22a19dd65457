// What launchers say of a process in its environment: luth launch, torchrun, Slurm, Open MPI, MPICH, Kubernetes.
#pragma once
#include <optional>
#include <string>

#include "core/dist/socket.h"

namespace luth::dist {

struct Launch {
  int rank = 0, world_size = 1;
  int local_rank = 0, local_world_size = 0;  // on this machine; 0: unknown
  std::optional<Address> master;             // nothing: one must be given
  std::string source;                        // "RANK and WORLD_SIZE", "Slurm"
};

/// Nothing where no launcher has started this process. Throws ErrorCode::usage, listing the variables, where they
/// disagree or are no numbers.
std::optional<Launch> launch_environment();

/// The MPI whose launcher has started this process: "openmpi", "mpich", "" where none has. $LUTH_MPI goes before;
/// throws ErrorCode::usage where it is another word.
std::string launched_mpi();
/// Throws ErrorCode::usage where the launcher has started the process in a way that MPI does not see (`srun` without
/// PMIx), which MPI itself would answer by ending the process.
void check_mpi_sees_launcher();

/// The first host of Slurm's list: "gpu[03-05,7],login" gives "gpu03", "r[1-2]n[01-04]" gives "r1n01".
std::string first_host(const std::string& list);

}  // namespace luth::dist
