// The environments of launchers.
#include "core/dist/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace luth::dist {
namespace {

using Variables = std::map<std::string, std::string>;

// The launch that the variables describe; they are unset again.
std::optional<Launch> launch_of(const Variables& variables) {
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
    unsetenv(name);
  for (auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  struct Unset {
    const Variables& v;
    ~Unset() {
      for (auto& [name, _] : v) unsetenv(name.c_str());
    }
  } const unset{variables};
  return launch_environment();
}
std::string error_of(const Variables& variables) {
  try {
    launch_of(variables);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return e.what();
  }
  return "";
}

TEST(Environment, None) { EXPECT_FALSE(launch_of({})); }

TEST(Environment, Torchrun) {
  const auto l = launch_of({{"RANK", "3"},
                            {"WORLD_SIZE", "4"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "2"},
                            {"MASTER_ADDR", "node0"},
                            {"MASTER_PORT", "1234"}});
  ASSERT_TRUE(l && l->master);
  EXPECT_EQ(l->rank, 3);
  EXPECT_EQ(l->world_size, 4);
  EXPECT_EQ(l->local_rank, 1);
  EXPECT_EQ(l->local_world_size, 2);
  EXPECT_EQ(to_text(*l->master), "node0:1234");
  const auto beside = [](const char* port) {
    return to_text(*launch_of({{"RANK", "0"},
                               {"WORLD_SIZE", "2"},
                               {"MASTER_ADDR", "node0"},
                               {"MASTER_PORT", port},
                               {"TORCHELASTIC_USE_AGENT_STORE", "True"}})
                        ->master);
  };
  EXPECT_EQ(beside("1234"), "node0:1235");
  EXPECT_EQ(beside("45575"), "node0:30075");
  EXPECT_EQ(beside("65535"), "node0:30035");
}

TEST(Environment, Slurm) {
  const Variables step{
      {"SLURM_PROCID", "1"},  {"SLURM_STEP_NUM_TASKS", "8"},          {"SLURM_LOCALID", "1"},
      {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}, {"SLURM_STEP_NODELIST", "gpu[03-04]"},
      {"SLURM_JOB_ID", "77"}};
  const auto l = launch_of(step);
  ASSERT_TRUE(l && l->master);
  EXPECT_EQ(l->rank, 1);
  EXPECT_EQ(l->world_size, 8);
  EXPECT_EQ(l->local_world_size, 4);
  EXPECT_EQ(l->master->host, "gpu03");
  EXPECT_GE(l->master->port, 29500);
  // a batch script itself, which srun has not started
  EXPECT_FALSE(launch_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}));
}

TEST(Environment, Mpi) {
  const auto open = launch_of({{"OMPI_COMM_WORLD_RANK", "1"},
                               {"OMPI_COMM_WORLD_SIZE", "2"},
                               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  ASSERT_TRUE(open && open->master);
  EXPECT_EQ(open->master->host, "127.0.0.1");  // all on this machine
  const auto mpich = launch_of({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  ASSERT_TRUE(mpich);
  EXPECT_FALSE(mpich->master);  // which machine it is, nobody has said
}

Variables joined(Variables a, const Variables& b) {
  a.insert(b.begin(), b.end());
  return a;
}
const Variables step_of_two{{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_ID", "0"}};

// The inner launcher counts, where it is certain which that is.
TEST(Environment, LaunchersWithinLaunchers) {
  const Variables half{{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"GROUP_RANK", "1"}, {"MASTER_ADDR", "a"}};
  const Variables agent = joined(half, {{"MASTER_PORT", "1234"}});
  const Variables open{{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
  const Variables hydra{{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "3"}};
  EXPECT_EQ(launch_of(joined(agent, step_of_two))->rank, 5);
  EXPECT_EQ(launch_of(joined(agent, open))->world_size, 8);
  EXPECT_EQ(launch_of(joined(open, step_of_two))->world_size, 4);
  EXPECT_EQ(launch_of(joined(hydra, step_of_two))->rank, 3);
  // mpirun in the allocation itself
  EXPECT_EQ(launch_of(joined(open, {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "2"}, {"SLURM_PROCID", "0"}}))->rank, 3);
  const auto error = [](const Variables& a, const Variables& b) { return error_of(joined(a, b)); };
  EXPECT_EQ(error(open, hydra), "");  // they agree
  EXPECT_NE(error(half, {}).find("MASTER_ADDR is set and MASTER_PORT is not"), std::string::npos);
  EXPECT_EQ(error(half, {{"SLURM_JOB_ID", "7"}}), "");  // its job has a port
  EXPECT_NE(error({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}}, step_of_two).find("twice"), std::string::npos);
  EXPECT_NE(error(joined(open, {{"PMIX_NAMESPACE", "slurm.pmix.7.0"}}), step_of_two).find("twice"), std::string::npos);
  // a world of one is not what the outer one has started
  const std::string alone = error({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"GROUP_RANK", "0"}}, step_of_two);
  EXPECT_NE(alone.find("WORLD_SIZE=1, SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=2"), std::string::npos) << alone;
}

TEST(Environment, TasksOfThisNode) {
  const auto tasks = [](const char* node, const char* list) {
    return launch_of(joined(step_of_two, {{"SLURM_NODEID", node}, {"SLURM_STEP_TASKS_PER_NODE", list}}))
        ->local_world_size;
  };
  EXPECT_EQ(tasks("0", "3,1"), 3);
  EXPECT_EQ(tasks("1", "3,1"), 1);
  EXPECT_EQ(tasks("1", "4(x2),5(x3)"), 4);
  EXPECT_EQ(tasks("4", "4(x2),5(x3)"), 5);
  EXPECT_EQ(tasks("9", "4"), 0);  // unknown
}

std::string mpi_of(const Variables& variables) {
  for (auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  const std::string mpi = launched_mpi();
  for (auto& [name, _] : variables) unsetenv(name.c_str());
  return mpi;
}

TEST(Environment, WhichMpi) {
  EXPECT_EQ(mpi_of({}), "");
  EXPECT_EQ(mpi_of({{"OMPI_COMM_WORLD_RANK", "0"}}), "openmpi");
  EXPECT_EQ(mpi_of({{"PMIX_RANK", "0"}, {"SLURM_MPI_TYPE", "pmix"}}), "openmpi");
  EXPECT_EQ(mpi_of({{"PMI_RANK", "0"}}), "mpich");
  EXPECT_EQ(mpi_of({{"PMI_RANK", "0"}, {"LUTH_MPI", "openmpi"}}), "openmpi");
  setenv("LUTH_MPI", "mvapich", 1);
  EXPECT_THROW(launched_mpi(), Error);
  unsetenv("LUTH_MPI");
}

TEST(Environment, Mistakes) {
  EXPECT_NE(error_of({{"RANK", "x"}, {"WORLD_SIZE", "2"}}).find("RANK should be a number"), std::string::npos);
  EXPECT_NE(error_of({{"RANK", "2"}, {"WORLD_SIZE", "2"}}).find("RANK = 2 should be below"), std::string::npos);
  EXPECT_NE(error_of({{"WORLD_SIZE", "2"}}).find("RANK is not"), std::string::npos);
  for (const char* port : {"0", "65536"})
    EXPECT_NE(error_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", port}}).find("expected 1 to 65535"),
              std::string::npos);
  const std::string twice = error_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "4"}});
  EXPECT_NE(twice.find("RANK=0, WORLD_SIZE=2, PMI_RANK=1, PMI_SIZE=4"), std::string::npos) << twice;
}

TEST(Environment, FirstHost) {
  EXPECT_EQ(first_host("a"), "a");
  EXPECT_EQ(first_host("a,b"), "a");
  EXPECT_EQ(first_host("gpu[03-05,7],login"), "gpu03");
  EXPECT_EQ(first_host("gpu[7,9]-ib,x"), "gpu7-ib");
  EXPECT_EQ(first_host("rack[1-2]n[01-04,7]-x,y[1]"), "rack1n01-x");
  EXPECT_EQ(first_host("gpu[1"), "gpu1");
  EXPECT_EQ(first_host(""), "");
}

}  // namespace
}  // namespace luth::dist
