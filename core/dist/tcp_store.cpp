// Messages are lists of byte strings: their number, then length and bytes of each, in numbers of 32 bits,
// little-endian. A request is an operation and its arguments; the answer to it "ok" and results, or "late".
#include "core/dist/tcp_store.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>

#include "core/base/block_signals.h"
#include "core/base/visible.h"

namespace luth::dist {
namespace {

constexpr size_t most_shown = 60;  // bytes of a stranger's answer

// ---- The server ----

constexpr Milliseconds full_pause{100};  // without a free descriptor, before the next look at who has come

struct Guest {
  explicit Guest(Socket s) : socket(std::move(s)) {}
  Socket socket;
  bool has_asked = false;
  std::string in, out;
  Fields waits_for;  // keys; empty: it waits for nothing
  Deadline until{};
  std::string key_at_end, value_at_end;
};

class Server {
 public:
  Server(const Socket& listener, int stop) : listener_(listener), stop_(stop) {}

  void run() {
    for (std::vector<pollfd> fds; look(fds);) {
      size_t i = 2;
      for (auto guest = guests_.begin(); guest != guests_.end(); ++i) {
        const auto now = guest++;
        if (i < fds.size() && fds[i].revents && !serve(*now, fds[i].revents)) farewell(now);
      }
      if (fds[1].revents || is_full_) greet();
      answer_waiting();
    }
  }

 private:
  // False when it should stop.
  bool look(std::vector<pollfd>& fds) {
    fds.assign({{stop_, POLLIN, 0}, {is_full_ ? -1 : listener_.fd(), POLLIN, 0}});
    Milliseconds left = is_full_ ? full_pause : std::chrono::hours(1);
    for (Guest& g : guests_) {
      fds.push_back({g.socket.fd(), short(g.out.empty() ? POLLIN : POLLOUT), 0});
      if (!g.waits_for.empty())
        left = std::min(left, std::chrono::ceil<Milliseconds>(std::max(g.until - Clock::now(), Clock::duration(0))));
    }
    const int n = ::poll(fds.data(), fds.size(), int(left.count()));
    if (n < 0) fds.resize(2), fds[0].revents = fds[1].revents = 0;  // EINTR
    return !fds[0].revents;
  }

  // Without a free descriptor, who comes takes that of a guest who has never asked.
  void greet() {
    do {
      while (Socket s = accept_from(listener_)) guests_.emplace_back(std::move(s));
      is_full_ = errno == EMFILE || errno == ENFILE;
    } while (is_full_ && dismiss_silent());
  }

  bool dismiss_silent() {
    const auto silent = std::find_if(guests_.begin(), guests_.end(), [](const Guest& g) { return !g.has_asked; });
    return silent != guests_.end() && (guests_.erase(silent), true);
  }

  void farewell(std::list<Guest>::iterator guest) {
    if (!guest->key_at_end.empty()) table_.set_if_absent(guest->key_at_end, guest->value_at_end);
    guests_.erase(guest);
  }

  // False when the connection has ended. Who does not take its answers is not heard.
  bool serve(Guest& g, int events) {
    if (events & POLLOUT && !(flush(g) && take_messages(g))) return false;
    if (!(events & (POLLIN | POLLHUP | POLLERR))) return true;
    char piece[1 << 14];
    for (ssize_t n; (n = ::recv(g.socket.fd(), piece, sizeof piece, 0)) != 0;) {
      if (n < 0) return errno == EAGAIN || errno == EINTR ? take_messages(g) : false;
      g.in.append(piece, size_t(n));
      if (g.in.size() > most_bytes + sizeof piece) return false;
    }
    take_messages(g);
    return false;
  }

  bool take_messages(Guest& g) {
    while (g.in.size() >= 4 && g.waits_for.empty() && g.out.empty()) {
      const uint32_t size = length_at(g.in, 0);
      if (size > most_bytes) return false;
      if (g.in.size() - 4 < size) return true;
      const auto request = decode(g.in.substr(4, size));
      g.in.erase(0, 4 + size);
      if (!request || !obey(g, *request)) return false;
      g.has_asked = true;
    }
    return true;
  }

  bool flush(Guest& g) {
    const ssize_t n = ::send(g.socket.fd(), g.out.data(), g.out.size(), MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    g.out.erase(0, size_t(n));
    return true;
  }

  void answer(Guest& g, const Fields& fields) {
    g.out += encode(fields);
    flush(g);
  }

  // False for what is no request.
  bool obey(Guest& g, const Fields& r) {
    const size_t n = r.size() - 1;
    if (const auto result = table_.obey(r)) {
      answer(g, *result);
    } else if (r[0] == "wait" && n >= 2 && to_number(r[1])) {
      g.until = Clock::now() + Milliseconds(std::clamp<int64_t>(*to_number(r[1]), 0, int64_t(1) << 40));
      g.waits_for.assign(r.begin() + 2, r.end());
    } else if (r[0] == "stay" && n == 2) {
      g.key_at_end = r[1], g.value_at_end = r[2];
      answer(g, {"ok"});
    } else if (r[0] == "leave" && n == 0) {
      g.key_at_end.clear();
      answer(g, {"ok"});
    } else {
      return false;
    }
    return true;
  }

  void answer_waiting() {
    const Deadline now = Clock::now();
    for (Guest& g : guests_) {
      if (g.waits_for.empty()) continue;
      const bool all = table_.has_all(g.waits_for);
      if (!all && now < g.until) continue;
      g.waits_for.clear();
      answer(g, {all ? "ok" : "late"});
    }
  }

  const Socket& listener_;
  int stop_;
  std::list<Guest> guests_;
  bool is_full_ = false;  // no descriptor was free
  Table table_;
};

}  // namespace

StoreServer::StoreServer(int port, bool here_only) : listener_(listen_at(port, here_only)), port_(port_of(listener_)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC)) throw Error("cannot make a pipe: {}", std::strerror(errno));
  stop_read_ = Socket(ends[0]), stop_write_ = Socket(ends[1]);
  const BlockSignals blocked;
  thread_ = std::thread([this] { Server(listener_, stop_read_.fd()).run(); });
}

StoreServer::~StoreServer() {
  stop_write_ = Socket();
  stop_write_ = Socket();  // the pipe ends, and so does the thread
  thread_.join();
}

// ---- The client ----

TcpStore::TcpStore(Address server, Milliseconds timeout) : Store(timeout), server_(std::move(server)) {
  Socket first = connect_to(server_, Clock::now() + timeout);
  own_ = dist::own_address(first);
  idle_.push_back(std::move(first));
}
TcpStore::~TcpStore() = default;

Socket TcpStore::take(Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Socket s = std::move(idle_.back());
      idle_.pop_back();
      return s;
    }
  }
  return connect_to(server_, lost_ ? std::min(deadline, Clock::now() + soon / 10) : deadline);
}

// An answer that is no store's: another program has the port.
void TcpStore::refuse(const std::string& answer) const {
  throw Error(ErrorCode::usage,
              "what answers at {} is no store of luth: its answer begins with '{}'; is this port another program's? "
              "Choose another MASTER_PORT on all ranks",
              to_text(server_), foreign(answer.substr(0, answer.find_first_of("\r\n")), most_shown));
}

void TcpStore::lost() {
  lost_ = true;
  if (!known_)
    throw Error(ErrorCode::peer,
                "what listens at {} has closed the connection without an answer: rank 0 or the launcher has ended, or "
                "the port is another program's",
                to_text(server_));
  throw Error(ErrorCode::peer, "the store at {} is gone: the process that keeps it, rank 0 or the launcher, has ended",
              to_text(server_));
}

std::optional<Fields> TcpStore::exchange(Socket& s, const Fields& request, Deadline deadline) {
  const std::string message = encode(request);
  if (send_all(s, message.data(), message.size(), deadline) != Transfer::done) lost();
  std::string head(4, '\0'), body;
  Transfer got = receive_all(s, head.data(), head.size(), deadline);
  if (got == Transfer::done) {
    const uint32_t size = length_at(head, 0);
    const bool fits = size <= most_bytes;
    body.resize(fits ? size : most_shown);
    got = receive_all(s, body.data(), body.size(), fits ? deadline : Clock::now() + soon / 10);
    if (!fits) refuse(head + body.c_str());
  }
  silent_ = got == Transfer::late;
  if (silent_) return std::nullopt;
  if (got != Transfer::done) lost();
  const auto answer = decode(body);
  if (!answer) refuse(head + body);
  lost_ = false, known_ = true;
  return answer;
}

// Who did not answer is not asked for long again.
Milliseconds TcpStore::patience() const { return Hurry::on() && silent_ ? soon / 10 : Store::patience(); }

// A call that is interrupted or late loses its connection: an answer may still come there.
std::optional<Fields> TcpStore::ask(const Fields& request, Deadline deadline) {
  Socket s = take(deadline);
  auto answer = exchange(s, request, deadline);
  if (!answer) return answer;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(s));
  return answer;
}

Fields TcpStore::ask(const Fields& request) {
  if (auto answer = ask(request, Clock::now() + patience())) return *answer;
  throw Error(ErrorCode::peer, "the store at {}, which rank 0 or the launcher keeps, does not answer",
              to_text(server_));
}

bool TcpStore::wait_until(const Fields& keys, Deadline deadline) {
  if (keys.empty()) return true;
  const auto left = std::max(std::chrono::ceil<Milliseconds>(deadline - Clock::now()), Milliseconds(0));
  Fields request{"wait", std::to_string(left.count())};
  request.insert(request.end(), keys.begin(), keys.end());
  // It is the server who says that it is late.
  const auto answer = ask(request, std::max(deadline + soon, Clock::now() + patience()));
  return answer && (*answer)[0] == "ok";
}

void TcpStore::stay(const std::string& key, const std::string& value) {
  const Deadline deadline = Clock::now() + timeout();
  Socket s = take(deadline);
  if (!exchange(s, {"stay", key, value}, deadline)) lost();
  stay_ = std::move(s);
}
void TcpStore::leave() {
  if (stay_) exchange(stay_, {"leave"}, Clock::now() + patience());
  stay_ = Socket();
}

}  // namespace luth::dist
