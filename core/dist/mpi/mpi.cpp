// The backend MPI. A library for each implementation is made of this folder, because their ABIs differ: LUTH_MPI is
// "openmpi" or "mpich".
#include <climits>
#include <functional>

#include "core/dist/alone.h"
#include "core/dist/mpi/process.h"
#include "core/dist/process_group.h"

namespace luth::dist::mpi {
namespace {

constexpr int looks = 16;  // others that a glance looks after, so that large runs spare the store

int to_count(int64_t n) {
  if (n > INT_MAX)
    throw Error(ErrorCode::usage, "{}: {} elements are more than MPI counts ({}): split the tensor", implementation, n,
                INT_MAX);
  return int(n);
}
int count_of(const Tensor& t) { return to_count(t.numel()); }

class Mpi final : public Backend {
 public:
  explicit Mpi(const BackendSetup& setup)
      : Backend(int(setup.ranks.size())),
        rank_(setup.rank),
        ranks_(setup.ranks),
        store_(setup.store),
        world_store_(setup.world_store) {
    make_communicator(setup.timeout);
  }
  ~Mpi() override {
    const Hold hold(lock());
    int ended = 0;
    MPI_Finalized(&ended);
    if (comm_ != MPI_COMM_NULL && !ended && !stuck_) MPI_Comm_free(&comm_);
  }

  void broadcast(const Tensor& t, int root, Milliseconds timeout) override {
    run(t, {}, timeout, MPI_Ibcast, t.raw(), count_of(t), type_of(t), root);
  }
  void all_reduce(const Tensor& t, ReduceOp op, Milliseconds timeout) override {
    run(t, {}, timeout, MPI_Iallreduce, MPI_IN_PLACE, t.raw(), count_of(t), type_of(t), op_of(op));
  }
  void reduce(const Tensor& t, ReduceOp op, int root, Milliseconds timeout) override {
    const void* from = rank_ == root ? MPI_IN_PLACE : t.raw();
    run(t, {}, timeout, MPI_Ireduce, from, t.raw(), count_of(t), type_of(t), op_of(op), root);
  }
  void all_gather(const Tensor& part, const Tensor& all, Milliseconds timeout) override {
    const int n = count_of(part);
    run(all, part, timeout, MPI_Iallgather, part.raw(), n, type_of(part), all.raw(), n, type_of(part));
  }
  void gather(const Tensor& part, const Tensor& all, int root, Milliseconds timeout) override {
    void* to = rank_ == root ? all.raw() : nullptr;
    const int n = count_of(part);
    run(all, part, timeout, MPI_Igather, part.raw(), n, type_of(part), to, n, type_of(part), root);
  }
  void scatter(const Tensor& all, const Tensor& part, int root, Milliseconds timeout) override {
    const void* from = rank_ == root ? all.raw() : nullptr;
    const int n = count_of(part);
    run(part, all, timeout, MPI_Iscatter, from, n, type_of(part), part.raw(), n, type_of(part), root);
  }
  void reduce_scatter(const Tensor& all, const Tensor& part, ReduceOp op, Milliseconds timeout) override {
    run(part, all, timeout, MPI_Ireduce_scatter_block, all.raw(), part.raw(), count_of(part), type_of(part), op_of(op));
  }
  void all_to_all(const Tensor& from, const std::vector<int64_t>& from_counts, const Tensor& to,
                  const std::vector<int64_t>& to_counts, Milliseconds timeout) override {
    const Tensor send = places(from_counts), receive = places(to_counts), told = places(to_counts);
    const int *n_send = send.data<int>(), *n_receive = receive.data<int>();
    const Deadline end = Clock::now() + timeout;
    agree(end);
    call({send, told}, end, MPI_Ialltoall, n_send, 1, MPI_INT, told.data<int>(), 1, MPI_INT, comm_);
    for (int r = 0; r < size(); ++r)
      if (told.data<int>()[r] != n_receive[r])
        throw Error("rank {} gives {} elements, expected {}", ranks_[size_t(r)], told.data<int>()[r], n_receive[r]);
    call({from, to, send, receive}, end, MPI_Ialltoallv, from.raw(), n_send, n_send + size(), type_of(from), to.raw(),
         n_receive, n_receive + size(), type_of(to), comm_);
  }

  void send(const Tensor& t, int to, uint32_t tag, const std::string&, Milliseconds timeout) override {
    call({t}, Clock::now() + timeout, MPI_Isend, t.raw(), count_of(t), type_of(t), to, to_tag(tag), comm_);
  }
  // Looks at the message first: Open MPI may write behind the end of a tensor that is too small.
  int receive(const Tensor& t, int from, uint32_t tag, const std::string&, Milliseconds timeout) override {
    const int source = from < 0 ? MPI_ANY_SOURCE : from, known_tag = to_tag(tag);
    const Deadline end = Clock::now() + timeout;
    MPI_Message message = MPI_MESSAGE_NULL;
    int n = 0;
    check_open();
    const MPI_Status found = ask_until(end, watch(), [&](MPI_Status& status) {
      int here = 0;
      check(MPI_Improbe(source, known_tag, comm_, &here, &message, &status));
      if (here) check(MPI_Get_count(&status, MPI_BYTE, &n));
      return here;
    });
    const int sender = found.MPI_SOURCE;
    if (size_t(n) != t.bytes())
      throw Error(ErrorCode::usage, "recv: the message of rank {} has {} bytes, expected {} for {}",
                  ranks_[size_t(sender)], n, t.bytes(), describe(t));
    call({t}, end, MPI_Imrecv, t.raw(), count_of(t), type_of(t), &message);
    return sender;
  }

  void close() noexcept override {
    closed_ = true;
    try {
      store_->set(closed_key, "");
    } catch (const std::exception&) {}
  }

 private:
  static constexpr const char* closed_key = "mpi/closed";

  // MPI makes a communicator in a call that blocks. So all come to the store first, where a wait has an end.
  void make_communicator(Milliseconds timeout) {
    Fields keys;
    for (int r = 0; r < size(); ++r) keys.push_back("mpi/" + std::to_string(r));
    store_->set(keys[size_t(rank_)], "");
    if (!store_->wait_until(keys, Clock::now() + timeout)) throw Error("not all ranks have come");
    const Hold hold(lock());
    MPI_Group world, group;
    check(MPI_Comm_group(MPI_COMM_WORLD, &world));
    check(MPI_Group_incl(world, size(), ranks_.data(), &group));
    check(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm_));
    MPI_Group_free(&group), MPI_Group_free(&world);
    void* most = nullptr;
    int known = 0;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known));
    if (known) most_tag_ = *static_cast<int*>(most);
  }

  int to_tag(uint32_t tag) const {
    if (tag > uint32_t(most_tag_))
      throw Error(ErrorCode::usage, "tag is {}; {} has tags up to {}", tag, implementation, most_tag_);
    return int(tag);
  }

  // Counts, then the places at which they begin.
  Tensor places(const std::vector<int64_t>& counts) const {
    const Tensor both = Tensor::empty(Shape{2 * size()}, Dtype::i32, host());
    int64_t begin = 0;
    for (int r = 0; r < size(); begin += counts[size_t(r++)])
      both.data<int>()[r] = to_count(counts[size_t(r)]), both.data<int>()[size() + r] = to_count(begin);
    return both;
  }

  // MPI mixes the elements of calls that differ, or writes where it should not. So ranks compare a mark of what they
  // call before: the largest and the smallest are equal.
  void agree(Deadline end) {
    const Tensor both = Tensor::empty(Shape{2}, Dtype::i64, host());
    auto* m = both.data<uint64_t>();
    m[0] = mark(), m[1] = ~mark();
    call({both}, end, MPI_Iallreduce, MPI_IN_PLACE, m, 2, MPI_UINT64_T, MPI_MAX, comm_);
    if (m[0] != mark() || m[1] != ~mark()) throw Error("another rank calls something else");
  }

  // A collective, whose result comes to `to`; `from` is null where it is the same.
  template <class F, class... A>
  void run(const Tensor& to, const Tensor& from, Milliseconds timeout, F f, A... arguments) {
    const Deadline end = Clock::now() + timeout;
    agree(end);
    if ((to ? to : from).numel() > 0) call({to, from}, end, f, arguments..., comm_);
  }

  template <class F, class... A>
  void call(std::vector<Tensor> tensors, Deadline end, F f, A... arguments) {
    check_open();
    try {
      complete(std::move(tensors), end, watch(), f, arguments...);
    } catch (...) {
      stuck_ = true;
      throw;
    }
  }

  void check_open() const {
    if (closed_) throw Error("the group has been closed");
  }

  // Throws where another rank has gone for two looks: what it sent before has had a second to arrive.
  std::function<void()> watch() {
    return [this, next = rank_, gone = std::string()]() mutable {
      if (!gone.empty()) throw Error("{}", gone);
      gone = who_has_gone(next);
    };
  }

  // MPI itself waits for a process that has left or died.
  std::string who_has_gone(int& next) {
    if (closed_ || store_->find(closed_key)) return "the group has been closed";
    for (int i = 0; i < std::min(looks, size()); ++i) {
      next = (next + 1) % size();
      if (next != rank_ && world_store_->find(key_of_end(ranks_[size_t(next)])))
        return fmt::format("rank {} has ended", ranks_[size_t(next)]);
    }
    return "";
  }

  int rank_;
  std::vector<int> ranks_;
  std::shared_ptr<Store> store_, world_store_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int most_tag_ = 32767;
  std::atomic<bool> closed_ = false, stuck_ = false;
};

std::unique_ptr<Backend> make(const BackendSetup& setup) {
  if (!has_started())
    throw Error(ErrorCode::usage, "the backend 'mpi' is for runs that have begun with it: init_process_group('mpi')");
  if (setup.ranks.size() == 1) return make_backend_of_one();
  return std::make_unique<Mpi>(setup);
}

}  // namespace
}  // namespace luth::dist::mpi

extern "C" {
[[gnu::visibility("default")]] extern const int luth_abi;
const int luth_abi = luth::abi_version;
[[gnu::visibility("default")]] void luth_open() {
  luth::dist::add_backend("mpi_" LUTH_MPI, luth::dist::mpi::make, luth::dist::mpi::start);
}
}
