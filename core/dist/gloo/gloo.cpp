// Gloo over TCP, for groups of two and more.
#include <sched.h>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>

#include "core/base/block_signals.h"
#include "core/dist/gloo/meeting.h"
#include "core/dist/process_group.h"
#include "core/op/basics.h"

namespace luth::dist {
namespace {

// Gloo asks luth's store for the addresses of the others.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  explicit GlooStore(dist::Store& store) : store_(store) {}
  void set(const std::string& key, const std::vector<char>& data) override {
    store_.set(key, std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    const std::string value = store_.get(key);
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>& keys) override { store_.wait(keys); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    if (!store_.wait_until(keys, Clock::now() + timeout)) throw Error("not all ranks have come");
  }

 private:
  dist::Store& store_;
};

// "[/build/…/pair.cc:598] Connection closed" without what is in brackets.
std::string plain(const std::string& text) {
  const size_t end = text.starts_with('[') ? text.find("] ") : text.npos;
  return end == text.npos ? text : text.substr(end + 2);
}

template <class F>
void guarded(F&& f) {
  try {
    f();
  } catch (const Error&) { throw; } catch (const std::exception& e) {
    throw Error(ErrorCode::peer, "Gloo: {}", plain(e.what()));
  }
}

// f(p, n): the elements of `t` as numbers of their size, which is all that Gloo looks at.
template <class F>
void with_elements(const Tensor& t, F&& f) {
  const auto n = size_t(t.numel());
  switch (size_of(t.dtype())) {
    case 1: return f(t.data<uint8_t>(), n);
    case 2: return f(t.data<uint16_t>(), n);
    case 4: return f(t.data<uint32_t>(), n);
    default: return f(t.data<uint64_t>(), n);
  }
}

auto reduction(Dtype dtype, ReduceOp op) {
  return [dtype, op](void* out, const void* a, const void* b, size_t n) { reduce_into(out, a, b, n, dtype, op); };
}

// Messages of users, beside the slots of Gloo's collectives (gloo/types.h): the announcement of one, and its elements.
uint64_t message_slot(uint32_t tag, bool elements) { return uint64_t(0x40) << 56 | uint64_t(tag) << 16 | elements; }

// What goes before a message.
struct Announcement {
  int64_t number = 0, elements = 0;  // number: of this rank's messages to the other one, from 1
  int32_t dtype = 0;
  char call[236] = {};  // as the script has called it
};

// ---- What is put into the options of a call ----

auto input(const Tensor& t) {
  return [&t](auto& o) { with_elements(t, [&](auto* p, size_t n) { o.setInput(p, n); }); };
}
auto output(const Tensor& t) {
  return [&t](auto& o) { with_elements(t, [&](auto* p, size_t n) { o.setOutput(p, n); }); };
}
auto rooted(int root) {
  return [root](auto& o) { o.setRoot(root); };
}
auto reducing(const Tensor& t, ReduceOp op) {
  return [f = reduction(t.dtype(), op)](auto& o) { o.setReduceFunction(f); };
}

// Threads that begin within this scope do not interrupt others of their core when they wake.
//
// Gloo's thread asks again and again for a lock that it finds taken. Where a rank has one core, it would interrupt the
// thread that sends and has the lock, and then ask until the system's clock ticks: 4 ms for a message of 0.3 ms.
class WakePatiently {
 public:
  WakePatiently() {
    if (ordinary_) set(SCHED_BATCH);
  }
  ~WakePatiently() {
    if (ordinary_) set(SCHED_OTHER);
  }

 private:
  static void set(int policy) {
    const sched_param none{};
    sched_setscheduler(0, policy, &none);  // a refusal costs speed alone
  }
  const bool ordinary_ = sched_getscheduler(0) == SCHED_OTHER;  // another policy is the user's choice
};

class Gloo final : public Backend {
 public:
  explicit Gloo(const BackendSetup& setup)
      : Backend(int(setup.ranks.size())),
        rank_(setup.rank),
        ranks_(setup.ranks),
        store_(setup.store),
        world_store_(setup.world_store),
        sent_(setup.ranks.size()) {
    const BlockSignals blocked;  // a connection that the other side has closed is an error here, and no SIGPIPE
    guarded([&] {
      gloo::transport::tcp::attr where(setup.own_address.c_str());
      if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"); name && *name) {
        if (!if_nametoindex(name))
          throw Error(ErrorCode::usage, "GLOO_SOCKET_IFNAME is '{}', and this machine has no interface of that name",
                      name);
        where.iface = name, where.hostname = "";
      }
      auto device = [&] {
        const WakePatiently patiently;
        return gloo::transport::tcp::CreateDevice(where);
      }();
      const auto mesh = std::make_shared<Mesh>(rank_, ranks_, setup.timeout, [this](int r) { return is_gone(r); });
      GlooStore store(*setup.store);
      mesh->connect(store, device);
      meeting_.emplace(mesh);
      context_ = mesh;
    });
  }

  void broadcast(const Tensor& t, int root, Milliseconds timeout) override {
    run<gloo::BroadcastOptions>(t, timeout, gloo::broadcast, output(t), rooted(root));
  }
  void all_reduce(const Tensor& t, ReduceOp op, Milliseconds timeout) override {
    if (t.bytes() <= Meeting::most_bytes) return all_reduce_few(t, op, timeout);
    const auto call = [](gloo::AllreduceOptions& o) { gloo::allreduce(o); };
    run<gloo::AllreduceOptions>(t, timeout, call, output(t), reducing(t, op));
  }
  void reduce(const Tensor& t, ReduceOp op, int root, Milliseconds timeout) override {
    run<gloo::ReduceOptions>(t, timeout, gloo::reduce, output(t), reducing(t, op), rooted(root));
  }
  void all_gather(const Tensor& part, const Tensor& all, Milliseconds timeout) override {
    run<gloo::AllgatherOptions>(part, timeout, gloo::allgather, input(part), output(all));
  }
  void gather(const Tensor& part, const Tensor& all, int root, Milliseconds timeout) override {
    const auto at_root = [&](auto& o) {
      if (rank_ == root) output(all)(o);
    };
    run<gloo::GatherOptions>(part, timeout, gloo::gather, input(part), at_root, rooted(root));
  }
  void scatter(const Tensor& all, const Tensor& part, int root, Milliseconds timeout) override {
    const auto at_root = [&](auto& o) {
      if (rank_ != root) return;
      with_elements(all, [&](auto* p, size_t n) {
        std::vector<decltype(p)> parts;
        for (int r = 0; r < size(); ++r) parts.push_back(p + size_t(r) * (n / size_t(size())));
        o.setInputs(parts, n / size_t(size()));
      });
    };
    run<gloo::ScatterOptions>(part, timeout, gloo::scatter, output(part), at_root, rooted(root));
  }
  void all_to_all(const Tensor& from, const std::vector<int64_t>& from_counts, const Tensor& to,
                  const std::vector<int64_t>& to_counts, Milliseconds timeout) override {
    check_counts(from_counts, to_counts, timeout);
    call<gloo::AlltoallvOptions>(timeout, gloo::alltoallv, [&](auto& o) {
      with_elements(from, [&](auto* p, size_t) { o.setInput(p, from_counts); });
      with_elements(to, [&](auto* p, size_t) { o.setOutput(p, to_counts); });
    });
  }

  void send(const Tensor& t, int to, uint32_t tag, const std::string& call, Milliseconds timeout) override {
    guarded([&] {
      Announcement a{++sent_[size_t(to)], t.numel(), int32_t(t.dtype()), {}};
      call.copy(a.call, sizeof a.call - 1);
      const auto first = context_->createUnboundBuffer(&a, sizeof a);
      const auto buffer = context_->createUnboundBuffer(t.raw(), t.bytes());
      first->send(to, message_slot(tag, false));
      if (t.numel()) buffer->send(to, message_slot(tag, true));
      first->waitSend(timeout);
      if (t.numel()) buffer->waitSend(timeout);
    });
  }

  int receive(const Tensor& t, int from, uint32_t tag, const std::string& call, Milliseconds timeout) override {
    int source = from;
    guarded([&] {
      Announcement a;
      const auto first = context_->createUnboundBuffer(&a, sizeof a);
      std::vector<int> others;
      for (int r = 0; r < size(); ++r)
        if (r != rank_) others.push_back(r);
      if (from < 0)
        first->recv(others, message_slot(tag, false));
      else
        first->recv(from, message_slot(tag, false));
      first->waitRecv(&source, timeout);
      check_message(a, source, t, call);
      if (!t.numel()) return;
      const auto buffer = context_->createUnboundBuffer(t.raw(), t.bytes());
      buffer->recv(source, message_slot(tag, true));
      buffer->waitRecv(timeout);
    });
    return source;
  }

  void close() noexcept override {
    const Hurry hurry;
    try {
      if (!aborted_) store_->set(key_of_leaving(rank_), "");
    } catch (const std::exception&) {}
    end();
  }

  void look() override {
    const BlockSignals blocked;
    context_->look();
  }

  // Ranks that wait for this one learn of the failure at once, while the store can still say whose it is.
  void abort(std::exception_ptr) noexcept override {
    aborted_ = true;
    end();
  }

 private:
  void end() noexcept {
    const BlockSignals blocked;
    try {
      if (context_) context_->close();
    } catch (const std::exception&) {}
  }

  // A call of Gloo, whose options are what `fill` puts into them.
  template <class Options, class Call, class... Fill>
  void call(Milliseconds timeout, Call&& call, Fill&&... fill) {
    Options o(context_);
    (fill(o), ...);
    o.setTimeout(timeout);
    guarded([&] { call(o); });
  }

  // The same after a meeting of all ranks, where there is something to send.
  template <class Options, class... A>
  void run(const Tensor& t, Milliseconds timeout, A&&... arguments) {
    const Deadline end = Clock::now() + timeout;
    meet(timeout);
    const auto left = std::max(std::chrono::ceil<Milliseconds>(end - Clock::now()), Milliseconds(1));
    if (t.numel()) call<Options>(left, std::forward<A>(arguments)...);
  }
  void meet(Milliseconds timeout, const void* bytes = nullptr, size_t n = 0) {
    guarded([&] { meeting_->meet(mark(), bytes, n, timeout); });
  }

  void all_reduce_few(const Tensor& t, ReduceOp op, Milliseconds timeout) {
    if (!t.numel()) return meet(timeout);
    meet(timeout, t.raw(), t.bytes());
    std::memcpy(t.raw(), meeting_->bytes_of(0), t.bytes());
    for (int r = 1; r < size(); ++r)
      reduce_into(t.raw(), t.raw(), meeting_->bytes_of(r), size_t(t.numel()), t.dtype(), op);
  }

  [[noreturn]] void differ(const std::string& difference) const {
    throw Error(ErrorCode::peer, "{}", settle_difference(*store_, difference));
  }

  // Whether every rank gives what the others expect.
  void check_counts(std::vector<int64_t> given, const std::vector<int64_t>& expected, Milliseconds timeout) {
    std::vector<int64_t> told(given.size());
    meet(timeout);
    call<gloo::AlltoallOptions>(timeout, gloo::alltoall, [&](auto& o) {
      o.setInput(given.data(), given.size());
      o.setOutput(told.data(), told.size());
    });
    for (size_t r = 0; r < told.size(); ++r)
      if (told[r] != expected[r])
        differ(fmt::format("rank {} gives {} elements to rank {}, which expects {}", ranks_[r], told[r],
                           ranks_[size_t(rank_)], expected[r]));
  }

  void check_message(const Announcement& a, int source, const Tensor& t, const std::string& call) const {
    if (a.elements == t.numel() && a.dtype == int32_t(t.dtype())) return;
    const int from = ranks_[size_t(source)], to = ranks_[size_t(rank_)];
    differ(fmt::format("message {} from rank {} to rank {} differs: rank {} calls {}, and rank {} calls {}", a.number,
                       from, to, from, a.call, to, call));
  }

  static std::string key_of_leaving(int r) { return "left/" + std::to_string(r); }

  // Whether it has left this group or the run as it should.
  bool is_gone(int r) const {
    const Hurry hurry;
    try {
      return store_->find(key_of_leaving(r)) || world_store_->find(key_of_end(ranks_[size_t(r)])) == has_left;
    } catch (const Error&) { return false; }
  }

  int rank_;
  std::vector<int> ranks_;
  std::shared_ptr<dist::Store> store_, world_store_;
  std::vector<std::atomic<int64_t>> sent_;  // messages to each rank
  std::shared_ptr<Mesh> context_;
  std::optional<Meeting> meeting_;
  std::atomic<bool> aborted_ = false;
};

// Gloo's own thread throws where its rules are broken, as by a message that is larger than the memory that waits for
// it. Nobody can catch that: the process ends, but says why.
std::terminate_handler terminate_before = nullptr;

[[noreturn]] void end_with_reason() {
  try {
    if (const auto e = std::current_exception()) std::rethrow_exception(e);
  } catch (const gloo::EnforceNotMet& e) {
    fprintf(stderr, "luth: %s\n", explain_pending("Gloo: " + plain(e.what())).c_str());
    _exit(int(ErrorCode::peer));
  } catch (...) {}
  if (terminate_before) terminate_before();
  std::abort();
}

std::unique_ptr<Backend> make(const BackendSetup& setup) { return std::make_unique<Gloo>(setup); }

}  // namespace
}  // namespace luth::dist

extern "C" {
[[gnu::visibility("default")]] extern const int luth_abi;
const int luth_abi = luth::abi_version;
[[gnu::visibility("default")]] void luth_open() {
  luth::dist::terminate_before = std::set_terminate(luth::dist::end_with_reason);
  luth::dist::add_backend("gloo", luth::dist::make);
}
}
