// Keys of maps as names in files. A string key is its own name, except that '/', control bytes, '%', bytes that are no
// UTF-8, a lone '.' and a leading '[' become %XX, and the empty key becomes "%"; the integer key 7 is the name "[7]".
// Names that begin with '%' and a letter are the format's own.
#pragma once
#include <string>
#include <string_view>

#include "core/io/tree.h"

namespace luth::io {

std::string to_name(const Key& key);
/// The inverse; false for a name that `to_name` never makes.
bool from_name(std::string_view name, Key& key);

namespace own {                                   // attributes of the format itself
inline constexpr const char* format = "%format";  // of the root: int64, the version of the layout
inline constexpr const char* writer = "%luth";    // of the root: the version of luth that wrote the file
inline constexpr const char* kind = "%kind";      // "list" of a group or dataset, "value" of the root, or an object's
inline constexpr const char* order = "%order";    // of a group: places of its attributes among all its keys
inline constexpr const char* tied = "%tied";      // of an empty dataset: the path of the tensor that is also this one
inline constexpr const char* grad = "%requires_grad";  // of a dataset
}  // namespace own

/// Files with tables of many values are of version 3, others with objects of version 2, all others of version 1, so
/// that an older luth reads them.
inline constexpr int64_t format_version = 3;
/// Plain values up to this many bytes are attributes, longer ones datasets: HDF5 refuses attributes of 64 KiB.
inline constexpr size_t attribute_bytes = 32 * 1024;
/// Where a file holds something else than a map, its root has %kind "value" and this one entry.
inline constexpr const char* value_name = "value";

}  // namespace luth::io
