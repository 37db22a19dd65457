#include "core/dist/store.h"

namespace luth::dist {

thread_local int Hurry::scopes_ = 0;

Store::~Store() = default;

void Store::set(const std::string& key, const std::string& value) { ask({"set", key, value}); }
std::optional<std::string> Store::find(const std::string& key) {
  const Fields a = ask({"find", key});
  return a.size() > 1 ? std::optional(a[1]) : std::nullopt;
}
int64_t Store::add(const std::string& key, int64_t amount) {
  const Fields a = ask({"add", key, std::to_string(amount)});
  if (a.size() < 2) throw Error("the value of '{}' in the store is no number to which {} could be added", key, amount);
  return to_number(a[1]).value_or(0);
}
std::string Store::compare_set(const std::string& key, const std::string& expected, const std::string& desired) {
  return ask({"compare_set", key, expected, desired}).at(1);
}
bool Store::remove(const std::string& key) { return ask({"remove", key}).at(1) == "1"; }
int64_t Store::count() { return to_number(ask({"count"}).at(1)).value_or(0); }

std::string Store::get(const std::string& key) {
  wait({key});
  return find(key).value_or("");
}

void Store::wait(const Fields& keys) {
  if (wait_until(keys, Clock::now() + timeout_)) return;
  std::string missing;
  for (auto& k : keys)
    if (!find(k)) missing += (missing.empty() ? "'" : ", '") + k + "'";
  throw Error(ErrorCode::peer, "nobody has set {} in the store within {} s", missing, double(timeout_.count()) / 1000);
}

PrefixStore::PrefixStore(const std::string& prefix, std::shared_ptr<Store> store)
    : Store(store->timeout()), prefix_(prefix + "/"), store_(std::move(store)) {}
Fields PrefixStore::ask(const Fields& request) {
  Fields full = request;
  if (full.size() > 1) full[1] = prefix_ + full[1];
  return store_->ask(full);
}
bool PrefixStore::wait_until(const Fields& keys, Deadline deadline) {
  Fields full;
  for (auto& k : keys) full.push_back(prefix_ + k);
  return store_->wait_until(full, deadline);
}

}  // namespace luth::dist
