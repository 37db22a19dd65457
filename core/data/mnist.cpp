#include "core/data/mnist.h"

#include <filesystem>

#include "core/base/threads.h"
#include "core/data/idx.h"

namespace luth::data {
namespace {

constexpr int labels = 10;

// The file, plain or with .gz behind its name.
std::string find_file(const std::string& root, const std::string& name) {
  std::filesystem::path folder(root);
  for (const char* suffix : {"", ".gz"})
    if (std::filesystem::exists(folder / (name + suffix))) return (folder / (name + suffix)).string();
  throw Error("mnist: there is no {} (or {}.gz) in '{}'; pass root = the folder that holds MNIST's four files", name,
              name, root);
}

class Mnist final : public Dataset {
 public:
  explicit Mnist(const MnistSpec& spec) : spec_(spec) {
    const std::string part = spec.train ? "train" : "t10k";
    std::string image_file = find_file(spec.root, part + "-images-idx3-ubyte");
    std::string label_file = find_file(spec.root, part + "-labels-idx1-ubyte");
    images_ = read_idx(image_file);
    labels_ = read_idx(label_file);
    if (images_.dim() != 3 || images_.dtype() != Dtype::u8)
      throw Error("{}: expected images as uint8[n, height, width], got {}", image_file, describe(images_));
    if (labels_.dim() != 1 || labels_.dtype() != Dtype::u8)
      throw Error("{}: expected labels as uint8[n], got {}", label_file, describe(labels_));
    if (images_.shape()[0] != labels_.shape()[0])
      throw Error("{} holds {} images, {} holds {} labels", image_file, images_.shape()[0], label_file,
                  labels_.shape()[0]);
    for (int64_t i = 0; i < labels_.numel(); ++i)
      if (labels_.data<uint8_t>()[i] >= labels)
        throw Error("{}: label {} of image {} is out of range 0 to {}", label_file, labels_.data<uint8_t>()[i], i + 1,
                    labels - 1);
  }
  std::string name() const override { return "mnist"; }
  int64_t size() const override { return labels_.numel(); }
  bool makes_batches() const override { return true; }
  DatasetRef test_part() const override { return spec_.train ? mnist({spec_.root, false}) : DatasetRef(); }

  std::vector<std::string> classes() const override {
    std::vector<std::string> names;
    for (int digit = 0; digit < labels; ++digit) names.push_back(std::to_string(digit));
    return names;
  }
  Sample get(int64_t i, const Epoch&) override {
    Tensor x = Tensor::empty({1, images_.shape()[1], images_.shape()[2]}, Dtype::f32, host());
    convert(i, x.data<float>());
    return {x, int64_t(label(i))};
  }
  Tensors batch(std::span<const int64_t> indices, const Epoch&) override {
    int64_t n = int64_t(indices.size()), pixels = images_.shape()[1] * images_.shape()[2];
    Tensor x = Tensor::empty({n, 1, images_.shape()[1], images_.shape()[2]}, Dtype::f32, host());
    Tensor y = Tensor::empty({n}, Dtype::i64, host());
    for (int64_t k = 0; k < n; ++k) {
      convert(indices[k], x.data<float>() + k * pixels);
      y.data<int64_t>()[k] = label(indices[k]);
    }
    return {x, y};
  }

 private:
  int64_t label(int64_t i) const { return labels_.data<uint8_t>()[i] + base; }
  void convert(int64_t i, float* out) const {
    int64_t pixels = images_.shape()[1] * images_.shape()[2];
    const uint8_t* in = images_.data<uint8_t>() + i * pixels;
    for (int64_t k = 0; k < pixels; ++k) out[k] = float(in[k]) / 255.0f;
  }
  MnistSpec spec_;
  Tensor images_, labels_;
};

}  // namespace

DatasetRef mnist(const MnistSpec& spec) { return Ref<Dataset>(new Mnist(spec)); }

}  // namespace luth::data
