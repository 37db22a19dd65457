#include "core/data/cifar.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/data/image_folder.h"
#include "core/records/packed_file.h"

namespace luth::data {
namespace {

namespace fs = std::filesystem;

constexpr int64_t side = 32, image_bytes = 3 * side * side;

/// How the files of one of the sets are.
struct Layout {
  const char *name, *folder;  // what the archive unpacks to
  std::vector<const char*> train, test;
  const char* classes;  // a text with a name in each line
  int64_t labels, label_bytes, label_at;
};

class Cifar final : public Dataset {
 public:
  Cifar(const CifarSpec& spec, const Layout& layout);
  std::string name() const override { return layout_.name; }
  int64_t size() const override { return int64_t(labels_.size()); }
  bool makes_batches() const override { return !spec_.transform; }
  bool any_thread() const override { return !spec_.transform || spec_.transform->any_thread(); }
  std::vector<std::string> classes() const override { return classes_; }
  DatasetRef test_part() const override;
  Sample get(int64_t i, const Epoch& epoch) override;
  Tensors batch(std::span<const int64_t> indices, const Epoch& epoch) override;

 private:
  void read(const fs::path& file);
  void read_classes(const fs::path& file);
  const uint8_t* image(int64_t i) const;
  CifarSpec spec_;
  Layout layout_;
  std::vector<Tensor> files_;  // uint8[n, 3072]
  std::vector<int64_t> ends_;  // how many images they hold, with those before
  std::vector<uint8_t> labels_;
  std::vector<std::string> classes_;
};

Cifar::Cifar(const CifarSpec& spec, const Layout& layout) : spec_(spec), layout_(layout) {
  fs::path folder = spec.root;
  if (fs::exists(folder / layout.folder)) folder /= layout.folder;
  for (const char* name : spec.train ? layout.train : layout.test) read(folder / name);
  read_classes(folder / layout.classes);
}

void Cifar::read(const fs::path& file) {
  std::error_code error;
  const auto bytes = int64_t(fs::file_size(file, error));
  if (error)
    throw Error("{}: there is no {} ({}); pass root = the folder of the binary files", layout_.name, file.string(),
                error.message());
  const int64_t record = layout_.label_bytes + image_bytes, n = bytes / record;
  if (n == 0 || bytes % record)
    throw Error("{} has {} bytes; {}'s files are records of {} bytes", file.string(), bytes, layout_.name, record);
  PackedFile in(file.string());
  const Tensor& images = files_.emplace_back(Tensor::empty({n, image_bytes}, Dtype::u8, host()));
  for (int64_t i = 0; i < n; ++i) {
    uint8_t label[2];
    if (in.read(label, layout_.label_bytes) < layout_.label_bytes ||
        in.read(images.data<uint8_t>() + i * image_bytes, image_bytes) < image_bytes)
      throw Error("{} is cut short", file.string());
    labels_.push_back(label[layout_.label_at]);
    if (labels_.back() >= layout_.labels)
      throw Error("{}: label {} of image {} is out of range 0 to {}", file.string(), labels_.back(), i + 1,
                  layout_.labels - 1);
  }
  ends_.push_back(int64_t(labels_.size()));
}

// Without the file classes have no names. A pipe in its place would wait for ever.
void Cifar::read_classes(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;
  std::ifstream in(file);
  for (std::string line; int64_t(classes_.size()) < layout_.labels && std::getline(in, line);)
    if (!line.empty()) classes_.push_back(line.substr(0, 100));
  if (int64_t(classes_.size()) < layout_.labels) classes_.clear();
}

const uint8_t* Cifar::image(int64_t i) const {
  size_t file = 0;
  while (i >= ends_[file]) ++file;
  return files_[file].data<uint8_t>() + (file ? i - ends_[file - 1] : i) * image_bytes;
}

DatasetRef Cifar::test_part() const {
  if (!spec_.train || (spec_.transform && !spec_.test_transform)) return {};
  CifarSpec spec = spec_;
  spec.train = false;
  spec.transform = spec_.test_transform;
  return DatasetRef(new Cifar(spec, layout_));
}

Sample Cifar::get(int64_t i, const Epoch& epoch) {
  Tensor x = Tensor::empty({3, side, side}, Dtype::u8, host());
  std::memcpy(x.raw(), image(i), size_t(image_bytes));
  return {transformed(x, spec_.transform.get(), i, epoch), int64_t(labels_[size_t(i)]) + base};
}

Tensors Cifar::batch(std::span<const int64_t> indices, const Epoch& epoch) {
  if (spec_.transform) return Dataset::batch(indices, epoch);
  const auto n = int64_t(indices.size());
  Tensor x = Tensor::empty({n, 3, side, side}, Dtype::u8, host()), y = Tensor::empty({n}, Dtype::i64, host());
  for (int64_t k = 0; k < n; ++k) {
    std::memcpy(x.data<uint8_t>() + k * image_bytes, image(indices[size_t(k)]), size_t(image_bytes));
    y.data<int64_t>()[k] = labels_[size_t(indices[size_t(k)])] + base;
  }
  return {x, y};
}

}  // namespace

DatasetRef cifar10(const CifarSpec& spec) {
  static const Layout layout{
      "CIFAR10",
      "cifar-10-batches-bin",
      {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
      {"test_batch.bin"},
      "batches.meta.txt",
      10,
      1,
      0};
  return DatasetRef(new Cifar(spec, layout));
}

DatasetRef cifar100(const CifarSpec& spec) {
  Layout layout{"CIFAR100", "cifar-100-binary", {"train.bin"}, {"test.bin"}, "fine_label_names.txt", 100, 2, 1};
  if (spec.coarse) layout.classes = "coarse_label_names.txt", layout.labels = 20, layout.label_at = 0;
  return DatasetRef(new Cifar(spec, layout));
}

}  // namespace luth::data
