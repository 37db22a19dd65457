// Gloo's TCP transport, whose waits this process can end itself.
#pragma once
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>

#include <memory>
#include <mutex>
#include <set>

#include "core/dist/socket.h"

namespace luth::dist {

/// Buffers that exist. Gloo wakes nobody of the process that closes a connection, only the other side.
class EndableBuffers {
 public:
  using Buffer = gloo::transport::UnboundBuffer;
  /// Waits for buffers throw an Error, those that go on and all later ones. From any thread.
  void end();
  /// Throws after end().
  void add(Buffer* b);
  void remove(Buffer* b);

 private:
  std::mutex mutex_;
  std::set<Buffer*> all_;
  bool ended_ = false;
};

/// The device `tcp`, whose contexts make buffers that are in `buffers`. `timeout` is that of connections.
std::shared_ptr<gloo::transport::Device> make_endable(std::shared_ptr<gloo::transport::Device> tcp,
                                                      std::shared_ptr<EndableBuffers> buffers, Milliseconds timeout);

}  // namespace luth::dist
