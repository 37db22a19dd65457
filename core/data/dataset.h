// Datasets: numbered samples, each of one or more values.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/op/op.h"

namespace luth::data {

/// A value of a sample that is neither tensor nor number. The language knows its own kinds besides Text.
class OtherValue : public Counted {
 public:
  virtual ~OtherValue();
};
using OtherRef = Ref<OtherValue>;
class Text final : public OtherValue {
 public:
  enum class Kind { plain, json };
  explicit Text(std::string b, Kind k = Kind::plain) : bytes(std::move(b)), kind(k) {}
  const std::string bytes;
  const Kind kind;
};

/// What one sample holds: tensors and numbers, an image and its label for instance. Where `others` has a value, the
/// list of tensors and numbers has an empty one.
struct Sample : Inputs {
  using Inputs::Inputs;
  std::vector<OtherRef> others;  // by position; empty, or shorter than the sample, where the rest are null
  void push_other(OtherRef other);
  /// Null where value k is a tensor or a number.
  const OtherValue* other(size_t k) const { return k < others.size() ? others[k].get() : nullptr; }
  bool is_plain() const { return others.empty(); }
};
/// Whatever is random in a sample is a function of this and of the sample's number, never of workers or of order.
struct Epoch {
  int64_t seed = 0, number = 0;  // numbers count from 0
};

/// What was learned of a column of a table, or of the labels of images.
struct ColumnFit {
  std::string name;
  bool is_category = false;
  double mean = 0, std = 1;             // of numbers; the deviation divides by n
  std::vector<std::string> categories;  // in the order of their codes
};
struct Fit {
  std::vector<ColumnFit> features, targets;
  bool scales = true;  // features have their means and deviations
  /// Whether samples are read alike by both.
  bool is_like(const Fit& other) const;
};

class Dataset : public Counted {
 public:
  virtual ~Dataset();
  /// "mnist", for messages.
  virtual std::string name() const = 0;
  virtual int64_t size() const = 0;
  /// Sample i, 0 <= i < size(). Called from several threads at once where any_thread() is true.
  virtual Sample get(int64_t i, const Epoch& epoch) = 0;
  /// The samples collated, a tensor for each value. Overridden where whole batches are quicker.
  virtual Tensors batch(std::span<const int64_t> indices, const Epoch& epoch);
  /// All samples in the order of an epoch that is shuffled.
  virtual std::vector<int64_t> order(const Epoch& epoch);
  /// False where get must run on the thread that owns the dataset (one written in Lua).
  virtual bool any_thread() const { return true; }
  /// True where `batch` is overridden: loaders then need no samples of their own.
  virtual bool makes_batches() const { return false; }
  /// The test data that a built-in dataset brings; null for others, and for the test data themselves.
  virtual Ref<Dataset> test_part() const;
  /// What was learned of the data, on which samples depend; null for datasets that learn nothing. That of a part is
  /// that of the whole.
  virtual const Fit* fit() const { return nullptr; }
  /// Takes what another dataset has learned. Throws where it does not fit.
  virtual void set_fit(Fit fit);
  /// The names of the classes, in the order of their labels; empty where there are none.
  virtual std::vector<std::string> classes() const { return {}; }
  /// How many have drawn random numbers for a sample that `get` returns: the level of the next (Random).
  virtual int random_levels() const { return 0; }
  /// Other files as inputs, read and transformed as those of this dataset; null where its samples are no files.
  virtual Ref<Dataset> of_files(const std::vector<std::string>& paths) const;
  /// The samples one by one; an error names the sample.
  std::vector<Sample> samples(std::span<const int64_t> indices, const Epoch& epoch);
  /// Sample i; an error names it.
  Sample sample(int64_t i, const Epoch& epoch);

  /// From where class labels and other positions in samples count: 0 in C++, 1 in Lua.
  int base = 0;
};
using DatasetRef = Ref<Dataset>;

/// Samples, which are plain, to batches: tensors are stacked, numbers become int64 or the default float dtype, booleans
/// bool. Throws with the sample's place when shapes or the number of values differ.
Tensors collate(std::span<const Sample> samples);

/// The sample of a batch of one, as views of its tensors.
Sample only_sample(const Tensors& batch);

/// Sample i is element i of each tensor along its first dim; all have the same extent there.
class TensorDataset final : public Dataset {
 public:
  explicit TensorDataset(Tensors tensors);
  std::string name() const override { return "TensorDataset"; }
  int64_t size() const override { return tensors_[0].shape()[0]; }
  Sample get(int64_t i, const Epoch& epoch) override;
  Tensors batch(std::span<const int64_t> indices, const Epoch& epoch) override;
  bool makes_batches() const override { return true; }
  const Tensors& tensors() const { return tensors_; }

 private:
  Tensors tensors_;
};

/// Some samples of another dataset, in the order of `indices` (from 0).
class Subset final : public Dataset {
 public:
  Subset(DatasetRef whole, std::vector<int64_t> indices);
  std::string name() const override { return "Subset of " + whole_->name(); }
  int64_t size() const override { return int64_t(indices_.size()); }
  Sample get(int64_t i, const Epoch& epoch) override { return whole_->get(indices_[i], epoch); }
  Tensors batch(std::span<const int64_t> indices, const Epoch& epoch) override;
  bool any_thread() const override { return whole_->any_thread(); }
  bool makes_batches() const override { return whole_->makes_batches(); }
  int random_levels() const override { return whole_->random_levels(); }
  const Fit* fit() const override { return whole_->fit(); }
  void set_fit(Fit fit) override { whole_->set_fit(std::move(fit)); }
  std::vector<std::string> classes() const override { return whole_->classes(); }
  DatasetRef of_files(const std::vector<std::string>& paths) const override { return whole_->of_files(paths); }
  const DatasetRef& whole() const { return whole_; }
  const std::vector<int64_t>& indices() const { return indices_; }

 private:
  DatasetRef whole_;
  std::vector<int64_t> indices_;
};

/// Several datasets, one after the other. Those that learn of their data have learned the same.
class ConcatDataset final : public Dataset {
 public:
  explicit ConcatDataset(std::vector<DatasetRef> parts);
  std::string name() const override { return "ConcatDataset"; }
  int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Sample get(int64_t i, const Epoch& epoch) override;
  bool any_thread() const override;
  int random_levels() const override;
  const Fit* fit() const override;
  void set_fit(Fit fit) override;
  /// Those of the first part.
  std::vector<std::string> classes() const override;
  DatasetRef of_files(const std::vector<std::string>& paths) const override;

 private:
  std::vector<DatasetRef> parts_;
  std::vector<int64_t> ends_;
};

/// The numbers 0 … n-1 in an order that depends on (seed, epoch) alone: Fisher-Yates with Philox.
std::vector<int64_t> shuffled(int64_t n, const Epoch& epoch);
/// Disjoint random parts of the given sizes, which add up to the whole; or shares that add up to 1 (sizes are rounded
/// down, and what is left goes round robin, as in PyTorch).
std::vector<DatasetRef> random_split(DatasetRef whole, std::span<const double> sizes, int64_t seed);

}  // namespace luth::data
