// The messages of a group that wait.
#pragma once
#include <list>
#include <map>
#include <mutex>

#include "core/dist/call_record.h"
#include "core/dist/comparison.h"

namespace luth::dist {

/// What one message has in common with those that it may not overtake: the other rank of the group (-1: any), whether
/// this one sends, the tag.
struct Ends {
  int peer = 0;
  bool sends = false;
  uint32_t tag = 0;
  auto operator<=>(const Ends&) const = default;
};

/// Messages of a group of `size` ranks, of which this process is `rank`. Knows how many have arrived between two ranks
/// with a tag: the place of the next one. All from any thread.
class Messages {
 public:
  Messages(int rank, int size) : rank_(rank), size_(size) {}
  struct Message {
    Ends ends;
    CallRecord record;
    std::string common;  // "3 of float32"
  };
  using Ref = std::list<Message>::iterator;
  /// It waits until end().
  Ref begin(Message m);
  /// `peer`: the rank that it was exchanged with, -1 where it has failed.
  void end(Ref m, int peer);
  /// Those that have waited since `before`.
  std::vector<Waiting> waiting_since(Deadline before, const std::string& rank_name);

 private:
  std::string place(int peer, const Ends& ends);
  bool is_certain(const Message& m) const;
  int rank_, size_;
  std::mutex mutex_;
  std::list<Message> waiting_;
  std::map<Ends, int64_t> counts_;  // exchanged
};

}  // namespace luth::dist
