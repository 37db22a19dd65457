// Calls that wait, compared with those of other ranks.
#pragma once
#include <map>

#include "core/dist/store.h"

namespace luth::dist {

/// A call that waits, and what it waits for: a place in the order of calls, which ranks have in common.
struct Waiting {
  std::string what;                 // "call 7", "a message"
  std::vector<std::string> places;  // keys of the store; several: of messages, any of which would do
  std::string common;               // what the calls of a place have in common
  std::string text;                 // "rank 0 calls all_reduce(float32[3], SUM) at train.lua:9"
};

/// Whoever waits long leaves its call at the place, unless somebody has. What lies there stays true, however late it is
/// read; so ranks that are only late, or ahead, differ in nothing.
class Comparison {
 public:
  struct Difference {
    std::string what, text;  // "call 7"; "rank 0 calls …, and rank 1 calls …", "" where nothing differs
  };
  explicit Comparison(std::shared_ptr<Store> store) : store_(std::move(store)) {}
  /// All that waits now. Asks the store about a call at once, then with growing pauses, and takes away what this rank
  /// has left for calls that wait no more.
  Difference compare(const std::vector<Waiting>& all);
  /// Takes away all that this rank has left, where the store can still be reached.
  void forget() noexcept;

 private:
  struct Known {
    Deadline next{};
    Milliseconds pause{};
    bool is_own = false;  // this rank's call lies there
  };
  std::string ask(const Waiting& w);

  std::shared_ptr<Store> store_;
  std::map<std::string, Known> known_;  // by the first place
};

/// Writes a difference down for all ranks, unless one is; returns the one that is.
std::string settle_difference(Store& store, const std::string& difference);
std::string find_difference(Store& store);

}  // namespace luth::dist
