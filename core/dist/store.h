// A table of short values that all processes of a run see: how they find each other, and what they say of themselves
// when something has gone wrong. Tensors never pass it.
#pragma once
#include <memory>

#include "core/dist/socket.h"
#include "core/dist/table.h"

namespace luth::dist {

/// While one lives, stores give this thread an answer soon or never: for what is said after something has gone wrong,
/// since the store may be out of reach too.
class Hurry {
 public:
  Hurry() { ++scopes_; }
  ~Hurry() { --scopes_; }
  Hurry(const Hurry&) = delete;
  static bool on() { return scopes_ > 0; }

 private:
  static thread_local int scopes_;
};

/// Keys and values are bytes. All calls may come from several threads. Each call throws ErrorCode::peer where the store
/// cannot be reached.
class Store {
 public:
  explicit Store(Milliseconds timeout) : timeout_(timeout) {}
  virtual ~Store();
  Store(const Store&) = delete;

  void set(const std::string& key, const std::string& value);
  /// The value; nothing where the key is not there.
  std::optional<std::string> find(const std::string& key);
  /// Adds to the number that the value is, 0 where there is none; returns the sum. Throws where it is no number.
  int64_t add(const std::string& key, int64_t amount);
  /// Sets `desired` where the value is `expected`, or where there is none and `expected` is empty; returns the value
  /// that is there then, `expected` where there is still none.
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired);
  /// Whether the key was there.
  bool remove(const std::string& key);
  int64_t count();
  /// Waits for the key for the store's time-out; throws ErrorCode::peer at its end, naming the key.
  std::string get(const std::string& key);
  void wait(const Fields& keys);
  /// Waits until all keys are there; false at the deadline.
  virtual bool wait_until(const Fields& keys, Deadline deadline) = 0;
  /// The answer of the table (table.h).
  virtual Fields ask(const Fields& request) = 0;

  Milliseconds timeout() const { return timeout_; }
  void set_timeout(Milliseconds t) { timeout_ = t; }

 protected:
  /// How long an answer may take, whatever is waited for.
  virtual Milliseconds patience() const { return Hurry::on() ? std::min(timeout_, soon) : timeout_; }
  static constexpr Milliseconds soon{1'500};

 private:
  Milliseconds timeout_;
};

/// The keys of another store that begin with a prefix; its count is of all.
class PrefixStore final : public Store {
 public:
  PrefixStore(const std::string& prefix, std::shared_ptr<Store> store);
  bool wait_until(const Fields& keys, Deadline deadline) override;
  Fields ask(const Fields& request) override;

 private:
  std::string prefix_;
  std::shared_ptr<Store> store_;
};

}  // namespace luth::dist
