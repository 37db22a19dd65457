// The hub of one communicator: it runs in the process that made the unique id, gathers what the ranks bring to a
// collective, computes it in the order of ranks, and answers all of them. Calls that differ are never answered.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tests/fakecuda/nccl/channel.h"

namespace fakenccl {

class Hub {
 public:
  /// Listens at the abstract socket of that name; lives to the end of the process. False where it cannot.
  static bool start(const std::string& name);
  /// A connection to the hub of that name, or -1.
  static int connect(const std::string& name);

 private:
  using Round = std::map<int, Message>;  // by rank
  explicit Hub(int listener) : listener_(listener) {}
  void accept_all();
  void got(int connection, Message m);
  void ended(int connection);
  void welcome(int connection, Message m);
  void answer(int rank, const Message& question, std::vector<char> data = {});
  void finish(const Round& round);
  void match(std::pair<int, int> pair);

  int listener_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<Channel>> channels_;                        // by connection
  std::map<int, int> ranks_, connections_;                               // of a connection; of a rank
  std::map<int, Message> hellos_;                                        // by rank
  size_t size_ = 0;                                                      // ranks, once one has come
  std::map<uint64_t, Round> rounds_;                                     // by turn
  std::map<std::pair<int, int>, std::deque<Message>> sends_, receives_;  // by sender and receiver
};

/// The ranks' numbers combined in the order of ranks: `parts` have `count` elements each.
std::vector<char> combine(const std::vector<const std::vector<char>*>& parts, int type, int op, size_t count);

}  // namespace fakenccl
