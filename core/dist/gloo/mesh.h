// The connections of Gloo, on which every wait ends.
#pragma once
#include <gloo/rendezvous/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/dist/socket.h"

namespace luth::dist {

/// The connections between the ranks of a group. Gloo wakes nobody whose bytes were on their way when the other process
/// died, and nobody of the process that closes a connection: look() and close() do.
class Mesh final : public gloo::rendezvous::Context {
 public:
  /// `ranks`: the numbers of the group's ranks in the run. `has_left(rank)`: whether a rank whose connection is broken
  /// has left as it should, and is not dead.
  Mesh(int rank, std::vector<int> ranks, Milliseconds timeout, std::function<bool(int)> has_left);
  void connect(gloo::rendezvous::Store& store, std::shared_ptr<gloo::transport::Device> device);

  /// Ends waits for ranks whose connections are broken at two looks. Called often, from one thread.
  void look();
  /// Closes all connections and ends all waits. From any thread.
  void close();

  /// A buffer of Gloo that this object knows.
  class Buffer;

 private:
  struct Peer {
    std::unique_ptr<gloo::transport::UnboundBuffer> alarm;  // receives nothing; fails when the connection does
    bool is_broken = false, is_dead = false, has_left = false;
    Deadline next_question{};
  };
  void examine(int rank);

  std::vector<int> ranks_;
  std::function<bool(int)> has_left_;
  std::vector<Peer> peers_;  // of look()
  std::mutex mutex_;         // of what follows
  std::set<Buffer*> buffers_;
  std::string why_ = "the connections of the group have been closed";
  bool closed_ = false;
};

}  // namespace luth::dist
