// Tables of more plain values than HDF5 takes as attributes of a group: their values as columns, which are datasets.
#pragma once
#include "core/io/tree.h"

namespace luth::io {

/// The %kind of such a group.
inline constexpr const char* many_kind = "values";

/// Whether a table or list has more than 10,000 entries that are nil, booleans, numbers or strings.
bool has_many(const Item& item);
/// The columns of a table or list, in a map of the kind many_kind (share/doc/checkpoint.md).
Map to_columns(const Item& item);
/// The table or list again; the columns are on the CPU. Throws Error for columns that do not fit each other.
Item from_columns(const Map& columns);

}  // namespace luth::io
