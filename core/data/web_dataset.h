// Samples in tar shards, as WebDataset lays them out: the files of a sample stand beside each other and differ in what
// follows the first dot of their names.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/transform.h"

namespace luth::data {

struct WebDatasetSpec {
  std::vector<std::string> shards;  // paths
  /// What a sample consists of: suffixes without the first dot, or several between semicolons, of which the first that
  /// a sample has counts; "__key__" is the sample's name.
  std::vector<std::string> fields{"jpg;jpeg;png;webp;bmp", "cls"};
  TransformRef transform;  // of the first image; null: none
  int channels = 3;
  /// The tensor of the bytes of a .npy file of that name.
  Tensor (*array)(std::string_view bytes, const std::string& name) = nullptr;
  /// Where above 0, an epoch's order is that of shards in random order and of draws from a buffer of so many samples,
  /// so that files are read from front to back; else any order.
  int64_t shuffle_buffer = 0;
};

/// The shards are not streamed: their headers are read once, and a sample is read from its place. So samples have
/// numbers, and order, workers, ranks and places within an epoch are those of every dataset.
///
/// By the suffix, .jpg .jpeg .png .webp .bmp are images, .npy tensors, .cls labels, .index .id .inx numbers, .txt .text
/// texts, .json .jsn JSON, and others their bytes as text.
class WebDataset final : public Dataset {
 public:
  /// Throws for a shard that is no tar or is cut short, and for a sample that lacks a field or has a file twice; the
  /// text names shard and sample.
  explicit WebDataset(WebDatasetSpec spec);
  int64_t size() const override { return int64_t(samples_.size()); }
  bool any_thread() const override { return !spec_.transform || spec_.transform->any_thread(); }
  int random_levels() const override { return spec_.transform ? 1 : 0; }
  std::vector<int64_t> order(const Epoch& epoch) override;
  Sample get(int64_t i, const Epoch& epoch) override;
  std::string name() const override { return "WebDataset"; }

 private:
  struct Place {
    uint64_t at, size;
    uint16_t suffix;  // its place in suffixes_
  };
  struct Entry {
    std::string key;
    uint32_t shard;
  };
  struct Shard {
    std::string path;
    uint64_t bytes;
    int64_t changed, first;  // of its samples
  };
  struct Found;
  void index(const std::string& path);
  void take(Found& found, const std::string& path);
  uint16_t suffix_number(const std::string& suffix);
  const std::string& key(int64_t i) const { return samples_[size_t(i)].key; }
  const Place& place(int64_t i, size_t k) const { return files_[size_t(i) * fields_.size() + k]; }
  std::string bytes_of(int64_t i, const Place& place) const;
  void add_value(Sample& s, int64_t i, const Place& place) const;

  WebDatasetSpec spec_;
  std::vector<std::vector<std::string>> fields_;  // their suffixes
  std::vector<std::string> suffixes_;
  std::vector<Shard> shards_;
  std::vector<Entry> samples_;
  std::vector<Place> files_;  // of each sample one for each field
};

/// "train-{000..012}.tar" as the thirteen paths that it stands for; lists in braces too, "{a,b}.tar". Throws for braces
/// that stand for more than a million paths or for none.
std::vector<std::string> expand_braces(const std::string& pattern);

}  // namespace luth::data
