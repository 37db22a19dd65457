#include "core/tensor/source_mark.h"

#include <atomic>
#include <memory>

#include "core/tensor/storage.h"

namespace luth {
namespace {

std::atomic<uint32_t (*)()> mark_hook{nullptr};
std::atomic<std::string (*)(uint32_t)> text_hook{nullptr};

// The last writes of this thread, by address of the storage: one that shares its place with a later one is forgotten,
// and so is one whose storage has been written or made anew since, which its version tells.
struct Write {
  const Storage* storage = nullptr;
  uint32_t version = 0, site = 0;
};
constexpr size_t places = 4096;
Write& write_of(const Storage& s) {
  thread_local std::unique_ptr<Write[]> writes = std::make_unique<Write[]>(places);
  const auto address = reinterpret_cast<uintptr_t>(&s);
  return writes[(address >> 4 ^ address >> 16) % places];
}

}  // namespace

uint32_t mark_site() {
  auto* hook = mark_hook.load(std::memory_order_relaxed);
  return hook ? hook() : 0;
}
std::string at_site(uint32_t mark) {
  auto* hook = text_hook.load(std::memory_order_relaxed);
  std::string text = mark && hook ? hook(mark) : "";
  return text.empty() ? text : " at " + text;
}
void set_site_hooks(uint32_t (*mark)(), std::string (*text)(uint32_t)) {
  mark_hook = mark;
  text_hook = text;
}

void note_writer(const Storage& s) {
  if (uint32_t site = mark_site()) write_of(s) = {&s, s.version(), site};
}
uint32_t writer_site(const Storage& s) {
  const Write& w = write_of(s);
  return w.storage == &s && w.version == s.version() ? w.site : 0;
}

}  // namespace luth
