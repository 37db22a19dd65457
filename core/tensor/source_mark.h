// Source marks: lines of the running script as numbers of 32 bits. Taking one costs a few nanoseconds; it becomes text
// when an error needs it.
#pragma once
#include <cstdint>
#include <string>

namespace luth {

class Storage;

/// The mark of the running line; 0: unknown.
uint32_t source_mark();
/// " at train.lua:12"; "" for an unknown one.
std::string at_source_mark(uint32_t mark);
/// Set by the language: the mark of the running line, and the text of a mark, "train.lua:12".
void set_source_mark_hooks(uint32_t (*mark)(), std::string (*text)(uint32_t));

/// Notes which line wrote the storage last. Call it after Storage::written().
void note_writer(const Storage& s);
/// The mark of the last write; 0 where it is no longer known.
uint32_t writer_mark(const Storage& s);

}  // namespace luth
