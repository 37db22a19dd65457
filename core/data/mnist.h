// MNIST and data in its files' format.
#pragma once
#include "core/data/dataset.h"

namespace luth::data {

struct MnistSpec {
  std::string root = "data/mnist";
  bool train = true;
  void describe(auto& field) {
    field("root", root, "the folder of the four IDX files, gzip or plain");
    field("train", train, "the 60,000 training images; false: the 10,000 test images");
  }
};

/// Images as float32 [1, 28, 28] in [0, 1] and labels 0 … 9 (1 … 10 with base 1). The extents are those of the files,
/// so that data in the same format works too. Throws, naming the file, for one that is missing, damaged or does not
/// fit, and for a label out of range.
DatasetRef mnist(const MnistSpec& spec);

}  // namespace luth::data
