#include "core/dist/alone.h"

#include <condition_variable>
#include <cstring>
#include <mutex>

#include "core/base/interrupt.h"

namespace luth::dist {
namespace {

constexpr Milliseconds glance{100};  // of a wait at Ctrl-C

class OwnStore final : public Store {
 public:
  using Store::Store;
  Fields ask(const Fields& request) override {
    encode(request);  // refuses what other stores refuse
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return table_.obey(request).value_or(Fields{});
  }
  bool wait_until(const Fields& keys, Deadline deadline) override {
    std::unique_lock lock(mutex_);
    while (!table_.has_all(keys)) {
      if (Clock::now() >= deadline) return false;
      changed_.wait_until(lock, std::min(deadline, Clock::now() + glance));
      lock.unlock();
      poll_interrupt();
      lock.lock();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Table table_;
};

void copy(const Tensor& to, const Tensor& from) {
  if (from.bytes() && to.raw() != from.raw()) std::memcpy(to.raw(), from.raw(), from.bytes());
}

class One final : public Backend {
 public:
  One() : Backend(1) {}
  void broadcast(const Tensor&, int, Milliseconds) override {}
  void all_reduce(const Tensor&, ReduceOp, Milliseconds) override {}
  void reduce(const Tensor&, ReduceOp, int, Milliseconds) override {}
  void all_gather(const Tensor& part, const Tensor& all, Milliseconds) override { copy(all, part); }
  void gather(const Tensor& part, const Tensor& all, int, Milliseconds) override { copy(all, part); }
  void scatter(const Tensor& all, const Tensor& part, int, Milliseconds) override { copy(part, all); }
  void reduce_scatter(const Tensor& all, const Tensor& part, ReduceOp, Milliseconds) override { copy(part, all); }
  void all_to_all(const Tensor& from, const std::vector<int64_t>&, const Tensor& to, const std::vector<int64_t>&,
                  Milliseconds) override {
    copy(to, from);
  }
  void send(const Tensor&, int, uint32_t, const std::string&, Milliseconds) override { nobody(); }
  int receive(const Tensor&, int, uint32_t, const std::string&, Milliseconds) override { nobody(); }
  void close() noexcept override {}

 private:
  [[noreturn]] static void nobody() { throw Error("the group has no other rank"); }
};

}  // namespace

std::shared_ptr<Store> make_own_store(Milliseconds timeout) { return std::make_shared<OwnStore>(timeout); }
std::unique_ptr<Backend> make_backend_of_one() { return std::make_unique<One>(); }

}  // namespace luth::dist
