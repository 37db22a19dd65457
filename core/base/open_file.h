// Opening files that are data: regular ones alone, since a pipe would wait for its writer.
#pragma once
#include <string>

#include "core/base/error.h"

struct stat;  // of <sys/stat.h>

namespace luth {

/// The descriptor of a regular file that is open for reading, and what the system says of it. Throws, naming the path,
/// for what cannot be opened and for folders, devices and pipes.
int open_file(const std::string& path, struct stat& status, ErrorCode code = ErrorCode::runtime);
/// Throws as open_file() does where that is no regular file.
void check_is_file(const std::string& path, const struct stat& status, ErrorCode code = ErrorCode::runtime);

}  // namespace luth
