// What an HDF5 file holds, as a tree of plain values in which arrays are described and not read. A process that parses
// the file hands it on as bytes (core/io/hdf5_child.h). luth's own files store it behind the HDF5, so a later luth must
// read it.
#pragma once
#include <string>
#include <string_view>

#include "core/io/tree.h"

namespace luth::io {

/// The last bytes of a file that stores its description, which lies before them. Little-endian.
struct DescriptionEnd {
  uint64_t layout = 0;                 // the version of the layout that a reader must know
  uint64_t digest = 0;                 // XXH3-64 of the description: the seal may not have been checked
  uint64_t size = 0;                   // of the description, in bytes
  uint64_t mark = 0x454552544854554c;  // "LUTHTREE"
};

/// Where the elements of an array are: row by row, little-endian.
struct ArrayPlace {
  int64_t id = 0;  // the same for all places of one tensor in the tree
  Dtype dtype = Dtype::f32;
  Shape shape;
  uint64_t at = 0;        // of the first byte in the file, or in the second one
  bool unpacked = false;  // the elements were converted and are in the second file
  bool is_list = false;   // it stands for a list of plain values; one dim
  bool grad = false;      // its tensor requires a gradient
};

/// The description as an item, and back; nothing for an item of another kind. Throws Error for one with impossible
/// entries.
Item to_item(const ArrayPlace& a);
bool from_item(const Item& item, ArrayPlace& a);

/// `n` elements as plain values: booleans, integers, floats.
List plain_values(Dtype d, const void* elements, int64_t n);

/// A tree without tensors as bytes, and back. `decode` throws Error for bytes that `encode` never makes, and for those
/// whose tree would take more than `most` bytes.
std::string encode(const Item& tree);
Item decode(std::string_view bytes, uint64_t most = UINT64_MAX);
/// As decode, for the description of the file `path`, which errors name.
Item decode_of(const std::string& path, std::string_view bytes, uint64_t most);

}  // namespace luth::io
