// Runs that an MPI has started: what becomes of them when a process fails, stops, leaves or calls something else.
#include <gtest/gtest.h>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

const std::string begin =
    "local dist = torch.distributed\ndist.init_process_group('mpi', {timeout = tonumber(arg[1])})\n"
    "local r = dist.get_rank()\ndist.barrier()\n";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define EXPECT_SAYS(result, part) EXPECT_TRUE(has((result).err, part)) << (result).err

class Mpi : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (address_sanitizer) GTEST_SKIP() << "MPI leaves memory that the sanitizer takes for leaks";
    const Result r = mpirun("", 1);
    if (r.code == 77) GTEST_SKIP() << r.out;
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static Result mpirun(const std::string& script, int ranks, const std::string& seconds = "60", Env env = {}) {
    TempDir dir;
    const std::string luth = program();
    env.insert(env.end(), {{"LUTH_BUILD", LUTH_BINARY_DIR}, {"LUTH_PROGRAM", luth}});
    setenv("LUTH", "/bin/bash", 1);  // the program that run() starts
    const Result r = run({LUTH_SOURCE_DIR "/tests/dist/mpirun.sh", GetParam(), std::to_string(ranks),
                          dir.write("s.lua", script), seconds},
                         {.env = env, .dir = dir.path()});
    setenv("LUTH", luth.c_str(), 1);
    return r;
  }
  static double now() { return detail::now(); }
};

TEST_P(Mpi, AKilledRankEndsAll) {
  const double start = now();
  const Result r =
      mpirun(begin + "if r == 1 then os.execute('kill -9 $PPID') end\ndist.all_reduce(torch.ones(9))\n", 3);
  EXPECT_NE(r.code, 0);
  EXPECT_LT(now() - start, 30);
}

// Where the launcher lets the others go on, they say who has gone, at once.
TEST_P(Mpi, ADeadRankIsNamed) {
  if (GetParam() != "openmpi") GTEST_SKIP() << "this MPI's launcher always ends the others";
  const Env go_on{{"OMPI_MCA_orte_abort_on_non_zero_status", "0"}, {"OMPI_MCA_orte_enable_recovery", "1"}};
  const double start = now();
  const Result killed = mpirun(
      begin + "if r == 1 then os.execute('kill -9 $PPID') end\ndist.all_reduce(torch.ones(9))\n", 3, "60", go_on);
  EXPECT_SAYS(killed, "all_reduce(float32[9], SUM) at ");
  EXPECT_SAYS(killed, "of rank 0 cannot end, because rank 1 has ended");
  EXPECT_SAYS(killed, "of rank 2 cannot end, because rank 1 has ended");
  EXPECT_LT(now() - start, 30);
  const Result failed = mpirun(begin + "if r == 1 then error('my mistake') end\ndist.barrier()\n", 2, "60", go_on);
  EXPECT_SAYS(failed, "of rank 0 cannot end, because rank 1 has ended: ");
  EXPECT_SAYS(failed, "s.lua:5: my mistake");
}

TEST_P(Mpi, ARankThatHasLeftIsNamed) {
  const Result r = mpirun(begin + "if r == 0 then dist.barrier() end", 2);
  // mpiexec kills the other rank, which waits in MPI_Finalize, and tells that signal where it hears of this end first
  EXPECT_TRUE(r.code == 6 || (GetParam() == "mpich" && r.code == SIGKILL)) << r.code;
  EXPECT_SAYS(r, "barrier() at ");
  EXPECT_SAYS(r, "of rank 0 cannot end, because rank 1 has ended: it has left the run");
}

TEST_P(Mpi, ARankThatDoesNotComeIsNamedWhenTimeIsOver) {
  const Result r = mpirun(begin + "if r == 1 then os.execute('sleep 8') end\ndist.all_reduce(torch.ones(9))\n", 2, "2");
  EXPECT_NE(r.code, 0);
  EXPECT_SAYS(r, "of rank 0 has not ended within 2 s");
  EXPECT_SAYS(r, "rank 1 has not come; ");
}

// MPI itself would mix the elements of both.
TEST_P(Mpi, CallsThatDifferNameBoth) {
  for (const std::string calls :
       {"if r == 0 then dist.all_reduce(torch.ones(70000)) else dist.all_reduce(torch.ones(7)) end",
        "if r == 0 then dist.all_reduce(torch.ones(7)) else dist.all_reduce(torch.ones(7), 'MAX') end",
        "if r == 0 then dist.broadcast(torch.ones(7), 0) else dist.broadcast(torch.ones(7), 1) end",
        "if r == 0 then dist.barrier() else dist.all_reduce(torch.ones(7):to(torch.int32)) end"}) {
    const Result r = mpirun(begin + calls, 2);
    EXPECT_NE(r.code, 0) << calls;
    EXPECT_SAYS(r, "call 2 of the group '0' differs: rank ");
  }
}

TEST_P(Mpi, MessagesOfAnotherSize) {
  for (const std::string size : {"3", "500000"}) {
    const Result r =
        mpirun(begin + "if r == 0 then dist.send(torch.ones(" + size + "), 1) else dist.recv(torch.ones(5), 0) end", 2);
    EXPECT_NE(r.code, 0);
    EXPECT_SAYS(r, "recv: the message of rank 0 has ");
    EXPECT_SAYS(r, "expected 20 for float32[5]");
  }
  const Result tag =
      mpirun(begin + "dist.send(torch.ones(1), {dst = 1 - r, tag = 0x3fffffff})\ndist.barrier()", 2, "5");
  EXPECT_TRUE(GetParam() == "openmpi" || has(tag.err, "tag is 1073741823; MPICH has tags up to ")) << tag.err;
}

TEST_P(Mpi, EndsWithoutDestroy) {
  const Result r = mpirun(begin + "print('end ' .. r)\nif r == 0 then os.exit(0) end\n", 3);
  EXPECT_EQ(r.code, 0) << r.err;
  // mpiexec passes on what it reads, in pieces that may end within a line
  EXPECT_TRUE(has(r.out, "end 0") && has(r.out, "end 1") && has(r.out, "end 2")) << r.out;
  EXPECT_EQ(r.err, "");
}

TEST_P(Mpi, TheOtherMpiSeesNoOther) {
  const std::string other = GetParam() == "openmpi" ? "mpich" : "openmpi";
  const Result there = run({"-e", "os.exit(torch.distributed.is_mpi_available())"}, {.env = {{"LUTH_MPI", other}}});
  if (there.code) GTEST_SKIP() << other << " is not here";
  const Result r = mpirun(begin, 2, "60", {{"LUTH_MPI", other}});
  EXPECT_NE(r.code, 0);
  EXPECT_SAYS(r, "this is rank 0 of 1, and the launcher (");
  EXPECT_SAYS(r, "of 2; start the script by the mpirun of this MPI");
}

TEST_P(Mpi, WithoutTheMpiOfALauncher) {
  const Env mpi{{"LUTH_MPI", GetParam()}};
  const std::string init = "torch.distributed.init_process_group('mpi'";
  const Result alone =
      run({"-e", init + ") torch.distributed.barrier() print(torch.distributed.get_world_size())"}, {.env = mpi});
  EXPECT_EQ(alone.out, "1\n") << alone.err;
  TempDir dir;
  const std::string script = dir.write("s.lua", init + ")");
  const Result launched = run({"launch", "--nproc", "2", script}, {.env = mpi});
  EXPECT_EQ(launched.code, 2);
  EXPECT_SAYS(launched, "this is rank 0 of 1, and the launcher (RANK and WORLD_SIZE) says rank 1 of 2");
  const Result named = run({"-e", init + ", {rank = 1, world_size = 2})"}, {.env = mpi});
  EXPECT_SAYS(named, "and the call says rank 1 of 2");
  const Result slurm = run({"-e", init + ")"}, {.env = {{"SLURM_STEP_ID", "0"}, {"LUTH_MPI", GetParam()}}});
  EXPECT_EQ(slurm.code, 2);
  EXPECT_SAYS(slurm, "srun has started this process without MPI (SLURM_MPI_TYPE is 'none')");
  const Result word = run({"-e", init + ")"}, {.env = {{"LUTH_MPI", "other"}}});
  EXPECT_SAYS(word, "LUTH_MPI is openmpi or mpich, got 'other'");
  const Result group = run({"-e",
                            "torch.distributed.init_process_group('gloo', {rank = 0, world_size = 1})"
                            "torch.distributed.new_group({0}, {backend = 'mpi'})"},
                           {.env = mpi});
  EXPECT_SAYS(group, "is for runs that have begun with it");
}

INSTANTIATE_TEST_SUITE_P(Each, Mpi, ::testing::Values("openmpi", "mpich"), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace luth::testing
