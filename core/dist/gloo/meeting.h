// What all ranks of a group say before a call.
#pragma once
#include <array>
#include <cstddef>

#include "core/dist/gloo/mesh.h"

namespace luth::dist {

/// Each rank brings a mark and a few bytes, and gets those of all. In about log2(size) messages each, of a length that
/// is the same for all calls: so what differs is seen by all ranks, in the same call, before anything is mixed.
class Meeting {
 public:
  static constexpr size_t most_bytes = 56;
  explicit Meeting(std::shared_ptr<Mesh> mesh);
  /// Throws on all ranks where marks differ. One call at a time.
  void meet(uint64_t mark, const void* bytes, size_t n, Milliseconds timeout);
  /// What the rank has brought, until the next call.
  const void* bytes_of(int rank) const { return seen_[place_of(rank)].bytes.data(); }

 private:
  struct Part {
    uint64_t mark = 0;
    std::array<std::byte, most_bytes> bytes{};
  };
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;
  struct Round {
    int to, from;
    size_t bytes;   // of the parts that are sent, and of those that come
    Buffer coming;  // after those that are there
  };
  size_t place_of(int rank) const { return size_t(rank - mesh_->rank + mesh_->size) % parts_.size(); }
  void expect() noexcept;

  std::shared_ptr<Mesh> mesh_;
  std::vector<Part> parts_, seen_;  // of this rank, the next one and so on; seen: of the last call
  Buffer going_;
  std::vector<Round> rounds_;
  std::exception_ptr broken_;
};

}  // namespace luth::dist
