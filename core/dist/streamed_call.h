// A call of a backend whose work goes on in a stream of its device.
#pragma once
#include <functional>

#include "core/dist/backend.h"
#include "core/dist/work.h"

namespace luth::dist {

class StreamedCall {
 public:
  using Call = std::function<void(Backend&, Work&)>;
  /// Its work runs in `stream`, after what this thread's current stream was given before.
  StreamedCall(Backend& backend, Stream& stream, Call call);
  /// Gives the work to the stream, the first time that it is called, on any thread. From then on Work::wait() makes the
  /// stream of who waits wait, and not the host.
  void start(Work& work);
  /// Whether the device has done it. After start().
  bool done() { return done_->done(); }

 private:
  Backend& backend_;
  Stream& stream_;
  Call call_;  // empty once it has run
  std::unique_ptr<Event> ready_;
  std::shared_ptr<Event> done_;
};

}  // namespace luth::dist
