// Reading mapped files: a page that cannot be had, since the file has become shorter or its disk fails, is a signal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace luth {

/// Copies these rows of `bytes` bytes each from a mapped file, on any thread. False where a page cannot be had.
bool copy_mapped(void* to, const void* from, std::span<const int64_t> rows, size_t bytes);

/// Where mapped memory is used by all and sundry: a page that cannot be had ends the process as SIGBUS does, with a
/// sentence.
void explain_lost_pages();

}  // namespace luth
