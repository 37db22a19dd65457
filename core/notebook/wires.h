// The wires of a notebook's kernel: its five sockets, and what this process writes. The library that knows ZeroMQ is
// opened on first use.
//
// Source of the protocol: "Messaging in Jupyter", version 5.3 (jupyter-client.readthedocs.io).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace luth::notebook {

/// Where a kernel listens: what a connection file says.
struct Places {
  std::string transport, ip;  // "tcp", "127.0.0.1"
  int shell = 0, iopub = 0, input = 0, control = 0, heartbeat = 0;
};
enum class Channel { shell, control, input, iopub };
using Frames = std::vector<std::string>;

/// What the thread of the wires calls; none may throw or wait.
struct Listener {
  /// A message came.
  std::function<void(Channel, Frames)> received;
  /// The process has written text to stdout (1) or stderr (2). The result is a message for Channel::iopub.
  std::function<Frames(int descriptor, std::string text)> written;
  /// About a second has passed.
  std::function<void()> tick;
};

/// The open sockets, and the thread that serves them. The end waits until all has been sent, at most a second.
class Wires {
 public:
  virtual ~Wires() = default;
  /// Sends a message after all that the process has written before; any thread may.
  virtual void send(Channel channel, Frames frames) = 0;
};

/// What the library provides.
struct Library {
  /// Binds the sockets and reads `outputs`, the descriptors that stand for stdout and stderr. Throws ErrorCode::usage
  /// for a place that cannot be had.
  std::unique_ptr<Wires> (*open)(const Places& places, const int (&outputs)[2], Listener listener);
  /// HMAC-SHA256 of the frames from `first` on, in hexadecimal.
  std::string (*sign)(const std::string& key, const Frames& frames, size_t first);
  /// Whether two signatures are equal, in a time that does not tell where they differ.
  bool (*equal)(const std::string& a, const std::string& b);
};
void add_library(const Library* library);
/// The library. Throws where it cannot be opened, and names what it needs.
const Library& library();

}  // namespace luth::notebook
