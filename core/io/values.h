// Plain values in the form that HDF5 takes: bytes with a type and an extent. Between trees and checkpoints.
#pragma once
#include <optional>

#include "core/io/hdf5.h"
#include "core/io/tree.h"

namespace luth::io {

struct Packed {
  h5::Id type, space;
  std::string bytes;
  bool is_list = false;
};

/// nil, a boolean, number or string, or a list of values of one such kind (not nil); nothing for any other item.
/// nil is an empty dataspace of int8, the empty string one of a string type.
std::optional<Packed> pack(const Item& item);

}  // namespace luth::io
