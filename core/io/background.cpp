#include "core/io/background.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/threads.h"
#include "core/io/checkpoint.h"
#include "core/io/elements.h"
#include "core/ops/elementwise/copy.h"

namespace luth::io {
namespace {

constexpr int64_t apart = 64;                // where copies begin, in bytes
constexpr int64_t piece = int64_t(4) << 20;  // what a thread copies at a time

int64_t room_of(const Tensor& t) { return (int64_t(t.bytes()) / apart + 1) * apart; }

// Calls f with each tensor of the tree that has data.
template <class F>
void each_tensor(const Item& item, F&& f) {
  if (auto* t = item.as<Tensor>(); t && *t && t->device().has_data()) f(*t);
  if (auto* list = item.as<List>())
    for (const Item& e : *list) each_tensor(e, f);
  if (auto* map = item.as<Map>())
    for (const Map::Entry& e : *map) each_tensor(e.value, f);
}

// The tree with other tensors in their places.
template <class F>
Item with_tensors(const Item& item, F&& f) {
  if (auto* t = item.as<Tensor>()) return *t && t->device().has_data() ? Item(f(*t)) : item;
  if (auto* list = item.as<List>()) {
    List copy;
    copy.reserve(list->size());
    for (const Item& e : *list) copy.push_back(with_tensors(e, f));
    return copy;
  }
  if (auto* map = item.as<Map>()) {
    Map copy;
    copy.kind = map->kind;
    for (const Map::Entry& e : *map) copy.add(e.key, with_tensors(e.value, f));
    return copy;
  }
  return item;
}

void copy_contents(const Tensor& from, char* to) {
  if (from.is_contiguous() && !from.device().on_host())
    return copy_bytes(to, host(), from.raw(), from.device(), from.bytes());
  Tensor near;
  const char* bytes = static_cast<const char*>(host_elements(from, near));
  const int64_t n = int64_t(from.bytes());
  parallel_for((n + piece - 1) / piece, 1, [&](int64_t first, int64_t last) {
    std::memcpy(to + first * piece, bytes + first * piece, size_t(std::min(n, last * piece) - first * piece));
  });
}

}  // namespace

BackgroundSaver::~BackgroundSaver() { wait(); }

void BackgroundSaver::wait() { thread_.join(); }

std::vector<SaveOutcome> BackgroundSaver::take_outcomes() {
  std::list<SaveOutcome> taken;
  {
    std::lock_guard hold(lock_);
    taken.swap(outcomes_);
  }
  return {std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end())};
}

Item BackgroundSaver::copied(const Item& root) {
  int64_t bytes = 0;
  each_tensor(root, [&](const Tensor& t) { bytes += room_of(t); });
  if (!kept_ || int64_t(kept_.bytes()) < bytes) {
    kept_ = {};
    kept_ = Tensor::empty({std::max(bytes, apart)}, Dtype::u8, host());
  }
  int64_t at = 0;
  std::unordered_map<std::string, Tensor> done;
  return with_tensors(root, [&](const Tensor& t) {
    Tensor& copy = done[identity(t)];
    if (copy) return copy;
    copy = Tensor::alias(kept_.storage(), t.shape(), contiguous_strides(t.shape()), at / int64_t(size_of(t.dtype())),
                         t.dtype());
    if (t.numel()) copy_contents(t, static_cast<char*>(kept_.raw()) + at);
    if (t.requires_grad()) copy.set_requires_grad();
    at += room_of(t);
    return copy;
  });
}

void BackgroundSaver::write(const Item& root, const SaveJob& job) {
  SaveOutcome& outcome = at_work_.front();
  auto failed = outcome.failed.begin();
  for (auto& target : job.targets) {
    try {
      const std::filesystem::path path(target.path);
      target.rotating ? save_rotating(root, path.parent_path().string()) : save_file(root, target.path);
      failed = outcome.failed.erase(failed);
    } catch (const std::exception& e) {
      ++failed;
      for (std::string_view text : {outcome.problem.empty() ? "" : "; ", e.what()})
        outcome.problem += text.substr(0, outcome.problem.capacity() - outcome.problem.size());
    }
  }
  if (outcome.failed.empty())
    for (auto& path : job.removals) std::remove(path.c_str());
  std::lock_guard hold(lock_);
  outcomes_.splice(outcomes_.end(), at_work_);
}

int64_t BackgroundSaver::save(const Item& root, SaveJob job) {
  wait();
  at_work_.assign(1, {++number_, {}, {}});
  SaveOutcome& outcome = at_work_.front();
  outcome.problem.reserve(1024);
  for (auto& target : job.targets) outcome.failed.push_back(target.path);
  try {
    auto copy = std::make_shared<const Item>(copied(root));
    if (thread_.start([this, copy, job] { write(*copy, job); })) return number_;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::memory) throw;
  } catch (const std::bad_alloc&) {}
  write(root, job);
  return number_;
}

}  // namespace luth::io
