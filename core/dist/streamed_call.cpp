#include "core/dist/streamed_call.h"

namespace luth::dist {
namespace {

// Makes a stream its device's current one for this thread.
class In {
 public:
  explicit In(Stream& stream) : device_(stream.device()), before_(device_.current_stream()) {
    device_.set_current_stream(&stream);
  }
  ~In() { device_.set_current_stream(before_); }

 private:
  Device& device_;
  Stream* before_;
};

}  // namespace

StreamedCall::StreamedCall(Backend& backend, Stream& stream, Call call)
    : backend_(backend),
      stream_(stream),
      call_(std::move(call)),
      ready_(stream.device().new_event(false)),
      done_(stream.device().new_event(false)) {
  ready_->record(*stream.device().current_stream());
}

void StreamedCall::start(Work& work) {
  if (!call_) return;
  stream_.wait(*ready_);
  {
    const In in(stream_);
    std::exchange(call_, nullptr)(backend_, work);
  }
  done_->record(stream_);
  work.set_given(done_, stream_.device());
}

}  // namespace luth::dist
