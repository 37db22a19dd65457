// MPI in this process: from the first group to the end of the process. Every call of MPI returns at once and is made
// under one lock; what waits asks again and again. So collectives, messages and the start of groups go on beside each
// other, whatever MPI thinks of threads, and every wait has an end.
#pragma once
#include <mpi.h>

#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/dist/backend.h"

namespace luth::dist::mpi {

inline constexpr const char* implementation = std::string_view(LUTH_MPI) == "openmpi" ? "Open MPI" : "MPICH";

/// Held around every call of MPI.
std::mutex& lock();
using Hold = std::lock_guard<std::mutex>;

/// Throws ErrorCode::peer for what is no success, in MPI's words.
void check(int code);
/// Elements are bytes to MPI, and reductions are luth's own: MPI has no float16, and other rules for bool and NaN.
MPI_Datatype type_of(const Tensor& t);
MPI_Op op_of(ReduceOp op);
/// Throws what a reduction has thrown since the last call; MPI lets no exception through.
void check_reductions();

/// Whether MPI has been started here, by start() or before.
bool has_started();
/// Starts it, where that has not been done; it ends with the process.
Start start();

/// Counts calls that MPI has not ended: it cannot end then either.
void note_begun();
void note_ended();

inline constexpr Milliseconds brisk{2}, glance{1000};  // of a wait: without sleep at first; how often it looks around

/// Asks test(status), one call of MPI, until it is true. `look` is called every second, and throws where it never will
/// be. Throws where `end` is over.
template <class Test, class Look>
MPI_Status ask_until(Deadline end, Look&& look, Test&& test) {
  const Deadline begun = Clock::now();
  Deadline next_look = begun + glance;
  for (MPI_Status status;;) {
    {
      const Hold hold(lock());
      if (test(status)) return status;
      check_reductions();
    }
    const Deadline now = Clock::now();
    if (now > end) throw Error("{}: the time is over", implementation);
    if (now > next_look) look(), next_look = now + glance;
    if (now - begun < brisk)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// A call that MPI has begun, and all that it reads and writes meanwhile.
struct Pending {
  std::vector<Tensor> tensors;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Begins a call by f(arguments, request) and returns when it has ended. Where it throws, what MPI may still touch is
/// kept to the end of the process.
template <class Look, class F, class... A>
MPI_Status complete(std::vector<Tensor> tensors, Deadline end, Look&& look, F f, A... arguments) {
  auto call = std::make_unique<Pending>(Pending{std::move(tensors)});
  {
    const Hold hold(lock());
    check(f(arguments..., &call->request));
    note_begun();
  }
  const auto test = [&](MPI_Status& status) {
    int done = 0;
    check(MPI_Test(&call->request, &done, &status));
    return done;
  };
  try {
    const MPI_Status status = ask_until(end, look, test);
    note_ended();
    return status;
  } catch (...) {
    call.release();
    throw;
  }
}

}  // namespace luth::dist::mpi
