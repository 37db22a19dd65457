// Valid files of datasets, and what reads a mutant of each to its end.
#pragma once
#include <string>
#include <vector>

namespace luth::data {

struct DataSeed {
  std::string name, bytes;
  void (*read)(const std::string& path);
};
std::vector<DataSeed> data_seeds();

/// Reads rows of the arrays of a file, as data.ArrayFile does.
void read_rows(const std::string& path);

}  // namespace luth::data
