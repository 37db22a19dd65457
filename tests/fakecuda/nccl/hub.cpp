#include "tests/fakecuda/nccl/hub.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "core/base/block_signals.h"

namespace fakenccl {
namespace {

std::pair<sockaddr_un, socklen_t> address_of(const std::string& name) {
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  std::memcpy(a.sun_path + 1, name.data(), std::min(name.size(), sizeof a.sun_path - 1));  // abstract: no file
  return {a, socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size())};
}

// FAKENCCL_DEATH=remote: ranks learn of the end of another, as over a network. Else they wait, as within a machine.
bool tells_of_death() {
  const char* v = std::getenv("FAKENCCL_DEATH");
  return v && !std::strcmp(v, "remote");
}

}  // namespace

bool Hub::start(const std::string& name) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto [address, size] = address_of(name);
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) || ::listen(fd, 64)) return false;
  const luth::BlockSignals blocked;
  std::thread([hub = new Hub(fd)] { hub->accept_all(); }).detach();
  return true;
}

int Hub::connect(const std::string& name) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto [address, size] = address_of(name);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0) return fd;
  ::close(fd);
  return -1;
}

void Hub::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const std::lock_guard lock(mutex_);
    const int connection = int(channels_.size());
    channels_.push_back(std::make_unique<Channel>(
        fd, [this, connection](Message m) { got(connection, std::move(m)); },
        [this, connection] { ended(connection); }));
  }
}

void Hub::got(int connection, Message m) {
  const std::lock_guard lock(mutex_);
  if (m.call.kind == Kind::hello) return welcome(connection, std::move(m));
  const int rank = ranks_[connection];
  if (m.call.kind == Kind::send || m.call.kind == Kind::recv) {
    const bool sends = m.call.kind == Kind::send;
    const std::pair<int, int> pair = sends ? std::pair(rank, m.call.peer) : std::pair(m.call.peer, rank);
    (sends ? sends_ : receives_)[pair].push_back(std::move(m));
    return match(pair);
  }
  const uint64_t turn = m.turn;
  Round& round = rounds_[turn];
  round[rank] = std::move(m);
  if (round.size() < size_) return;
  finish(round);
  rounds_.erase(turn);
}

void Hub::ended(int connection) {
  const std::lock_guard lock(mutex_);
  if (!tells_of_death()) return;
  for (auto& [rank, other] : connections_)
    if (other != connection) channels_[size_t(other)]->send({{Kind::died}, 0, 0, {}});
}

// `peer` is the rank, `count` the number of ranks. All are answered when all have come.
void Hub::welcome(int connection, Message m) {
  const int rank = m.call.peer;
  size_ = m.call.count;
  ranks_[connection] = rank;
  connections_[rank] = connection;
  hellos_[rank] = std::move(m);
  if (hellos_.size() < size_) return;
  for (auto& [r, hello] : hellos_) answer(r, hello);
}

void Hub::answer(int rank, const Message& question, std::vector<char> data) {
  channels_[size_t(connections_[rank])]->send({question.call, question.ticket, question.turn, std::move(data)});
}

void Hub::match(std::pair<int, int> pair) {
  auto &sends = sends_[pair], &receives = receives_[pair];
  while (!sends.empty() && !receives.empty()) {
    const Message from = std::move(sends.front()), to = std::move(receives.front());
    sends.pop_front(), receives.pop_front();
    if (from.call.count != to.call.count || from.call.type != to.call.type) continue;  // no answer
    answer(pair.first, from);
    answer(pair.second, to, from.data);
  }
}

void Hub::finish(const Round& round) {
  const Call& call = round.begin()->second.call;
  std::vector<const std::vector<char>*> parts;
  for (auto& [rank, m] : round) {
    if (m.call != call) return;  // calls that differ: no answer
    parts.push_back(&m.data);
  }
  std::vector<char> all;
  const size_t n = call.kind == Kind::reduce_scatter ? call.count * round.size() : call.count;
  if (call.kind == Kind::broadcast)
    all = *parts[size_t(call.peer)];
  else if (call.kind == Kind::all_gather)
    for (auto* part : parts) all.insert(all.end(), part->begin(), part->end());
  else
    all = combine(parts, call.type, call.op, n);
  for (auto& [rank, m] : round) {
    if (call.kind == Kind::reduce && rank != call.peer) {
      answer(rank, m);
    } else if (call.kind == Kind::reduce_scatter) {
      const auto piece = ptrdiff_t(all.size() / round.size());
      answer(rank, m, {all.begin() + rank * piece, all.begin() + (rank + 1) * piece});
    } else {
      answer(rank, m, all);
    }
  }
}

}  // namespace fakenccl
