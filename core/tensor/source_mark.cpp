#include "core/tensor/source_mark.h"

#include <atomic>
#include <memory>

#include "core/base/per_thread.h"
#include "core/tensor/storage.h"

namespace luth {
namespace {

std::atomic<uint32_t (*)()> mark_hook{nullptr};
std::atomic<std::string (*)(uint32_t)> text_hook{nullptr};

// Direct-mapped cache of this thread's last writes, by address of the storage. A later write evicts one with the same
// slot; an entry counts only while its version is the storage's.
struct Write {
  const Storage* storage = nullptr;
  uint32_t version = 0, mark = 0;
};
constexpr size_t slots = 4096;
struct Writes {
  std::unique_ptr<Write[]> of = std::make_unique<Write[]>(slots);
};
Write& write_of(const Storage& s) {
  static constinit thread_local PerThread<Writes> writes;
  const auto address = reinterpret_cast<uintptr_t>(&s);
  return writes->of[(address >> 4 ^ address >> 16) % slots];
}

}  // namespace

uint32_t source_mark() {
  auto* hook = mark_hook.load(std::memory_order_relaxed);
  return hook ? hook() : 0;
}
std::string at_source_mark(uint32_t mark) {
  auto* hook = text_hook.load(std::memory_order_relaxed);
  std::string text = mark && hook ? hook(mark) : "";
  return text.empty() ? text : " at " + text;
}
void set_source_mark_hooks(uint32_t (*mark)(), std::string (*text)(uint32_t)) {
  mark_hook = mark;
  text_hook = text;
}

void note_writer(const Storage& s) {
  if (uint32_t mark = source_mark()) write_of(s) = {&s, s.version(), mark};
}
uint32_t writer_mark(const Storage& s) {
  const Write& w = write_of(s);
  return w.storage == &s && w.version == s.version() ? w.mark : 0;
}

}  // namespace luth
