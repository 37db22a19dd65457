#include "core/dist/gloo/endable_device.h"

namespace luth::dist {
namespace {

using namespace gloo::transport;

[[noreturn]] void throw_ended() { throw Error(ErrorCode::peer, "the connections of the group have been closed"); }

class EndableBuffer final : public UnboundBuffer {
 public:
  EndableBuffer(std::unique_ptr<UnboundBuffer> b, std::shared_ptr<EndableBuffers> all)
      : UnboundBuffer(b->ptr, b->size), buffer_(std::move(b)), all_(std::move(all)) {
    all_->add(buffer_.get());
  }
  ~EndableBuffer() override { all_->remove(buffer_.get()); }
  bool waitRecv(int* rank, Milliseconds timeout) override {
    return buffer_->waitRecv(rank, timeout) ? true : (throw_ended(), false);
  }
  bool waitSend(int* rank, Milliseconds timeout) override {
    return buffer_->waitSend(rank, timeout) ? true : (throw_ended(), false);
  }
  void abortWaitRecv() override { buffer_->abortWaitRecv(); }
  void abortWaitSend() override { buffer_->abortWaitSend(); }
  void send(int to, uint64_t slot, size_t offset, size_t n) override { buffer_->send(to, slot, offset, n); }
  void recv(int from, uint64_t slot, size_t offset, size_t n) override { buffer_->recv(from, slot, offset, n); }
  void recv(std::vector<int> from, uint64_t slot, size_t offset, size_t n) override {
    buffer_->recv(std::move(from), slot, offset, n);
  }

 private:
  std::unique_ptr<UnboundBuffer> buffer_;
  std::shared_ptr<EndableBuffers> all_;
};

class EndableContext final : public Context {
 public:
  EndableContext(std::shared_ptr<Context> c, std::shared_ptr<EndableBuffers> all)
      : Context(c->rank, c->size), context_(std::move(c)), all_(std::move(all)) {}
  std::unique_ptr<Pair>& getPair(int other) override { return context_->getPair(other); }
  std::unique_ptr<Pair>& createPair(int other) override { return context_->createPair(other); }
  std::unique_ptr<UnboundBuffer> createUnboundBuffer(void* p, size_t n) override {
    return std::make_unique<EndableBuffer>(context_->createUnboundBuffer(p, n), all_);
  }

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<EndableBuffers> all_;
};

class EndableDevice final : public Device {
 public:
  EndableDevice(std::shared_ptr<Device> d, std::shared_ptr<EndableBuffers> all, Milliseconds timeout)
      : device_(std::move(d)), all_(std::move(all)), timeout_(timeout) {}
  std::string str() const override { return device_->str(); }
  const std::string& getPCIBusID() const override { return device_->getPCIBusID(); }
  int getInterfaceSpeed() const override { return device_->getInterfaceSpeed(); }
  std::shared_ptr<Context> createContext(int rank, int size) override {
    auto context = device_->createContext(rank, size);
    context->setTimeout(timeout_);
    return std::make_shared<EndableContext>(std::move(context), all_);
  }

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<EndableBuffers> all_;
  Milliseconds timeout_;
};

}  // namespace

void EndableBuffers::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Buffer* b : all_) b->abortWaitSend(), b->abortWaitRecv();
}
void EndableBuffers::add(Buffer* b) {
  const std::lock_guard lock(mutex_);
  if (ended_) throw_ended();
  all_.insert(b);
}
void EndableBuffers::remove(Buffer* b) {
  const std::lock_guard lock(mutex_);
  all_.erase(b);
}

std::shared_ptr<Device> make_endable(std::shared_ptr<Device> tcp, std::shared_ptr<EndableBuffers> buffers,
                                     Milliseconds timeout) {
  return std::make_shared<EndableDevice>(std::move(tcp), std::move(buffers), timeout);
}

}  // namespace luth::dist
