#include "core/dist/environment.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <vector>

#include "core/dist/table.h"

namespace luth::dist {
namespace {

constexpr int usual_port = 29500, first_of_system = 32768;

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

// Nothing where the variable is not set.
std::optional<int> number(const char* name) {
  const std::string text = variable(name);
  if (text.empty()) return std::nullopt;
  const auto n = to_number(text);
  if (!n || *n < 0 || *n > INT_MAX)
    throw Error(ErrorCode::usage, "the environment variable {} should be a number from 0, got '{}'", name, text);
  return int(*n);
}

// The variables of a launcher: rank, number of ranks, and both on this machine.
struct Names {
  const char *source, *rank, *size, *local_rank, *local_size;
  const char* needs;  // set where the launcher has started this very process
};
// A batch script of Slurm has the variables of its first task; what srun has started has those of a step.
constexpr Names launchers[] = {
    {"RANK and WORLD_SIZE", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_SIZE"},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_ID"},
};

bool is_set(const char* name) { return !variable(name).empty(); }
bool any_is_set(std::initializer_list<const char*> names) { return std::any_of(names.begin(), names.end(), is_set); }

// Whether `inner`, an earlier row than `outer`, has certainly been started by a process of `outer`: `luth launch` and
// torchrun start processes on one machine for whoever has started them, and mpirun starts its own by srun in a job of
// Slurm. Slurm's PMI sets variables as mpirun does, but not these.
bool is_within(const Launch& inner, const Launch& outer) {
  if (inner.source == launchers[0].source) return is_set("GROUP_RANK");
  const bool by_mpirun = inner.source == launchers[1].source ? !variable("PMIX_NAMESPACE").starts_with("slurm.")
                                                             : is_set("MPI_LOCALRANKID");
  return outer.source == "Slurm" && by_mpirun;
}

// Of "3,1(x2)", tasks of each node, the number on this one; 0: unknown.
int tasks_here(const char* name) {
  int node = number("SLURM_NODEID").value_or(0);
  std::istringstream list(variable(name));
  for (std::string part; std::getline(list, part, ',');) {
    const size_t times = part.find("(x");
    if ((node -= times == part.npos ? 1 : std::atoi(part.c_str() + times + 2)) < 0) return std::atoi(part.c_str());
  }
  return 0;
}

std::optional<Launch> read(const Names& names) {
  if (!is_set(names.needs)) return std::nullopt;
  const auto rank = number(names.rank), size = number(names.size);
  if (!rank && !size) return std::nullopt;
  if (!rank || !size)
    throw Error(ErrorCode::usage, "{} is set and {} is not; a process of a run needs both",
                rank ? names.rank : names.size, rank ? names.size : names.rank);
  if (*size < 1 || *rank >= *size)
    throw Error(ErrorCode::usage, "{} = {} should be below {} = {}", names.rank, *rank, names.size, *size);
  Launch l;
  l.rank = *rank, l.world_size = *size, l.source = names.source;
  l.local_rank = number(names.local_rank).value_or(0);
  const bool is_list = std::string_view(names.local_size).starts_with("SLURM");
  l.local_world_size = is_list ? tasks_here(names.local_size) : number(names.local_size).value_or(0);
  return l;
}

[[noreturn]] void disagree(const Launch& a, const Launch& b) {
  std::string list;
  for (const Names& n : launchers)
    for (const char* name : {n.rank, n.size})
      if (is_set(name)) list += fmt::format("{}{}={}", list.empty() ? "" : ", ", name, variable(name));
  throw Error(
      ErrorCode::usage,
      "the environment names this process twice: rank {} of {} by {}, rank {} of {} by {} ({}); unset one of them",
      a.rank, a.world_size, a.source, b.rank, b.world_size, b.source, list);
}

// What a launcher calls the job of its processes; "": it does not say.
std::string job_name() {
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})
    if (is_set(name)) return variable(name);
  return is_set("SLURM_JOB_ID") ? variable("SLURM_JOB_ID") + "." + variable("SLURM_STEP_ID") : "";
}

// One port for all processes of a job, and another for other jobs of the machine.
int port_of_job(const Launch& l) {
  const std::string job = job_name();
  if (!job.empty()) return usual_port + int(std::hash<std::string>()(job) % 1000);
  if (l.source == launchers[0].source && l.world_size > 1 && is_set("MASTER_ADDR"))
    throw Error(ErrorCode::usage, "MASTER_ADDR is set and MASTER_PORT is not; a process of a run needs both");
  return usual_port;
}

std::optional<Address> find_master(const Launch& l) {
  const auto port = number("MASTER_PORT");
  Address a{variable("MASTER_ADDR"), port ? *port : port_of_job(l)};
  // torchrun keeps a store of its own at the port. The system gives high ports to connections, so the next one of these
  // may be taken.
  if (variable("TORCHELASTIC_USE_AGENT_STORE") == "True" && is_set("MASTER_PORT"))
    a.port = a.port < first_of_system - 1 ? a.port + 1 : usual_port + a.port % 1000;
  if (a.port > 65535 || (a.port == 0 && l.world_size > 1))
    throw Error(ErrorCode::usage, "the environment variable MASTER_PORT is {}, expected 1 to 65535", a.port);
  if (a.host.empty() && l.source == "Slurm")
    for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"})
      if (a.host.empty()) a.host = first_host(variable(name));
  if (a.host.empty() && (l.world_size == 1 || l.local_world_size == l.world_size)) a.host = "127.0.0.1";
  return a.host.empty() ? std::nullopt : std::optional(a);
}

}  // namespace

std::string first_host(const std::string& list) {
  std::string host;
  for (size_t at = 0; at < list.size() && list[at] != ','; ++at) {
    if (list[at] != '[') {
      host += list[at];
      continue;
    }
    const size_t close = std::min(list.find(']', at), list.size());
    const std::string range = list.substr(at + 1, close - at - 1);
    host += range.substr(0, range.find_first_of(",-"));
    at = close;
  }
  return host;
}

std::string launched_mpi() {
  if (const std::string asked = variable("LUTH_MPI"); !asked.empty()) {
    if (asked != "openmpi" && asked != "mpich")
      throw Error(ErrorCode::usage, "LUTH_MPI is openmpi or mpich, got '{}'", asked);
    return asked;
  }
  if (any_is_set({"OMPI_COMM_WORLD_RANK", "PMIX_RANK"})) return "openmpi";
  return any_is_set({"PMI_RANK", "PMI_ID", "PMI_FD"}) ? "mpich" : "";
}

void check_mpi_sees_launcher() {
  if (is_set("SLURM_STEP_ID") && !any_is_set({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_ID", "PMI_FD"}))
    throw Error(ErrorCode::usage,
                "srun has started this process without MPI (SLURM_MPI_TYPE is '{}'): for the backend 'mpi' use "
                "`srun --mpi=pmix` with Open MPI, `srun --mpi=pmi2` with MPICH",
                is_set("SLURM_MPI_TYPE") ? variable("SLURM_MPI_TYPE") : "none");
}

std::optional<Launch> launch_environment() {
  std::optional<Launch> found;
  for (const Names& names : launchers) {
    const auto l = read(names);
    if (!l) continue;
    if (!found) {
      found = l;
    } else if (found->rank == l->rank && found->world_size == l->world_size) {
      if (!found->local_world_size) found->local_rank = l->local_rank, found->local_world_size = l->local_world_size;
    } else if (!is_within(*found, *l) || (found->world_size == 1 && l->world_size > 1)) {
      disagree(*found, *l);
    }
  }
  if (found) found->master = find_master(*found);
  return found;
}

}  // namespace luth::dist
