// Lines of the script that is running, for errors that show later: marks that cost a few nanoseconds to take and are
// made text only when an error needs them.
#pragma once
#include <cstdint>
#include <string>

namespace luth {

class Storage;

/// The line that is running, as a mark; 0: none is known.
uint32_t mark_site();
/// " at train.lua:12" for a mark; "" where none is known.
std::string at_site(uint32_t mark);
/// The language hangs its answers here: the mark, and the text of one, "train.lua:12".
void set_site_hooks(uint32_t (*mark)(), std::string (*text)(uint32_t));

/// Remembers for a while which line wrote the storage last; to be called after Storage::written().
void note_writer(const Storage& s);
/// The mark of that line, while it is remembered.
uint32_t writer_site(const Storage& s);

}  // namespace luth
