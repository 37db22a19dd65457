// Gloo over TCP, for groups of two and more.
#include <sched.h>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <numeric>
#include <set>

#include "core/base/block_signals.h"
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

// Messages of users, beside the slots of Gloo's collectives (gloo/types.h).
uint64_t message_slot(uint32_t tag) { return uint64_t(0x40) << 56 | uint64_t(tag) << 16; }

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
  explicit Gloo(const BackendSetup& setup) : Backend(int(setup.ranks.size())), rank_(setup.rank) {
    const BlockSignals blocked;  // a connection that the other side has closed is an error here, and no SIGPIPE
    guarded([&] {
      gloo::transport::tcp::attr where(setup.own_address.c_str());
      if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"); name && *name) where.iface = name, where.hostname = "";
      auto device = [&] {
        const WakePatiently patiently;
        return gloo::transport::tcp::CreateDevice(where);
      }();
      auto context = std::make_shared<gloo::rendezvous::Context>(rank_, size());
      context->setTimeout(setup.timeout);
      GlooStore store(*setup.store);
      context->connectFullMesh(store, device);
      context_ = context;
    });
  }

  void broadcast(const Tensor& t, int root, Milliseconds timeout) override {
    if (!idle(t)) run<gloo::BroadcastOptions>(timeout, gloo::broadcast, output(t), rooted(root));
  }
  void all_reduce(const Tensor& t, ReduceOp op, Milliseconds timeout) override {
    const auto call = [](gloo::AllreduceOptions& o) { gloo::allreduce(o); };
    if (!idle(t)) run<gloo::AllreduceOptions>(timeout, call, output(t), reducing(t, op));
  }
  void reduce(const Tensor& t, ReduceOp op, int root, Milliseconds timeout) override {
    if (!idle(t)) run<gloo::ReduceOptions>(timeout, gloo::reduce, output(t), reducing(t, op), rooted(root));
  }
  void all_gather(const Tensor& part, const Tensor& all, Milliseconds timeout) override {
    if (!idle(part)) run<gloo::AllgatherOptions>(timeout, gloo::allgather, input(part), output(all));
  }
  void gather(const Tensor& part, const Tensor& all, int root, Milliseconds timeout) override {
    const auto at_root = [&](auto& o) {
      if (rank_ == root) output(all)(o);
    };
    if (!idle(part)) run<gloo::GatherOptions>(timeout, gloo::gather, input(part), at_root, rooted(root));
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
    if (!idle(part)) run<gloo::ScatterOptions>(timeout, gloo::scatter, output(part), at_root, rooted(root));
  }
  void all_to_all(const Tensor& from, const std::vector<int64_t>& from_counts, const Tensor& to,
                  const std::vector<int64_t>& to_counts, Milliseconds timeout) override {
    run<gloo::AlltoallvOptions>(timeout, gloo::alltoallv, [&](auto& o) {
      with_elements(from, [&](auto* p, size_t) { o.setInput(p, from_counts); });
      with_elements(to, [&](auto* p, size_t) { o.setOutput(p, to_counts); });
    });
  }

  void send(const Tensor& t, int to, uint32_t tag, Milliseconds timeout) override {
    with_buffer(t, [&](auto& buffer) {
      buffer.send(to, message_slot(tag));
      if (!buffer.waitSend(timeout)) throw Error("the message was not sent");
    });
  }

  int receive(const Tensor& t, int from, uint32_t tag, Milliseconds timeout) override {
    int source = from;
    with_buffer(t, [&](auto& buffer) {
      if (from >= 0) {
        buffer.recv(from, message_slot(tag));
      } else {
        std::vector<int> others;
        for (int r = 0; r < size(); ++r)
          if (r != rank_) others.push_back(r);
        buffer.recv(others, message_slot(tag));
      }
      if (!buffer.waitRecv(&source, timeout)) throw Error("no message came");
    });
    return source;
  }

  void close() noexcept override {
    const BlockSignals blocked;
    try {
      const std::lock_guard lock(mutex_);
      for (auto* b : waiting_) b->abortWaitSend(), b->abortWaitRecv();
      if (context_) context_->closeConnections();
    } catch (const std::exception&) {}
  }

  // Ranks that wait for this one learn of the failure at once, while the store can still say whose it is.
  void abort(std::exception_ptr) noexcept override { close(); }

 private:
  // Nothing is to be sent.
  static bool idle(const Tensor& t) { return t.numel() == 0; }

  // A call of Gloo, whose options are what `fill` puts into them.
  template <class Options, class Call, class... Fill>
  void run(Milliseconds timeout, Call&& call, Fill&&... fill) {
    Options o(context_);
    (fill(o), ...);
    o.setTimeout(timeout);
    guarded([&] { call(o); });
  }

  // A message on its way, which close() ends.
  using Buffer = gloo::transport::UnboundBuffer;
  struct Message {
    Message(Gloo& g, std::unique_ptr<Buffer> b) : gloo(g), buffer(std::move(b)) {
      const std::lock_guard lock(gloo.mutex_);
      gloo.waiting_.insert(buffer.get());
    }
    ~Message() {
      const std::lock_guard lock(gloo.mutex_);
      gloo.waiting_.erase(buffer.get());
    }
    Gloo& gloo;
    std::unique_ptr<Buffer> buffer;
  };
  template <class F>
  void with_buffer(const Tensor& t, F&& f) {
    guarded([&] {
      const Message m(*this, context_->createUnboundBuffer(t.raw(), t.bytes()));
      f(*m.buffer);
    });
  }

  int rank_;
  std::shared_ptr<gloo::Context> context_;
  std::mutex mutex_;
  std::set<Buffer*> waiting_;
};

// Gloo's own thread throws where a message is larger than the memory that waits for it, because ranks have called
// different things. Nobody can catch that: the process ends, but says why.
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
