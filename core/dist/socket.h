// TCP connections with deadlines. Knows nothing of what is sent.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace luth::dist {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
using Milliseconds = std::chrono::milliseconds;

/// A descriptor that is closed at the end of a scope.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& o) noexcept : fd_(o.release()) {}
  Socket& operator=(Socket&& o) noexcept;
  ~Socket();
  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  int release();

 private:
  int fd_ = -1;
};

/// "10.0.0.1:29500" taken apart; "[::1]:80" for IPv6. Throws ErrorCode::usage naming `what`.
struct Address {
  std::string host;
  int port = 0;
};
Address parse_address(const std::string& text, const std::string& what);
std::string to_text(const Address& a);

/// Listens at the port of all interfaces, or, `here_only`, where this machine alone reaches it; port 0: one that is
/// free. Throws with the port and the reason.
Socket listen_at(int port, bool here_only = false);
int port_of(const Socket& listener);
/// The other side's connection; null where none is waiting.
Socket accept_from(const Socket& listener);
/// Tries until somebody listens there. Throws ErrorCode::peer at the deadline, or where the host has no address for a
/// minute.
Socket connect_to(const Address& address, Deadline deadline);
/// The address of this machine by which it reaches the other side.
std::string own_address(const Socket& connection);

/// The addresses of this machine, for others to try: of its interfaces that are up, $GLOO_SOCKET_IFNAME's alone where
/// it is set, and the loopback's last.
std::vector<std::string> machine_addresses();
/// The first of the hosts that answers at the port. Throws ErrorCode::peer, naming all, where none does.
Address first_reachable(const std::vector<std::string>& hosts, int port);

/// What an exchange of bytes ended with.
enum class Transfer { done, closed, late };
/// All bytes, or why not. The calling thread may be interrupted (core/base/interrupt.h).
Transfer send_all(const Socket& s, const void* bytes, size_t size, Deadline deadline);
Transfer receive_all(const Socket& s, void* bytes, size_t size, Deadline deadline);

/// Waits until `fd` can be read (or written), at most to the deadline. Returns false at the deadline.
bool wait_for(int fd, bool to_write, Deadline deadline);

}  // namespace luth::dist
