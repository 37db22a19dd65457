#include "core/data/loader.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "core/autograd/autograd.h"
#include "core/base/block_signals.h"
#include "core/base/threads.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/pin.h"

namespace luth::data {
namespace {

struct Batch {
  Tensors tensors;
  std::vector<Sample> samples;
  std::exception_ptr error;
};

/// How batches are wanted.
struct Wanted {
  bool collated = true;
  Device* pinned_for = nullptr;  // whose pinned memory holds the tensors of a batch; null: ordinary memory
};

Batch made(Dataset& dataset, const std::vector<int64_t>& indices, const Epoch& epoch, const Wanted& wanted) {
  NoGrad no_grad;
  Batch b;
  if (wanted.collated)
    b.tensors = dataset.batch(indices, epoch);
  else
    b.samples = dataset.samples(indices, epoch);
  if (wanted.pinned_for)
    for (auto& t : b.tensors)
      if (t && t.device().on_host()) t = pin_memory(t, *wanted.pinned_for);
  return b;
}

Batch read(Dataset& dataset, const std::vector<int64_t>& indices, const Epoch& epoch, const Wanted& wanted) {
  try {
    return made(dataset, indices, epoch, wanted);
  } catch (const std::exception&) { return {{}, {}, std::current_exception()}; }
}

// The GPU to pin memory for; without one nothing is pinned.
Device* gpu() {
  try {
    return &device("cuda");
  } catch (const Error&) { return nullptr; }
}

/// What all passes share: the batches in order.
class Sequence : public Pass {
 public:
  Sequence(DatasetRef dataset, Epoch epoch, Batches batches, int64_t from, Wanted wanted)
      : dataset_(std::move(dataset)), epoch_(epoch), batches_(std::move(batches)), at_(size_t(from)), wanted_(wanted) {}
  std::optional<Tensors> next() override {
    std::optional<Batch> b = take();
    if (!b) return {};
    return std::move(b->tensors);
  }
  std::optional<std::vector<Sample>> next_samples() override {
    std::optional<Batch> b = take();
    if (!b) return {};
    return std::move(b->samples);
  }

  std::string where() const override {
    if (at_ == 0) return "no batch";
    const auto& samples = batches_[at_ - 1];
    std::string s;
    for (size_t i = 0; i < samples.size() && i < most_shown; ++i)
      s += (i ? ", " : "") + std::to_string(samples[i] + dataset_->base);
    if (samples.size() > most_shown) s += fmt::format(", … {} in all", samples.size());
    return fmt::format("batch {} (sample{} {})", at_, samples.size() == 1 ? "" : "s", s);
  }

 protected:
  virtual Batch fetch(size_t number) = 0;
  DatasetRef dataset_;
  const Epoch epoch_;
  const Batches batches_;
  size_t at_;
  const Wanted wanted_;

 private:
  std::optional<Batch> take() {
    if (at_ >= batches_.size()) return {};
    try {
      Batch b = fetch(at_++);
      if (b.error) std::rethrow_exception(b.error);
      return b;
    } catch (const Error& e) {
      if (e.code() == ErrorCode::interrupted || e.code() == ErrorCode::terminated) throw;
      throw Error(e.code(), "{}: {}", where(), e.what());
    }
  }
  static constexpr size_t most_shown = 16;
};

class DirectPass final : public Sequence {
 public:
  using Sequence::Sequence;

 private:
  // Outside of read's try: a dataset written in Lua throws Lua's own errors, which must pass untouched.
  Batch fetch(size_t number) override { return made(*dataset_, batches_[number], epoch_, wanted_); }
};

/// Workers take the next batch number; a batch waits in `done_` until its turn. At most `ahead` batches wait or are
/// made.
class ThreadedPass final : public Sequence {
 public:
  ThreadedPass(DatasetRef dataset, Epoch epoch, Batches batches, int64_t from, Wanted wanted, int64_t workers,
               int64_t ahead)
      : Sequence(std::move(dataset), epoch, std::move(batches), from, wanted),
        claimed_(size_t(from)),
        ahead_(size_t(ahead)) {
    BlockSignals meanwhile;
    try {
      for (int64_t i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::exception& e) {
      stop();
      throw Error("cannot start worker {} of {}: {}; use a smaller num_workers", workers_.size() + 1, workers,
                  e.what());
    }
  }
  ~ThreadedPass() override { stop(); }

 private:
  void stop() {
    {
      std::lock_guard hold(lock_);
      stop_ = true;
    }
    room_.notify_all();
    for (auto& w : workers_) w.join();
  }
  void work() {
    SerialScope serial;
    for (;;) {
      size_t mine;
      {
        std::unique_lock hold(lock_);
        room_.wait(hold, [&] { return stop_ || claimed_ >= batches_.size() || claimed_ < taken_ + ahead_; });
        if (stop_ || claimed_ >= batches_.size()) return;
        mine = claimed_++;
      }
      Batch b = read(*dataset_, batches_[mine], epoch_, wanted_);
      {
        std::lock_guard hold(lock_);
        done_.emplace(mine, std::move(b));
      }
      ready_.notify_one();
    }
  }
  Batch fetch(size_t number) override {
    std::unique_lock hold(lock_);
    taken_ = number;
    room_.notify_all();
    ready_.wait(hold, [&] { return done_.count(number) > 0; });
    Batch b = std::move(done_.at(number));
    done_.erase(number);
    taken_ = number + 1;
    room_.notify_all();
    return b;
  }

  std::mutex lock_;
  std::condition_variable room_, ready_;
  std::map<size_t, Batch> done_;
  size_t claimed_, taken_ = 0;
  const size_t ahead_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

Pass::~Pass() = default;

Loader::Loader(DatasetRef dataset, LoaderSpec spec) : dataset_(std::move(dataset)), spec_(spec) {
  auto at_least = [](const char* what, int64_t v, int64_t least) {
    if (v < least) throw Error("DataLoader: {} must be at least {}, got {}", what, least, v);
  };
  at_least("batch_size", spec.batch_size, 1);
  at_least("num_workers", spec.num_workers, 0);
  at_least("prefetch_factor", spec.prefetch_factor, 1);
  if (spec.num_workers > 1024) throw Error("DataLoader: num_workers is {}, at most 1024 make sense", spec.num_workers);
  seed_ = spec.seed ? *spec.seed : default_generator(host()).seed();
}

int64_t Loader::batches() const {
  int64_t n = dataset_->size(), b = spec_.batch_size;
  return spec_.drop_last ? n / b : n / b + (n % b != 0);
}

Batches Loader::order(const Epoch& epoch) const {
  int64_t n = dataset_->size();
  std::vector<int64_t> samples;
  if (spec_.shuffle)
    samples = shuffled(n, epoch);
  else
    for (int64_t i = 0; i < n; ++i) samples.push_back(i);
  Batches out;
  const int64_t count = batches(), size = std::min(spec_.batch_size, n);
  for (int64_t k = 0; k < count; ++k)
    out.emplace_back(samples.begin() + k * size, samples.begin() + std::min((k + 1) * size, n));
  return out;
}

Ref<Pass> Loader::start(int64_t from, bool collated, const Batches* given) {
  Epoch epoch{seed_, epoch_++};
  Batches all = given ? *given : order(epoch);
  for (auto& b : all)
    for (int64_t i : b)
      if (i < 0 || i >= dataset_->size())
        throw Error("a sampler gave sample {}; the dataset has {} (counted from {})", i + dataset_->base,
                    dataset_->size(), dataset_->base);
  const Wanted wanted{collated, spec_.pin_memory ? gpu() : nullptr};
  if (spec_.num_workers == 0 || !dataset_->any_thread())
    return Ref<Pass>(new DirectPass(dataset_, epoch, std::move(all), from, wanted));
  const int64_t ahead = std::min(spec_.prefetch_factor, int64_t(all.size()) + 1);  // of each worker
  return Ref<Pass>(
      new ThreadedPass(dataset_, epoch, std::move(all), from, wanted, spec_.num_workers, spec_.num_workers * ahead));
}

}  // namespace luth::data
