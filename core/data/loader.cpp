#include "core/data/loader.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "core/autograd/autograd.h"
#include "core/base/interrupt.h"
#include "core/base/warn.h"
#include "core/data/workers.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/pin.h"

namespace luth::data {
namespace {

struct Read : Batch {
  std::exception_ptr error;
};

/// How batches are wanted.
struct Wanted {
  bool collated = true;
  Ref<Skipped> skipped;          // where samples that cannot be read are noted; null: they are errors
  Device* pinned_for = nullptr;  // whose pinned memory holds the tensors of a batch; null: ordinary memory
};

// The samples that can be read, and why the others cannot.
std::vector<Sample> readable(Dataset& dataset, const std::vector<int64_t>& indices, const Epoch& epoch,
                             std::vector<std::string>& left_out) {
  std::vector<Sample> samples;
  for (int64_t i : indices) {
    try {
      samples.push_back(dataset.sample(i, epoch));
    } catch (const Error& e) {
      if (e.code() != ErrorCode::runtime && e.code() != ErrorCode::checkpoint) throw;
      left_out.emplace_back(e.what());
    }
  }
  return samples;
}

Read made(Dataset& dataset, const std::vector<int64_t>& indices, const Epoch& epoch, const Wanted& wanted) {
  NoGrad no_grad;
  Read b;
  if (wanted.collated && dataset.makes_batches()) {
    b.tensors = dataset.batch(indices, epoch);
  } else {
    b.samples = wanted.skipped ? readable(dataset, indices, epoch, b.left_out) : dataset.samples(indices, epoch);
    if (b.samples.empty() && !b.left_out.empty()) return b;
    const bool plain = std::all_of(b.samples.begin(), b.samples.end(), [](auto& s) { return s.is_plain(); });
    if (wanted.collated && plain) b.tensors = collate(std::exchange(b.samples, {}));
  }
  if (wanted.pinned_for)
    for (auto& t : b.tensors)
      if (t && t.device().on_host()) t = pin_memory(t, *wanted.pinned_for);
  return b;
}

Read read(Dataset& dataset, const std::vector<int64_t>& indices, const Epoch& epoch, const Wanted& wanted) {
  try {
    return made(dataset, indices, epoch, wanted);
  } catch (const std::exception&) {
    Read failed;
    failed.error = std::current_exception();
    return failed;
  }
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
  std::optional<Batch> next() override {
    try {
      while (at_ < batches_.size()) {
        Read b = fetch(at_++);
        if (b.error) std::rethrow_exception(b.error);
        for (auto& why : b.left_out) wanted_.skipped->add(why);
        if (b.left_out.empty() || !b.tensors.empty() || !b.samples.empty()) return b;
        poll_interrupt();
      }
      return end(), std::nullopt;
    } catch (const Error& e) {
      if (e.code() == ErrorCode::interrupted || e.code() == ErrorCode::terminated) throw;
      throw Error(e.code(), "{}: {}", where(), e.what());
    }
  }

  int64_t position() const override { return int64_t(at_); }
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
  virtual Read fetch(size_t number) = 0;
  DatasetRef dataset_;
  const Epoch epoch_;
  const Batches batches_;
  size_t at_;
  const Wanted wanted_;

 private:
  // Says once what was left out in this pass.
  void end() {
    const int64_t n = wanted_.skipped ? wanted_.skipped->count() - skipped_before_ : 0;
    if (n > 0)
      warn(fmt::format("DataLoader: {} sample{} could not be read and {} left out; the first of all: {}", n,
                       n == 1 ? "" : "s", n == 1 ? "was" : "were", wanted_.skipped->reasons().front()));
    skipped_before_ += n;
  }
  static constexpr size_t most_shown = 16;
  int64_t skipped_before_ = wanted_.skipped ? wanted_.skipped->count() : 0;
};

class DirectPass final : public Sequence {
 public:
  using Sequence::Sequence;

 private:
  // Outside of read's try: a dataset written in Lua throws Lua's own errors, which must pass untouched.
  Read fetch(size_t number) override { return made(*dataset_, batches_[number], epoch_, wanted_); }
};

/// Workers make batches, each the next one that nobody makes. A batch waits in `done_` until its turn. At most `ahead`
/// batches wait or are made. A worker needs no memory to hand one over, so that lack of it is an error of a batch.
class ThreadedPass final : public Sequence {
 public:
  ThreadedPass(DatasetRef dataset, Epoch epoch, Batches batches, int64_t from, Wanted wanted, int64_t workers,
               int64_t ahead)
      : Sequence(std::move(dataset), epoch, std::move(batches), from, wanted),
        done_(size_t(ahead)),
        taken_(size_t(from)),
        claimed_(size_t(from)),
        workers_(ready_workers(int(workers))) {
    if (workers_ < workers)
      warn(fmt::format(
          "DataLoader: only {} of {} workers can run here (`ulimit -u`, `ulimit -v` or a control group); {}", workers_,
          workers, workers_ ? "they do the others' work" : "the main thread reads the batches itself"));
    std::lock_guard hold(lock_);
    feed();
  }
  ~ThreadedPass() override {
    std::unique_lock hold(lock_);
    stop_ = true;
    changed_.wait(hold, [&] { return working_ == 0; });
  }

 private:
  bool room() const { return !stop_ && claimed_ < batches_.size() && claimed_ < taken_ + done_.size(); }
  // Has a worker for each batch for which there is room. lock_ is held.
  void feed() {
    while (working_ < workers_ && room() && run_on_worker([this, number = claimed_] { work(number); }))
      ++claimed_, ++working_;
  }
  void work(size_t number) {
    for (bool more = true; more;) {
      Read b = read(*dataset_, batches_[number], epoch_, wanted_);
      std::lock_guard hold(lock_);
      place(number) = std::move(b);
      more = room();
      more ? void(number = claimed_++) : void(--working_);
      changed_.notify_one();  // with the lock: the pass may end at once
    }
  }
  Read fetch(size_t number) override {
    std::unique_lock hold(lock_);
    feed();
    if (number == claimed_)
      return ++claimed_, ++taken_, read(*dataset_, batches_[number], epoch_, wanted_);  // no worker
    while (!changed_.wait_for(hold, std::chrono::milliseconds(50), [&] { return place(number).has_value(); }))
      poll_interrupt();
    Read b = *std::exchange(place(number), std::nullopt);
    taken_ = number + 1;
    feed();
    return b;
  }

  std::optional<Read>& place(size_t number) { return done_[number % done_.size()]; }

  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::optional<Read>> done_;
  size_t taken_, claimed_;
  int64_t working_ = 0;
  const int64_t workers_;
  bool stop_ = false;
};

}  // namespace

Pass::~Pass() = default;

void Skipped::add(const std::string& why) {
  constexpr size_t most = 1000;
  ++samples_;
  if (reasons_.size() < most && std::find(reasons_.begin(), reasons_.end(), why) == reasons_.end())
    reasons_.push_back(why);
}

Loader::Loader(DatasetRef dataset, LoaderSpec spec) : dataset_(std::move(dataset)), spec_(spec) {
  auto at_least = [](const char* what, int64_t v, int64_t least) {
    if (v < least) throw Error("DataLoader: {} must be at least {}, got {}", what, least, v);
  };
  at_least("batch_size", spec.batch_size, 1);
  at_least("num_workers", spec.num_workers, 0);
  at_least("prefetch_factor", spec.prefetch_factor, 1);
  at_least("num_replicas", spec.num_replicas, 1);
  at_least("rank", spec.rank, 0);
  if (spec.rank >= spec.num_replicas)
    throw Error("DataLoader: rank is {}, expected 0 to {}", spec.rank, spec.num_replicas - 1);
  if (spec.on_error != "stop" && spec.on_error != "skip")
    throw Error("DataLoader: on_error is 'stop' or 'skip', got '{}'", spec.on_error);
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
    samples = dataset_->order(epoch);
  else
    for (samples.reserve(size_t(n)); int64_t(samples.size()) < n;) samples.push_back(int64_t(samples.size()));
  Batches out;
  const int64_t count = batches(), size = std::min(spec_.batch_size, n);
  for (int64_t k = 0; k < count; ++k)
    out.emplace_back(samples.begin() + k * size, samples.begin() + std::min((k + 1) * size, n));
  return out;
}

void Loader::keep_share(Batches& all) const {
  const size_t n = size_t(spec_.num_replicas);
  for (auto& b : all) {
    if (b.size() < 2 * n) continue;
    std::vector<int64_t> own;
    for (size_t i = size_t(spec_.rank); i < b.size(); i += n) own.push_back(b[i]);
    b = std::move(own);
  }
}

Ref<Pass> Loader::start(int64_t from, bool collated, const Batches* given) {
  Epoch epoch{seed_, epoch_++};
  Batches all = given ? *given : order(epoch);
  for (auto& b : all)
    for (int64_t i : b)
      if (i < 0 || i >= dataset_->size())
        throw Error("a sampler gave sample {}; the dataset has {} (counted from {})", i + dataset_->base,
                    dataset_->size(), dataset_->base);
  if (spec_.num_replicas > 1) keep_share(all);
  const Wanted wanted{collated, spec_.on_error == "skip" ? skipped_ : Ref<Skipped>(),
                      spec_.pin_memory ? gpu() : nullptr};
  if (!on_workers()) return Ref<Pass>(new DirectPass(dataset_, epoch, std::move(all), from, wanted));
  const int64_t ahead = std::min(spec_.prefetch_factor, int64_t(all.size()) + 1);  // of each worker
  return Ref<Pass>(
      new ThreadedPass(dataset_, epoch, std::move(all), from, wanted, spec_.num_workers, spec_.num_workers * ahead));
}

}  // namespace luth::data
