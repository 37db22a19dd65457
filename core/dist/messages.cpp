#include "core/dist/messages.h"

#include <algorithm>

namespace luth::dist {
namespace {
constexpr size_t most_counts = 4096;  // of tags; messages of further ones are not compared
}

Messages::Ref Messages::begin(Message m) {
  const std::lock_guard lock(mutex_);
  return waiting_.insert(waiting_.end(), std::move(m));
}

void Messages::end(Ref m, int peer) {
  const std::lock_guard lock(mutex_);
  const Ends ends{peer, m->ends.sends, m->ends.tag};
  waiting_.erase(m);
  if (peer < 0) return;
  if (const auto it = counts_.find(ends); it != counts_.end())
    ++it->second;
  else if (counts_.size() < most_counts)
    counts_[ends] = 1;
}

// The key of the next message's place, "" where it is not known.
std::string Messages::place(int peer, const Ends& ends) {
  const auto it = counts_.find({peer, ends.sends, ends.tag});
  if (it == counts_.end() && counts_.size() >= most_counts) return "";
  const int from = ends.sends ? rank_ : peer, to = ends.sends ? peer : rank_;
  return fmt::format("message/{}/{}/{}/{}", from, to, ends.tag, it == counts_.end() ? 0 : it->second);
}

// Whether the next message of the tag is this one's, and not that of a receive that takes any rank's.
bool Messages::is_certain(const Message& m) const {
  return m.ends.sends || std::none_of(waiting_.begin(), waiting_.end(), [&](const Message& other) {
           return &other != &m && !other.ends.sends && other.ends.tag == m.ends.tag &&
                  (other.ends.peer < 0 || m.ends.peer < 0);
         });
}

std::vector<Waiting> Messages::waiting_since(Deadline before, const std::string& rank_name) {
  const std::lock_guard lock(mutex_);
  std::vector<Waiting> all;
  for (const Message& m : waiting_) {
    if (m.record.began > before || !is_certain(m)) continue;
    Waiting w{"a message", {}, m.common, fmt::format("{} calls {}", rank_name, to_text(m.record))};
    for (int peer = 0; peer < size_; ++peer)
      if (peer != rank_ && (m.ends.peer < 0 || m.ends.peer == peer)) w.places.push_back(place(peer, m.ends));
    if (std::none_of(w.places.begin(), w.places.end(), [](const std::string& p) { return p.empty(); }))
      all.push_back(std::move(w));
  }
  return all;
}

}  // namespace luth::dist
