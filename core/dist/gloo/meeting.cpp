#include "core/dist/gloo/meeting.h"

#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <cstring>

namespace luth::dist {
namespace {
constexpr uint64_t slot = uint64_t(0x41) << 56;  // beside those of Gloo's collectives and of messages
}

Meeting::Meeting(std::shared_ptr<Mesh> mesh)
    : mesh_(std::move(mesh)), parts_(size_t(mesh_->size)), seen_(parts_.size()) {
  const size_t all = parts_.size() * sizeof(Part);
  going_ = mesh_->createUnboundBuffer(parts_.data(), all);
  for (int there = 1; there < mesh_->size; there *= 2) {
    const size_t bytes = size_t(std::min(there, mesh_->size - there)) * sizeof(Part);
    rounds_.push_back({(mesh_->rank - there + mesh_->size) % mesh_->size, (mesh_->rank + there) % mesh_->size, bytes,
                       mesh_->createUnboundBuffer(&parts_[size_t(there)], bytes)});
  }
  expect();
}

// Whoever comes first to the next call can send at once. An error counts there: a rank may have left after this call.
void Meeting::expect() noexcept {
  try {
    for (auto& r : rounds_) r.coming->recv(r.from, slot);
  } catch (const std::exception&) { broken_ = std::current_exception(); }
}

void Meeting::meet(uint64_t mark, const void* bytes, size_t n, Milliseconds timeout) {
  if (broken_) std::rethrow_exception(broken_);
  parts_[0].mark = mark;
  if (n) std::memcpy(parts_[0].bytes.data(), bytes, n);
  const Deadline end = Clock::now() + timeout;
  const auto left = [&] { return std::chrono::ceil<Milliseconds>(end - Clock::now()); };
  for (auto& r : rounds_) {
    going_->send(r.to, slot, 0, r.bytes);
    r.coming->waitRecv(left());
  }
  for (size_t i = 0; i < rounds_.size(); ++i) going_->waitSend(left());
  seen_ = parts_;
  if (std::any_of(seen_.begin(), seen_.end(), [&](const Part& p) { return p.mark != mark; }))
    throw Error(ErrorCode::peer, "another rank calls something else");
  expect();
}

}  // namespace luth::dist
