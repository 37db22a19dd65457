// A store in the memory of one process, which others reach by TCP.
#pragma once
#include <atomic>
#include <mutex>
#include <thread>

#include "core/dist/store.h"

namespace luth::dist {

/// Serves the table from a thread of its own until it is destroyed. It trusts nobody: what does not follow its protocol
/// is disconnected, and a connection's requests stay below 64 MiB. It does not know who connects either: the port is
/// for a network whose machines trust each other.
class StoreServer {
 public:
  /// `port` 0: a free one. `here_only`: no other machine reaches it. Throws ErrorCode::peer where the port is taken.
  explicit StoreServer(int port, bool here_only = false);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  int port() const { return port_; }

 private:
  Socket listener_;
  int port_;
  Socket stop_read_, stop_write_;  // a pipe, whose end stops the thread
  std::thread thread_;
};

class TcpStore final : public Store {
 public:
  /// Connects to the server, for which it waits until `timeout`.
  TcpStore(Address server, Milliseconds timeout);
  ~TcpStore() override;

  bool wait_until(const Fields& keys, Deadline deadline) override;
  Fields ask(const Fields& request) override;

  /// Says who this process is: from now on the server sets `key` to `value` when this object ends without leave(),
  /// however the process ended.
  void stay(const std::string& key, const std::string& value);
  /// The process ends as it should. It and stay() are for one thread.
  void leave();
  const Address& server() const { return server_; }
  /// The address of this machine that reaches the server.
  const std::string& own_address() const { return own_; }

 private:
  // Nothing: the deadline came.
  std::optional<Fields> exchange(Socket& s, const Fields& request, Deadline deadline);
  std::optional<Fields> ask(const Fields& request, Deadline deadline);
  Socket take(Deadline deadline);
  Milliseconds patience() const override;
  [[noreturn]] void lost();
  [[noreturn]] void refuse(const std::string& answer) const;

  Address server_;
  std::string own_;
  std::mutex mutex_;                  // of idle_
  std::vector<Socket> idle_;          // a call takes one, so that a call that waits holds up no other
  std::atomic<bool> silent_ = false;  // it gave no answer to the last call
  std::atomic<bool> lost_ = false;    // it closed the last connection
  std::atomic<bool> known_ = false;   // it has answered
  Socket stay_;
};

}  // namespace luth::dist
