// An OS thread's means of running blocks: fibers, the order in which a block's threads run, and its shared memory.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda_runtime.h"
#include "tests/fakecuda/runtime/fiber.h"
#include "tests/fakecuda/runtime/random.h"
#include "tests/fakecuda/runtime/shared.h"

namespace fake {

/// One grid to run.
struct Grid {
  const void* kernel = nullptr;
  Kernel* info = nullptr;
  dim3 blocks, threads;
  size_t shared_bytes = 0;
  std::function<void()> body;  // one thread of it
  uint64_t seed = 0;
};

/// How a grid ended. The text names block and thread; empty: well.
struct Failure {
  cudaError_t error = cudaSuccess;
  std::string text;
  const void* address = nullptr;  // of an illegal access
  explicit operator bool() const { return error != cudaSuccess; }
};

class Worker {
 public:
  /// That of the calling OS thread.
  static Worker& mine();
  /// The one whose kernel code the calling OS thread is in the midst of; null outside kernels.
  static Worker* in_kernel();
  ~Worker();

  /// Runs one block to its end, or to the first fault of one of its threads.
  Failure run(const Grid& grid, uint3 block);
  uint64_t take_barriers() { return std::exchange(barriers_, 0); }

  // For the running CUDA thread
  [[noreturn]] void fail(cudaError_t error, std::string text, const void* address = nullptr);
  int barrier(Barrier kind, bool predicate, Site at);
  uint64_t meet(Collective& mine);
  unsigned active_lanes() const;
  void give_way();
  /// Gives up the frames of the running fiber: the end of its stack, from which a signal handler may start anew.
  char* give_up_stack() { return running_->fiber.unpoison(), running_->fiber.top(); }
  /// Whether `address` lies in the page below the running fiber's stack.
  bool overflowed(const void* address) const;

 private:
  struct Strand {  // a fiber, and what it shall do
    Strand(Worker* owner, char* low, size_t size) : worker(owner), fiber(low, size, &Worker::strand_main, this) {}
    Worker* worker;
    Fiber fiber;
  };
  enum class State : uint8_t { fresh, running, barrier, warp, ended };
  struct Thread {
    State state = State::fresh;
    Strand* strand = nullptr;
  };
  struct Warp {  // sets of lanes
    uint32_t present = 0, ended = 0, waiting = 0;
    Collective* meeting[32];  // where each waiting one is
  };
  enum class Order { random, forward, backward, by_warp };

  Worker();
  static void strand_main(void* strand);
  void prepare(const Grid& grid, uint3 block);
  int next();
  void enter(int thread);
  void make_ready(int thread);
  void yield();
  void end_thread();
  void open_barrier();
  void resolve(Warp& warp, int first, uint32_t mask, const Collective& last);
  Strand* idle_strand();
  void abandon();
  bool step();
  Failure stuck() const;

  Fiber home_;  // the OS thread's own stack
  char* stacks_ = nullptr;
  std::vector<std::unique_ptr<Strand>> strands_;
  std::vector<Strand*> idle_;
  std::vector<Thread> threads_;
  Warp warps_[32];
  std::vector<uint3> places_;  // threadIdx of each thread
  dim3 places_of_;
  SharedMemory shared_;

  // Of the block that runs
  const Grid* grid_ = nullptr;
  Strand* running_ = nullptr;
  int current_ = -1, count_ = 0, alive_ = 0, waiting_ = 0;
  Order order_ = Order::random;
  Random random_;
  uint32_t ready_warps_ = 0, ready_[32] = {};
  uint32_t sticky_warp_ = 0;
  Site barrier_site_{};
  Barrier barrier_kind_{};
  int predicates_ = 0, barrier_result_ = 0;
  uint64_t barriers_ = 0;
  Failure failure_;
};

/// Runs a grid on the calling OS thread, and on another one too where that is asked for.
Failure run_grid(const Grid& grid, bool two_threads, uint64_t& barriers);

}  // namespace fake
