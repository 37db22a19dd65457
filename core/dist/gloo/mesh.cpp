#include "core/dist/gloo/mesh.h"

#include <gloo/transport/context.h>

#include <algorithm>
#include <utility>

namespace luth::dist {
namespace {
constexpr uint64_t no_slot = uint64_t(0x42) << 56;  // of no message
constexpr Milliseconds long_wait{1'000};            // after which it is asked whether a connection is broken
}  // namespace

class Mesh::Buffer final : public gloo::transport::UnboundBuffer {
 public:
  Buffer(Mesh& mesh, std::unique_ptr<gloo::transport::UnboundBuffer> b)
      : UnboundBuffer(b->ptr, b->size), mesh_(mesh), buffer_(std::move(b)) {
    const std::lock_guard lock(mesh_.mutex_);
    if (mesh_.closed_) throw Error(ErrorCode::peer, "{}", mesh_.why_);
    mesh_.buffers_.insert(this);
  }
  ~Buffer() override {
    const std::lock_guard lock(mesh_.mutex_);
    mesh_.buffers_.erase(this);
  }

  bool waitRecv(int* rank, Milliseconds timeout) override {
    const Waiting w(*this, from_);
    return buffer_->waitRecv(rank, timeout) ? true : (throw_ended(), false);
  }
  bool waitSend(int* rank, Milliseconds timeout) override {
    const Waiting w(*this, to_);
    return buffer_->waitSend(rank, timeout) ? true : (throw_ended(), false);
  }
  void send(int to, uint64_t slot, size_t offset, size_t n) override {
    note(to_, to);
    buffer_->send(to, slot, offset, n);
  }
  void recv(int from, uint64_t slot, size_t offset, size_t n) override {
    note(from_, from);
    buffer_->recv(from, slot, offset, n);
  }
  void recv(std::vector<int> from, uint64_t slot, size_t offset, size_t n) override {
    for (int rank : from) note(from_, rank);
    buffer_->recv(std::move(from), slot, offset, n);
  }
  void abortWaitRecv() override { buffer_->abortWaitRecv(); }
  void abortWaitSend() override { buffer_->abortWaitSend(); }

  // For the mesh, which has its lock. The ranks that have been waited for since `before`, or for longer.
  const std::vector<int>& waits_for(Deadline before) const {
    static const std::vector<int> none;
    return waits_for_ && since_ <= before ? *waits_for_ : none;
  }
  void end() { abortWaitRecv(), abortWaitSend(); }

 private:
  struct Waiting {
    Waiting(Buffer& b, const std::vector<int>& ranks) : buffer(b) { set(&ranks); }
    ~Waiting() { set(nullptr); }
    void set(const std::vector<int>* ranks) {
      const std::lock_guard lock(buffer.mesh_.mutex_);
      buffer.waits_for_ = ranks;
      buffer.since_ = Clock::now();
    }
    Buffer& buffer;
  };
  static void note(std::vector<int>& ranks, int rank) {
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
  }
  [[noreturn]] void throw_ended() {
    const std::lock_guard lock(mesh_.mutex_);
    throw Error(ErrorCode::peer, "{}", mesh_.why_);
  }

  Mesh& mesh_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  std::vector<int> to_, from_;  // all ranks so far
  const std::vector<int>* waits_for_ = nullptr;
  Deadline since_{};
};

namespace {

class Transport final : public gloo::transport::Context {
 public:
  Transport(std::shared_ptr<gloo::transport::Context> c, Mesh& mesh)
      : gloo::transport::Context(c->rank, c->size), context_(std::move(c)), mesh_(mesh) {}
  std::unique_ptr<gloo::transport::Pair>& getPair(int rank) override { return context_->getPair(rank); }
  std::unique_ptr<gloo::transport::Pair>& createPair(int rank) override { return context_->createPair(rank); }
  std::unique_ptr<gloo::transport::UnboundBuffer> createUnboundBuffer(void* p, size_t n) override {
    return std::make_unique<Mesh::Buffer>(mesh_, context_->createUnboundBuffer(p, n));
  }

 private:
  std::shared_ptr<gloo::transport::Context> context_;
  Mesh& mesh_;
};

}  // namespace

Mesh::Mesh(int rank, std::vector<int> ranks, Milliseconds timeout, std::function<bool(int)> has_left)
    : gloo::rendezvous::Context(rank, int(ranks.size())),
      ranks_(std::move(ranks)),
      has_left_(std::move(has_left)),
      peers_(ranks_.size()) {
  setTimeout(timeout);
}

void Mesh::connect(gloo::rendezvous::Store& store, std::shared_ptr<gloo::transport::Device> device) {
  connectFullMesh(store, device);
  for (int r = 0; r < size; ++r) {
    if (r == rank) continue;
    peers_[size_t(r)].alarm = createUnboundBuffer(nullptr, 0);
    peers_[size_t(r)].alarm->recv(r, no_slot);
  }
  transportContext_ = std::make_shared<Transport>(transportContext_, *this);
}

// A wait that has been ended before it begins throws where the connection is broken, and takes no time.
void Mesh::examine(int rank) {
  Peer& p = peers_[size_t(rank)];
  if (p.has_left || p.is_dead || (!p.is_broken && Clock::now() < p.next_question)) return;
  p.next_question = Clock::now() + long_wait;
  try {
    p.alarm->abortWaitRecv();
    p.alarm->waitRecv();
  } catch (const std::exception&) {
    p.has_left = has_left_(rank);
    p.is_dead = std::exchange(p.is_broken, true) && !p.has_left;
  }
}

void Mesh::look() {
  const Deadline before = Clock::now() - long_wait;
  std::set<int> ranks;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    for (const Buffer* b : buffers_) ranks.insert(b->waits_for(before).begin(), b->waits_for(before).end());
  }
  for (int rank : ranks) examine(rank);
  const std::lock_guard lock(mutex_);
  for (Buffer* b : buffers_)
    for (int rank : b->waits_for(before))
      if (peers_[size_t(rank)].is_dead) {
        why_ = fmt::format("the connection to rank {} is broken", ranks_[size_t(rank)]);
        b->end();
      }
}

void Mesh::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (Buffer* b : buffers_) b->end();
  }
  closeConnections();
}

}  // namespace luth::dist
