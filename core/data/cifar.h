// CIFAR-10 and CIFAR-100 in their binary files (https://www.cs.toronto.edu/~kriz/cifar.html): records of a label, or a
// coarse and a fine one, and the bytes of an image, channel by channel.
#pragma once
#include "core/data/dataset.h"
#include "core/data/transform.h"

namespace luth::data {

struct CifarSpec {
  std::string root;
  bool train = true, coarse = false;  // coarse: the 20 coarse labels of CIFAR-100
  TransformRef transform;             // null: none
  TransformRef test_transform;        // that of test_part; with a transform and without this one there is no test part
};

/// Images uint8[3, 32, 32] and labels. Files may have any number of records; the names of the classes are read from the
/// text beside them, where it is. Throws, naming the file, for one that is missing or is no sequence of whole records,
/// and for a label out of range.
DatasetRef cifar10(const CifarSpec& spec);
DatasetRef cifar100(const CifarSpec& spec);

}  // namespace luth::data
