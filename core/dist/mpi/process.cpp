#include "core/dist/mpi/process.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "core/base/block_signals.h"
#include "core/base/interrupt.h"
#include "core/dist/environment.h"

namespace luth::dist::mpi {
namespace {

constexpr Milliseconds farewell{3'000};  // at the end of the process, for calls that still run

std::atomic<int> running = 0;
std::exception_ptr failed_reduction;

using Types = std::array<MPI_Datatype, dtype_count>;
Types& types() {
  static Types t{};
  return t;
}

// Called by MPI, through which no exception may go.
template <ReduceOp op>
void reduce_elements(void* in, void* inout, int* n, MPI_Datatype* type) {
  try {
    size_t dtype = 0;
    while (types().at(dtype) != *type) ++dtype;
    reduce_into(inout, in, inout, size_t(*n), Dtype(dtype), op);
  } catch (...) { failed_reduction = std::current_exception(); }
}
constexpr MPI_User_function* reductions[] = {reduce_elements<ReduceOp::sum>, reduce_elements<ReduceOp::product>,
                                             reduce_elements<ReduceOp::min>, reduce_elements<ReduceOp::max>,
                                             reduce_elements<ReduceOp::avg>, reduce_elements<ReduceOp::band>,
                                             reduce_elements<ReduceOp::bor>, reduce_elements<ReduceOp::bxor>};
std::array<MPI_Op, std::size(reductions)> ops;

// At the end of the process. One that fails ends without MPI_Finalize, which would wait for the others: its launcher
// sees that, and ends them.
void finish(int status, void* starter) {
  if (status || pid_t(reinterpret_cast<intptr_t>(starter)) != getpid()) return;
  for (const Deadline end = Clock::now() + farewell; running && Clock::now() < end;)
    std::this_thread::sleep_for(Milliseconds(1));
  const Hold hold(lock());
  if (running) return;
  for (MPI_Op& op : ops) MPI_Op_free(&op);
  for (MPI_Datatype& t : types()) MPI_Type_free(&t);
  MPI_Finalize();
}

void start_mpi() {
  const BlockSignals blocked;
  check_mpi_sees_launcher();
  if (Dl_info mpi; dladdr(reinterpret_cast<void*>(MPI_Init_thread), &mpi))  // its own modules look for its symbols
    dlopen(mpi.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  int threads = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads));
  on_exit(finish, reinterpret_cast<void*>(intptr_t(getpid())));
  for (MPI_Comm c : {MPI_COMM_WORLD, MPI_COMM_SELF}) check(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
  if (threads < MPI_THREAD_SERIALIZED)
    throw Error(ErrorCode::usage, "{} was built without threads (MPI_THREAD_SERIALIZED), which luth needs",
                implementation);
  for (size_t i = 0; i < types().size(); ++i) {
    check(MPI_Type_contiguous(int(size_of(Dtype(i))), MPI_BYTE, &types()[i]));
    check(MPI_Type_commit(&types()[i]));
  }
  for (size_t i = 0; i < ops.size(); ++i) check(MPI_Op_create(reductions[i], true, &ops[i]));
}

// The text of rank 0, on all ranks of the run.
std::string share(const std::string& text, Milliseconds timeout) {
  Tensor bytes = Tensor::empty(Shape{4096}, Dtype::u8, host());
  auto* p = bytes.data<char>();
  std::strncpy(p, text.c_str(), 4096);
  complete({bytes}, Clock::now() + timeout, poll_interrupt, MPI_Ibcast, p, 4096, MPI_BYTE, 0, MPI_COMM_WORLD);
  return std::string(p, strnlen(p, 4096));
}

}  // namespace

std::mutex& lock() {
  static auto& m = *new std::mutex;  // threads may hold it when the process ends
  return m;
}

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int size = 0;
  MPI_Error_string(code, text, &size);
  throw Error(ErrorCode::peer, "{}: {}", implementation, std::string(text, size_t(size)));
}

MPI_Datatype type_of(const Tensor& t) { return types()[size_t(t.dtype())]; }
MPI_Op op_of(ReduceOp op) { return ops[size_t(op)]; }

void check_reductions() {
  if (auto failed = std::exchange(failed_reduction, nullptr)) std::rethrow_exception(failed);
}

void note_begun() { ++running; }
void note_ended() { --running; }

bool has_started() {
  int started = 0;
  MPI_Initialized(&started);
  return started;
}

Start start() {
  const Hold hold(lock());
  if (!has_started()) start_mpi();
  Start s;
  s.source = implementation, s.share = share;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &s.rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, &s.size));
  return s;
}

}  // namespace luth::dist::mpi
