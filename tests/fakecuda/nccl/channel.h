// Messages between the ranks of the fake NCCL and their hub. What is sent waits in memory, so nobody waits for a
// process that was stopped.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fakenccl {

enum class Kind : int32_t { hello, all_reduce, broadcast, reduce, all_gather, reduce_scatter, send, recv, died };

/// What ranks must have in common in a collective; `peer` is the root, or the other side of a message.
struct Call {
  Kind kind{};
  int32_t type = 0, op = 0, peer = 0;
  uint64_t count = 0;
  bool operator==(const Call&) const = default;
};
struct Message {
  Call call;
  uint64_t ticket = 0;  // of the rank, which the answer has too
  uint64_t turn = 0;    // the number of a collective
  std::vector<char> data;
};

class Channel {
 public:
  /// Takes the descriptor. `got` and `ended` are called on a thread of the channel. `pause`: called before each message
  /// is sent.
  Channel(int fd, std::function<void(Message)> got, std::function<void()> ended, std::function<void()> pause = {});
  ~Channel();
  void send(Message m);
  /// Ends both threads' waiting; what was not sent is dropped.
  void close();

 private:
  void read_all();
  void write_all();
  int fd_;
  std::function<void(Message)> got_;
  std::function<void()> ended_, pause_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> outbox_;
  bool closed_ = false;
  std::thread reader_, writer_;
};

}  // namespace fakenccl
