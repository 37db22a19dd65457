// The contents of attributes and datasets, read with every size held against what the file stores. Between HDF5 and the
// reader of checkpoints.
#pragma once
#include <string>
#include <vector>

#include "core/io/description.h"
#include "core/io/hdf5.h"

namespace luth::io {

using Extents = std::vector<hsize_t>;

class Arrays {
 public:
  /// Elements that do not lie in the file as tensors have them go to `unpacked`, at most that many bytes.
  Arrays(h5::File& file, Disk& unpacked, uint64_t most_unpacked)
      : file_(file), left_(file.size()), unpacked_(unpacked), unpacked_left_(most_unpacked) {}
  /// Single strings of our own files are as long as their type, without filling.
  void exact_strings() { exact_strings_ = true; }

  /// A plain value; one dim gives a list, more give a described array.
  Item attribute(hid_t object, const std::string& name, const std::string& path);
  bool has(hid_t object, const char* attribute, const std::string& path) const;
  /// nil, a string, a list of strings, or a described array.
  Item dataset(hid_t d, const std::string& path);

 private:
  Item value(hid_t id, bool is_dataset, const std::string& path);
  Extents extents(hid_t space, const std::string& path);
  uint64_t bytes(const Extents& dims, uint64_t element, const std::string& path);
  void afford(uint64_t bytes, uint64_t stored, uint64_t ratio, const std::string& path);
  haddr_t place(hid_t d) const;
  void check_layout(hid_t d, hid_t how, hid_t type, uint64_t bytes, const std::string& path);
  bool check_filters(hid_t how, const std::string& path);
  ArrayPlace new_array(Dtype d, const Extents& dims);
  void unpack(ArrayPlace& array, const void* from, uint64_t bytes, const std::string& path);
  void unpack_rows(ArrayPlace& array, hid_t d, hid_t how, const Extents& dims, const std::string& path);
  Item array(hid_t d, haddr_t at, hid_t how, hid_t type, const Extents& dims, const std::string& path);
  Item attribute_numbers(hid_t a, hid_t type, const Extents& dims, const std::string& path);
  template <class Read>
  Item strings(hid_t type, const Extents& dims, const std::string& path, Read&& read);
  Item texts(const std::vector<char*>& pointers, const Extents& dims);
  Item dataset_texts(hid_t d, hid_t type, const Extents& dims, const std::string& path);
  Item attribute_texts(hid_t a, hid_t type, const Extents& dims, const std::string& path);
  std::string cut(std::string_view s, H5T_str_t pad, bool in_list) const;

  h5::File& file_;
  uint64_t left_;  // bytes of the file that no array has claimed yet
  Disk& unpacked_;
  uint64_t unpacked_left_;
  int64_t arrays_ = 0;
  bool exact_strings_ = false;
};

}  // namespace luth::io
