#include "core/dist/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "core/base/interrupt.h"

namespace luth::dist {
namespace {

constexpr Milliseconds glance{100};     // how often a wait asks whether it should end
constexpr Milliseconds naming{60'000};  // for a host to get its name, as pods of Kubernetes do when they start

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// Null where the name has no address now, and may have one later.
Addresses resolve(const Address& a, bool is_last_try) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(a.host.c_str(), std::to_string(a.port).c_str(), &hints, &found);
  if (error == EAI_AGAIN || (error && !is_last_try)) return nullptr;
  if (error)
    throw Error(ErrorCode::peer, "the host '{}' has no address: {}; check MASTER_ADDR and the name server", a.host,
                gai_strerror(error));
  return Addresses(found);
}

void without_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// errno of the connection, 0 when it stands.
int finish_connecting(int fd, Deadline deadline) {
  if (!wait_for(fd, true, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

// One attempt at every address of the host. `reason`: the errno of the last.
Socket try_connect(const addrinfo* list, Deadline deadline, int& reason) {
  for (; list; list = list->ai_next) {
    Socket s(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!s) {
      reason = errno;
      continue;
    }
    reason = ::connect(s.fd(), list->ai_addr, list->ai_addrlen) ? errno : 0;
    if (reason == EINPROGRESS)
      reason = finish_connecting(s.fd(), std::min(deadline, Clock::now() + Milliseconds(5000)));
    if (reason) continue;
    without_delay(s.fd());
    return s;
  }
  return Socket();
}

// "" for what is no address of IP.
std::string text_of(const sockaddr* a) {
  if (a->sa_family != AF_INET && a->sa_family != AF_INET6) return "";
  const socklen_t size = a->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  char text[NI_MAXHOST] = "";
  getnameinfo(a, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  const std::string_view mapped = "::ffff:";  // IPv4 on a socket of IPv6
  return std::string_view(text).starts_with(mapped) ? text + mapped.size() : text;
}

template <class Move>
Transfer move_all(const Socket& s, size_t size, Deadline deadline, bool to_write, Move&& move) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = move(done);
    if (n > 0) {
      done += size_t(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!wait_for(s.fd(), to_write, deadline)) return Transfer::late;
    } else {
      return Transfer::closed;
    }
  }
  return Transfer::done;
}

}  // namespace

Socket& Socket::operator=(Socket&& o) noexcept {
  std::swap(fd_, o.fd_);
  return *this;
}
Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}
int Socket::release() { return std::exchange(fd_, -1); }

Address parse_address(const std::string& text, const std::string& what) {
  const size_t colon = text.rfind(':');
  Address a;
  if (colon != text.npos) {
    a.host = text.substr(0, colon);
    if (a.host.size() > 2 && a.host.front() == '[' && a.host.back() == ']')
      a.host = a.host.substr(1, a.host.size() - 2);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, a.port);
    if (error == std::errc() && stop == end && a.port >= 0 && a.port <= 65535 && !a.host.empty()) return a;
  }
  throw Error(ErrorCode::usage, "{} should be HOST:PORT, as in 10.0.0.1:29500; got '{}'", what, text);
}

std::string to_text(const Address& a) {
  return a.host.find(':') == a.host.npos ? fmt::format("{}:{}", a.host, a.port)
                                         : fmt::format("[{}]:{}", a.host, a.port);
}

bool wait_for(int fd, bool to_write, Deadline deadline) {
  for (;;) {
    poll_interrupt();
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
    pollfd one{fd, short(to_write ? POLLOUT : POLLIN), 0};
    if (::poll(&one, 1, int(std::clamp(left, Milliseconds(0), glance).count())) > 0) return true;
    if (left <= Milliseconds(0)) return false;
  }
}

Socket listen_at(int port, bool here_only) {
  for (int family : {AF_INET6, AF_INET}) {
    Socket s(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!s || (here_only && family == AF_INET6)) continue;  // a machine without IPv6
    const int on = 1, off = 0;
    setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6) setsockopt(s.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);  // IPv4 as well
    sockaddr_in6 six{};
    sockaddr_in four{};
    six.sin6_family = AF_INET6, six.sin6_port = htons(uint16_t(port)), six.sin6_addr = in6addr_any;
    four.sin_family = AF_INET, four.sin_port = htons(uint16_t(port)),
    four.sin_addr.s_addr = htonl(here_only ? INADDR_LOOPBACK : INADDR_ANY);
    const bool is_six = family == AF_INET6;
    const sockaddr* at = is_six ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    if (::bind(s.fd(), at, is_six ? sizeof six : sizeof four) == 0 && ::listen(s.fd(), SOMAXCONN) == 0) return s;
    if (!is_six || errno != EADDRNOTAVAIL)
      throw Error(
          ErrorCode::peer,
          "cannot listen at port {}: {}; another program, or a run that has not ended, may use it: choose another "
          "MASTER_PORT",
          port, std::strerror(errno));
  }
  throw Error(ErrorCode::peer, "cannot listen at port {}: {}", port, std::strerror(errno));
}

int port_of(const Socket& listener) {
  sockaddr_storage a{};
  socklen_t size = sizeof a;
  getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&a), &size);
  return ntohs(a.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(a).sin6_port
                                       : reinterpret_cast<sockaddr_in&>(a).sin_port);
}

Socket accept_from(const Socket& listener) {
  Socket s(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (s) without_delay(s.fd());
  return s;
}

Socket connect_to(const Address& address, Deadline deadline) {
  int reason = ETIMEDOUT;
  const Deadline named = std::min(deadline, Clock::now() + naming);
  for (Milliseconds pause{10};; pause = std::min(pause * 2, Milliseconds(500))) {
    if (const Addresses list = resolve(address, Clock::now() + pause >= named))
      if (Socket s = try_connect(list.get(), deadline, reason)) return s;
    if (Clock::now() + pause >= deadline)
      throw Error(ErrorCode::peer,
                  "cannot reach {}: {}; is rank 0 running there, are MASTER_ADDR and MASTER_PORT right, and does a "
                  "firewall let this port through?",
                  to_text(address), std::strerror(reason));
    poll_interrupt();
    std::this_thread::sleep_for(pause);
  }
}

std::string own_address(const Socket& connection) {
  sockaddr_storage a{};
  socklen_t size = sizeof a;
  getsockname(connection.fd(), reinterpret_cast<sockaddr*>(&a), &size);
  return text_of(reinterpret_cast<sockaddr*>(&a));
}

std::vector<std::string> machine_addresses() {
  const char* name = std::getenv("GLOO_SOCKET_IFNAME");
  const std::string_view wanted = name ? name : "";
  std::vector<std::string> hosts;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all)) all = nullptr;
  for (const ifaddrs* i = all; i; i = i->ifa_next) {
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP) || i->ifa_flags & IFF_LOOPBACK) continue;
    if (!wanted.empty() && wanted != i->ifa_name) continue;
    const std::string text = text_of(i->ifa_addr);
    if (!text.empty() && text.find('%') == text.npos) hosts.push_back(text);  // "fe80::1%eth0" is of one link
  }
  if (all) freeifaddrs(all);
  hosts.push_back("127.0.0.1");
  return hosts;
}

Address first_reachable(const std::vector<std::string>& hosts, int port) {
  std::string tried;
  for (auto& host : hosts) try {
      connect_to({host, port}, Clock::now() + Milliseconds(2000));
      return {host, port};
    } catch (const Error& e) {
      if (e.code() != ErrorCode::peer) throw;
      tried += (tried.empty() ? "" : ", ") + host;
    }
  throw Error(ErrorCode::peer,
              "cannot reach rank 0 at port {} of any of its addresses ({}): does a firewall let this port through? "
              "MASTER_ADDR and MASTER_PORT name another address",
              port, tried);
}

Transfer send_all(const Socket& s, const void* bytes, size_t size, Deadline deadline) {
  return move_all(s, size, deadline, true, [&](size_t done) {
    return ::send(s.fd(), static_cast<const char*>(bytes) + done, size - done, MSG_NOSIGNAL);
  });
}

Transfer receive_all(const Socket& s, void* bytes, size_t size, Deadline deadline) {
  return move_all(s, size, deadline, false,
                  [&](size_t done) { return ::recv(s.fd(), static_cast<char*>(bytes) + done, size - done, 0); });
}

}  // namespace luth::dist
