// The backend nccl of torch.distributed. A group has one communicator for its collectives, on one GPU, and one for the
// messages of each pair of ranks and each direction, so that none waits for another. Communicators are asynchronous:
// the host waits for no other rank without a time-out. Data that is only moved travels as bytes.
#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "core/device/device_support.h"
#include "core/dist/backend.h"
#include "core/dist/environment.h"
#include "core/tensor/record_stream.h"
#include "devices/cuda/libraries/nccl.h"
#include "devices/cuda/runtime/failure.h"

namespace luth::cuda {
namespace {

using dist::Clock;
using dist::Deadline;
using dist::Milliseconds;
using dist::ReduceOp;
using nccl::Communicator;
using nccl::functions;
using nccl::Result;

template <class... A>
[[noreturn]] void refuse(fmt::format_string<A...> text, A&&... args) {
  throw Error(ErrorCode::usage, text, std::forward<A>(args)...);
}

// ---- elements and reductions ----

nccl::Type type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::u8: return nccl::Type::u8;
    case Dtype::i8: return nccl::Type::i8;
    case Dtype::i32: return nccl::Type::i32;
    case Dtype::i64: return nccl::Type::i64;
    case Dtype::f16: return nccl::Type::f16;
    case Dtype::bf16: return nccl::Type::bf16;
    case Dtype::f32: return nccl::Type::f32;
    case Dtype::f64: return nccl::Type::f64;
    case Dtype::i16: break;
  }
  refuse("the backend nccl reduces no {}; convert the tensor, to int32 for example", name(dtype));
}

// Bools are bytes 0 and 1, whose sum is to be 1.
nccl::Op op_of(Dtype dtype, ReduceOp op) {
  const bool is_bool = dtype == Dtype::boolean;
  switch (op) {
    case ReduceOp::sum: return is_bool ? nccl::Op::max : nccl::Op::sum;
    case ReduceOp::product: return nccl::Op::product;
    case ReduceOp::min: return nccl::Op::min;
    case ReduceOp::max: return nccl::Op::max;
    case ReduceOp::avg: return nccl::Op::avg;
    case ReduceOp::bor:
      if (is_bool) return nccl::Op::max;
      break;
    case ReduceOp::band:
      if (is_bool) return nccl::Op::min;
      break;
    case ReduceOp::bxor: break;
  }
  refuse(
      "the backend nccl has no {} of {}; reduce a copy on the CPU in a group that has gloo too ('cpu:gloo,cuda:nccl')",
      to_text(op), name(dtype));
}

// ---- which GPU ----

size_t count_gpus() {
  const auto all = open_devices();
  return size_t(std::count_if(all.begin(), all.end(), [](Device* d) { return d->kind() == "cuda"; }));
}

// The GPU of this process: the one that the script has set, else that of the rank's number on its machine.
Device& own_gpu() {
  Device& current = current_device("cuda");
  const auto launch = dist::launch_environment();
  const size_t gpus = count_gpus();
  if (current.index() > 0 || !launch || gpus == 1) return current;
  if (size_t(launch->local_rank) >= gpus)
    refuse(
        "rank {} is process {} of its machine, counted from 0, and the machine has {} GPUs: the backend nccl needs one "
        "for each",
        launch->rank, launch->local_rank, gpus);
  Device& own = luth::device("cuda:" + std::to_string(launch->local_rank));
  set_current_device(own);
  return own;
}

// NCCL takes no GPU for two ranks.
void check_distinct(const dist::BackendSetup& s, const Device& gpu) {
  std::string machine;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> machine;
  const auto key = [](int rank) { return "gpu/" + std::to_string(rank); };
  const std::string own = machine + " " + gpu.properties().bus_id;
  s.store->set(key(s.rank), own);
  for (int r = 0; r < int(s.ranks.size()); ++r)
    if (r != s.rank && s.store->get(key(r)) == own)
      refuse(
          "ranks {} and {} have the same GPU, {} (PCI {}); the backend nccl needs one for each, and this "
          "process sees {}",
          std::min(s.ranks[size_t(r)], s.ranks[size_t(s.rank)]), std::max(s.ranks[size_t(r)], s.ranks[size_t(s.rank)]),
          gpu.name(), gpu.properties().bus_id, count_gpus());
}

// ---- the backend ----

class Nccl final : public dist::Backend {
 public:
  explicit Nccl(const dist::BackendSetup& s)
      : Backend(int(s.ranks.size())), store_(s.store), rank_(s.rank), timeout_(s.timeout), device_(own_gpu()) {
    check_distinct(s, device_);
    all_.stream = device_.new_stream(0);
    connect(all_, "all", rank_, size());
  }
  ~Nccl() override { close(); }

  Device& device() const override { return device_; }
  bool has_mean() const override { return true; }
  Stream* stream() override { return all_.stream; }
  Stream* message_stream(int peer, bool sends) override { return link(peer, sends).stream; }

  void broadcast(const Tensor& t, int root, Milliseconds timeout) override {
    call(all_, functions().broadcast, timeout, {t}, t.raw(), t.raw(), t.bytes(), nccl::Type::u8, root);
  }
  void all_reduce(const Tensor& t, ReduceOp op, Milliseconds timeout) override {
    call(all_, functions().all_reduce, timeout, {t}, t.raw(), t.raw(), size_t(t.numel()), type_of(t.dtype()),
         op_of(t.dtype(), op));
  }
  void reduce(const Tensor& t, ReduceOp op, int root, Milliseconds timeout) override {
    call(all_, functions().reduce, timeout, {t}, t.raw(), t.raw(), size_t(t.numel()), type_of(t.dtype()),
         op_of(t.dtype(), op), root);
  }
  void all_gather(const Tensor& part, const Tensor& all, Milliseconds timeout) override {
    call(all_, functions().all_gather, timeout, {part, all}, part.raw(), all.raw(), part.bytes(), nccl::Type::u8);
  }
  void reduce_scatter(const Tensor& all, const Tensor& part, ReduceOp op, Milliseconds timeout) override {
    call(all_, functions().reduce_scatter, timeout, {part, all}, all.raw(), part.raw(), size_t(part.numel()),
         type_of(part.dtype()), op_of(part.dtype(), op));
  }
  void gather(const Tensor& part, const Tensor& all, int root, Milliseconds timeout) override {
    std::vector<Message> messages{{part.raw(), part.bytes(), root, true}};
    if (all) add_pieces(messages, all, part.bytes(), false);
    exchange(messages, {part, all}, timeout);
  }
  void scatter(const Tensor& all, const Tensor& part, int root, Milliseconds timeout) override {
    std::vector<Message> messages{{part.raw(), part.bytes(), root, false}};
    if (all) add_pieces(messages, all, part.bytes(), true);
    exchange(messages, {part, all}, timeout);
  }
  void all_to_all(const Tensor& from, const std::vector<int64_t>& from_counts, const Tensor& to,
                  const std::vector<int64_t>& to_counts, Milliseconds timeout) override {
    std::vector<Message> messages;
    size_t sent = 0, received = 0;
    for (int r = 0; r < size(); ++r) {
      const size_t out = size_t(from_counts[size_t(r)]) * size_of(from.dtype());
      const size_t in = size_t(to_counts[size_t(r)]) * size_of(to.dtype());
      messages.push_back({static_cast<char*>(from.raw()) + sent, out, r, true});
      messages.push_back({static_cast<char*>(to.raw()) + received, in, r, false});
      sent += out, received += in;
    }
    exchange(messages, {from, to}, timeout);
  }

  void send(const Tensor& t, int to, uint32_t tag, const std::string&, Milliseconds timeout) override {
    check_tag(tag);
    const size_t n = std::max<size_t>(t.bytes(), 1);  // an empty message is a byte that nobody reads
    const Tensor out = t.bytes() ? t : room();
    call(connected(to, true), functions().send, timeout, {out}, out.raw(), n, nccl::Type::u8, 1);
  }
  int receive(const Tensor& t, int from, uint32_t tag, const std::string&, Milliseconds timeout) override {
    check_tag(tag);
    if (from < 0) refuse("the backend nccl receives from a rank that is named; give src, or use the backend gloo");
    const size_t n = std::max<size_t>(t.bytes(), 1);
    const Tensor in = t.bytes() ? t : room();
    call(connected(from, false), functions().recv, timeout, {in}, in.raw(), n, nccl::Type::u8, 0);
    return from;
  }

  std::string trouble() override {
    const std::lock_guard lock(mutex_);
    if (failed_) return "the group has failed";
    for (Link* l : links()) {
      Result r = Result::success;
      if (!l->handle) continue;
      const Result asked = functions().async_error(l->handle, &r);
      if (asked != Result::success) r = asked;
      if (r != Result::success && r != Result::in_progress) return text_of(*l, "its communicator", r);
    }
    return "";
  }

  void abort(std::exception_ptr why) noexcept override {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failed_ = why;
    report_failure(device_.index(), why);
    end_all([](Link& l) { functions().abort(l.handle); });
  }

  void close() noexcept override {
    const Deadline end = Clock::now() + std::min(timeout_, farewell);
    const std::lock_guard lock(mutex_);
    end_all([end](Link& l) {
      Result r = functions().finalize(l.handle);
      while (r == Result::in_progress && Clock::now() < end) {
        std::this_thread::sleep_for(glance);
        if (functions().async_error(l.handle, &r) != Result::success) r = Result::internal_error;
      }
      r == Result::success ? functions().destroy(l.handle) : functions().abort(l.handle);
    });
  }

 private:
  static constexpr Milliseconds farewell{5'000};
  static constexpr std::chrono::microseconds glance{50};

  struct Link {
    Communicator* handle = nullptr;
    Stream* stream = nullptr;
  };
  struct Message {
    void* data;
    size_t bytes;
    int peer;
    bool sends;
  };

  // ---- errors ----

  static std::string text_of(const Link& l, const char* what, Result r) {
    const char* more = l.handle ? functions().last_error(l.handle) : nullptr;
    const std::string detail = more && *more ? std::string(": ") + more : "";
    return fmt::format("NCCL: {}: {}{} (NCCL_DEBUG=WARN says more)", what, functions().error_text(r), detail);
  }
  void check_usable() const {
    if (failed_) std::rethrow_exception(failed_);
  }
  static void check_tag(uint32_t tag) {
    if (tag) refuse("the backend nccl has no tags: messages of two ranks arrive in order; got tag {}", tag);
  }

  // What a call of NCCL has answered; waits while that is that it goes on.
  void settle(Link& l, const char* what, Result r, Deadline end) {
    for (;; std::this_thread::sleep_for(glance)) {
      const std::lock_guard lock(mutex_);
      check_usable();
      if (r == Result::in_progress) {
        const Result asked = functions().async_error(l.handle, &r);
        if (asked != Result::success) r = asked;
      }
      if (r == Result::success) return;
      if (r != Result::in_progress) throw Error("{}", text_of(l, what, r));
      if (Clock::now() >= end) throw Error("NCCL: {} is still in progress", what);
    }
  }

  // ---- communicators ----

  std::vector<Link*> links() {
    std::vector<Link*> list{&all_};
    for (auto& [key, l] : messages_) list.push_back(&l);
    return list;
  }
  template <class F>
  void end_all(F&& end) noexcept {
    try {
      OnDevice on(device_.index());
      for (Link* l : links())
        if (l->handle) end(*l), l->handle = nullptr;
    } catch (const std::exception&) {}  // a GPU that is lost has nothing to end
  }

  void connect(Link& l, const std::string& key, int rank, int size) {
    const Deadline end = Clock::now() + timeout_;
    nccl::UniqueId id{};
    if (rank == 0) {
      settle(l, "ncclGetUniqueId", functions().unique_id(&id), end);
      store_->set("id/" + key, std::string(id.bytes, sizeof id.bytes));
    } else {
      store_->get("id/" + key).copy(id.bytes, sizeof id.bytes);
    }
    nccl::Config config;
    config.blocking = 0;
    Result r;
    {
      OnDevice on(device_.index());
      const std::lock_guard lock(mutex_);
      r = functions().init(&l.handle, size, id, rank, &config);
    }
    settle(l, "ncclCommInitRankConfig", r, end);
  }

  Link& link(int peer, bool sends) {
    const std::lock_guard lock(mutex_);
    Link& l = messages_[{peer, sends}];
    if (!l.stream) l.stream = device_.new_stream(0);
    return l;
  }
  // Rank 0 of a communicator for messages is who sends. Called on one thread for each link.
  Link& connected(int peer, bool sends) {
    Link& l = link(peer, sends);
    if (!l.handle)
      connect(l, sends ? fmt::format("{}-{}", rank_, peer) : fmt::format("{}-{}", peer, rank_), sends ? 0 : 1, 2);
    return l;
  }

  // ---- calls ----

  Tensor room() const { return Tensor::empty({1}, Dtype::u8, device_); }

  // Calls a function of NCCL in the current stream. `used`: the tensors behind the pointers; null ones are left out.
  template <class F, class... A>
  void call(Link& l, const LibraryFunction<F>& f, Milliseconds timeout, std::initializer_list<Tensor> used, A... args) {
    if (used.begin()->numel() == 0) return;  // on all ranks
    give(l, f.name(), timeout, used, [&](Communicator* c, cudaStream_t s) { return f(args..., c, s); });
  }
  // Sends and receives at once, in the group's own communicator.
  void exchange(const std::vector<Message>& messages, std::initializer_list<Tensor> used, Milliseconds timeout) {
    give(all_, "ncclSend and ncclRecv", timeout, used, [&](Communicator* c, cudaStream_t s) {
      Result first = functions().group_start();
      for (const Message& m : messages) {
        if (!m.bytes) continue;
        const Result r = m.sends ? functions().send(m.data, m.bytes, nccl::Type::u8, m.peer, c, s)
                                 : functions().recv(m.data, m.bytes, nccl::Type::u8, m.peer, c, s);
        if (r != Result::success && r != Result::in_progress && first == Result::success) first = r;
      }
      const Result end = functions().group_end();
      return first == Result::success ? end : first;
    });
  }
  template <class F>
  void give(Link& l, const char* what, Milliseconds timeout, std::initializer_list<Tensor> used, F&& f) {
    for (const Tensor& t : used)
      if (t) record_current_stream(t);
    Result r;
    {
      OnDevice on(device_.index());
      const std::lock_guard lock(mutex_);
      check_usable();
      r = f(l.handle, stream_of(device_));
    }
    settle(l, what, r, Clock::now() + timeout);
  }
  // Rank i's piece of `all`.
  void add_pieces(std::vector<Message>& messages, const Tensor& all, size_t bytes, bool sends) const {
    for (int r = 0; r < size(); ++r)
      messages.push_back({static_cast<char*>(all.raw()) + size_t(r) * bytes, bytes, r, sends});
  }

  std::shared_ptr<dist::Store> store_;
  const int rank_;
  const Milliseconds timeout_;
  Device& device_;
  std::mutex mutex_;  // of what follows, and of calls of a communicator, which abort() frees
  Link all_;
  std::map<std::pair<int, bool>, Link> messages_;  // by peer, and whether it is for sending
  std::exception_ptr failed_;
};

// The library is open, though there may be no GPU.
std::string trouble_here() {
  try {
    current_device("cuda");
  } catch (const Error& e) { return e.what(); }
  return nccl_missing();
}

std::unique_ptr<dist::Backend> make(const dist::BackendSetup& setup) { return std::make_unique<Nccl>(setup); }
[[maybe_unused]] const bool added = (dist::add_backend("nccl", make, nullptr, trouble_here), true);

}  // namespace
}  // namespace luth::cuda
