// What a process gives up before it parses a file of others.
#pragma once
#include <cstdint>

namespace luth::io {

/// From here on this process can read and write the descriptors that it has, allocate `memory` bytes of address space,
/// run for `seconds` of processor time, and end. Files grow to at most `written` bytes. Any other system call fails
/// with EPERM. False where the system refuses; then nothing must be parsed.
bool give_up_rights(uint64_t memory, uint64_t written, uint64_t seconds);

}  // namespace luth::io
