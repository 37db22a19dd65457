// JSON lines: an object in each line.
#pragma once
#include <memory>

#include "core/records/records.h"

namespace luth::data {

/// The rows of a file of JSON objects, plain or gzip. The columns are the keys in the order in which they come; those
/// that an object does not have are missing. Keys within objects are joined by dots, "size.width"; elements of lists
/// have their position as a key, from 1. Booleans are 0 and 1. Throws, with line and column, for what is no object or
/// no JSON.
std::unique_ptr<Records> read_json_lines(const std::string& path);

}  // namespace luth::data
