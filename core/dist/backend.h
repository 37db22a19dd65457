// What carries tensors between processes: Gloo, NCCL or MPI, each in a library of its own that is opened on first use.
#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dist/store.h"
#include "core/tensor/tensor.h"

namespace luth::dist {

enum class ReduceOp : uint8_t { sum, product, min, max, avg, band, bor, bxor };
std::string_view to_text(ReduceOp op);

/// The collectives of one group. Tensors are contiguous and on the backend's device. Calls come from one
/// thread at a time, in the same order on all ranks, and return when the tensors have their values. Each throws an
/// Error where `timeout` is over or another rank has gone; after that the object is of no more use. `root`, `to`,
/// `from` are ranks of the group, from 0. Rank i's part of a tensor that has one for each is the i-th of its equal
/// pieces.
class Backend {
 public:
  explicit Backend(int size) : size_(size) {}
  virtual ~Backend();
  int size() const { return size_; }
  /// Before each call that is no message: a mark of what ranks have in common in it. Where the engine would mix the
  /// elements of calls that differ, the call compares it first and throws ErrorCode::peer on all ranks.
  void begin(uint64_t mark) { mark_ = mark; }
  virtual void broadcast(const Tensor& t, int root, Milliseconds timeout) = 0;
  virtual void all_reduce(const Tensor& t, ReduceOp op, Milliseconds timeout) = 0;
  /// `t` of other ranks than the root is left with partial results.
  virtual void reduce(const Tensor& t, ReduceOp op, int root, Milliseconds timeout) = 0;
  virtual void all_gather(const Tensor& part, const Tensor& all, Milliseconds timeout) = 0;
  /// `all` is null except at the root.
  virtual void gather(const Tensor& part, const Tensor& all, int root, Milliseconds timeout) = 0;
  virtual void scatter(const Tensor& all, const Tensor& part, int root, Milliseconds timeout) = 0;
  /// The reduction of the ranks' i-th pieces of `all` goes to rank i's `part`. Made of all_to_all and reductions in the
  /// order of ranks, where a backend has no better way.
  virtual void reduce_scatter(const Tensor& all, const Tensor& part, ReduceOp op, Milliseconds timeout);
  /// `counts`: elements for each rank, in the order of ranks.
  virtual void all_to_all(const Tensor& from, const std::vector<int64_t>& from_counts, const Tensor& to,
                          const std::vector<int64_t>& to_counts, Milliseconds timeout) = 0;
  /// Messages of one pair of ranks and one tag arrive in order. May run beside the other calls, on another thread.
  /// `call` is what the script has called, for errors of the other side.
  virtual void send(const Tensor& t, int to, uint32_t tag, const std::string& call, Milliseconds timeout) = 0;
  /// `from` -1: from any rank. Returns whose message it was.
  virtual int receive(const Tensor& t, int from, uint32_t tag, const std::string& call, Milliseconds timeout) = 0;
  /// Ends calls that wait, on all ranks.
  virtual void close() noexcept = 0;
  /// Often, from a thread of its own: ends calls that wait for a rank that has died.
  virtual void look() {}

  /// Where it takes tensors.
  virtual Device& device() const { return host(); }
  /// Whether AVG of floats is the mean, and no sum that the caller divides.
  virtual bool has_mean() const { return false; }

  // ---- a backend of a device that computes asynchronously ----

  /// The stream for calls, null for a backend of the host. Calls give their work to the device's current stream, which
  /// the caller makes this one, and return; `timeout` is for what the host waits for meanwhile.
  virtual Stream* stream() { return nullptr; }
  /// The same for messages to (or from) a rank.
  virtual Stream* message_stream(int /*peer*/, bool /*sends*/) { return nullptr; }
  /// What has gone wrong with work that was given; "" where nothing has.
  virtual std::string trouble() { return ""; }

  /// After a call has failed because of another rank: ends the work that was given. Whoever waits for the device, or
  /// calls again, gets the error `why`.
  virtual void abort(std::exception_ptr /*why*/) noexcept {}

 protected:
  uint64_t mark() const { return mark_; }

 private:
  int size_;
  uint64_t mark_ = 0;
};

struct BackendSetup {
  std::shared_ptr<Store> store;        // of this group alone
  std::shared_ptr<Store> world_store;  // of the run: says who has ended (key_of_end)
  std::vector<int> ranks;              // of the run, in the order of the group's ranks
  int rank = 0;
  std::string own_address;  // of this machine, as the others reach it
  Milliseconds timeout{};
};
using MakeBackend = std::unique_ptr<Backend> (*)(const BackendSetup&);

/// What a backend knows of the run before there is a store, where its launcher connects the processes (MPI).
struct Start {
  int rank = 0, size = 1;
  std::string source;  // "Open MPI"
  /// The text that rank 0 gives, on all ranks.
  std::string (*share)(const std::string& text, Milliseconds timeout) = nullptr;
};
using StartBackend = Start (*)();
using BackendTrouble = std::string (*)();  // why it cannot be used though its library is open, "" where it can

/// Called by a backend's library when it is opened.
void add_backend(std::string_view name, MakeBackend make, StartBackend start = nullptr,
                 BackendTrouble trouble = nullptr);
/// Starts it; nothing for a backend that finds the other processes through the store.
std::optional<Start> start_backend(const std::string& name);

/// A backend, and the kind of the devices whose tensors it takes; "": of all, by copies where they are not its own.
struct BackendChoice {
  std::string kind, backend;
};
/// Of "gloo", or "cpu:gloo,cuda:nccl". Throws ErrorCode::usage for what is neither.
std::vector<BackendChoice> parse_backends(const std::string& text);
/// "" where the backend (or each of "cpu:gloo,cuda:nccl") can be used, else what is missing and the package that has
/// it.
std::string backend_trouble(const std::string& name);
/// Throws ErrorCode::usage with that text.
std::unique_ptr<Backend> make_backend(const std::string& name, const BackendSetup& setup);
/// out = op(a, b), for tensors of the CPU, by luth's own kernels; `out` may be one of them. AVG is a sum, which the
/// caller divides.
void reduce_into(const Tensor& out, const Tensor& a, const Tensor& b, ReduceOp op);
/// The same for n elements in plain memory.
void reduce_into(void* out, const void* a, const void* b, size_t n, Dtype dtype, ReduceOp op);

}  // namespace luth::dist
