// DataLoader: batches of a dataset, read ahead on threads. Their order and contents are a function of (seed, epoch),
// never of the number of workers.
#pragma once
#include <optional>
#include <string>

#include "core/data/dataset.h"

namespace luth::data {

struct LoaderSpec {
  int64_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;
  int64_t num_workers = 0;
  int64_t prefetch_factor = 2;
  bool pin_memory = false;
  std::optional<int64_t> seed;
  std::string on_error = "stop";
  int64_t num_replicas = 1, rank = 0;
  void describe(auto& field) {
    field("batch_size", batch_size, "samples in a batch");
    field("shuffle", shuffle, "another order in every epoch");
    field("drop_last", drop_last, "leave out a last batch that is smaller");
    field("num_workers", num_workers, "threads that read ahead; 0 reads on the calling thread");
    field("prefetch_factor", prefetch_factor, "batches that each worker reads ahead");
    field("pin_memory", pin_memory, "keep batches where a GPU copies them without waiting; without a GPU, nothing");
    field("seed", seed, "of order and augmentation; nil: from torch.manual_seed");
    field("on_error", on_error, "'stop': a sample that cannot be read ends the pass; 'skip': it is left out");
    field("num_replicas", num_replicas, "ranks that share each batch: batch_size is of all of them together");
    field("rank", rank, "which of them reads, from 0: samples rank + 1, rank + 1 + num_replicas, … of each batch");
  }
};

using Batches = std::vector<std::vector<int64_t>>;

/// The samples that could not be read and were left out.
class Skipped final : public Counted {
 public:
  void add(const std::string& why);
  int64_t count() const { return samples_; }
  /// Why, of the first 1,000, each once.
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  int64_t samples_ = 0;
  std::vector<std::string> reasons_;
};

/// A batch: `tensors`, or, where the pass does not collate or a sample has other values, the samples.
struct Batch {
  Tensors tensors;
  std::vector<Sample> samples;
  std::vector<std::string> left_out;  // why samples of it could not be read
};

/// One pass over the data.
class Pass : public Counted {
 public:
  virtual ~Pass();
  /// The next batch that has a sample, or nothing at the end. Throws what the dataset threw for a sample of it.
  virtual std::optional<Batch> next() = 0;
  /// The batches of the epoch up to here, with those that were left out because none of their samples can be read.
  virtual int64_t position() const = 0;
  /// "batch 3 (samples 7, 2)": the last batch that was asked for, counted from 1 and as the dataset counts.
  virtual std::string where() const = 0;
};

class Loader : public Counted {
 public:
  /// Throws for settings that make no sense.
  Loader(DatasetRef dataset, LoaderSpec spec);
  const DatasetRef& dataset() const { return dataset_; }
  const LoaderSpec& spec() const { return spec_; }
  /// Batches of an epoch.
  int64_t batches() const;
  /// The epoch that the next pass reads; a pass moves it on by one.
  int64_t epoch() const { return epoch_; }
  void set_epoch(int64_t epoch) { epoch_ = epoch; }
  int64_t seed() const { return seed_; }
  /// With on_error = 'skip', of the batches that all passes have given.
  const Skipped& skipped() const { return *skipped_; }
  /// Whether workers load batches: there are some, and the dataset may be read on any thread.
  bool on_workers() const { return spec_.num_workers > 0 && dataset_->any_thread(); }
  void set_seed(int64_t seed) { seed_ = seed; }

  /// Starts a pass at batch `from` (a resumed run begins inside an epoch); collated or as samples. `given` replaces the
  /// loader's own order by these batches. A batch of fewer than two samples a rank is whole on all: all ranks have as
  /// many batches, and none has a single sample, of which BatchNorm takes no statistics.
  Ref<Pass> start(int64_t from = 0, bool collated = true, const Batches* given = nullptr);

 private:
  Batches order(const Epoch& epoch) const;
  void keep_share(Batches& all) const;
  DatasetRef dataset_;
  LoaderSpec spec_;
  int64_t epoch_ = 0, seed_ = 0;
  Ref<Skipped> skipped_{new Skipped};
};

}  // namespace luth::data
