#include "core/notebook/wires.h"

#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/error.h"

namespace luth::notebook {
namespace {

constexpr size_t most_text = 1 << 16;  // of one message of output

// Blocks all signals for this thread, and for threads that it starts, until the end of the scope.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

// How many bytes at the end begin a character of UTF-8 that is not whole.
size_t unfinished(const std::string& text) {
  for (size_t n = 1; n <= 3 && n <= text.size(); ++n) {
    const auto c = static_cast<unsigned char>(text[text.size() - n]);
    if (c < 0x80) return 0;
    if (c >= 0xC0) return (c >= 0xF0 ? 4u : c >= 0xE0 ? 3u : 2u) > n ? n : 0;
  }
  return 0;
}

class ZmqWires final : public Wires {
 public:
  ZmqWires(const Places& places, const int (&outputs)[2], Listener listener)
      : listener_(std::move(listener)),
        outputs_{outputs[0], outputs[1]},
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    const WithoutSignals scope;
    context_ = zmq_ctx_new();
    try {
      sockets_[0] = bound(places, ZMQ_ROUTER, places.shell, "shell");
      sockets_[1] = bound(places, ZMQ_ROUTER, places.control, "control");
      sockets_[2] = bound(places, ZMQ_ROUTER, places.input, "stdin");
      sockets_[3] = bound(places, ZMQ_PUB, places.iopub, "iopub");
      heartbeat_ = bound(places, ZMQ_REP, places.heartbeat, "heartbeat");
    } catch (...) {
      close_all();
      throw;
    }
    for (int fd : outputs_) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    thread_ = std::thread([this] { serve(); });
  }

  ~ZmqWires() override {
    ending_ = true;
    wake();
    thread_.join();
    close_all();
  }

  void send(Channel channel, Frames frames) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.emplace_back(channel, std::move(frames));
    }
    wake();
  }

 private:
  void* bound(const Places& places, int kind, int port, const char* what) {
    void* socket = zmq_socket(context_, kind);
    const int linger = 1000, handover = 1;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    if (kind == ZMQ_ROUTER) zmq_setsockopt(socket, ZMQ_ROUTER_HANDOVER, &handover, sizeof handover);
    const std::string place = places.transport == "ipc" ? fmt::format("ipc://{}-{}", places.ip, port)
                                                        : fmt::format("{}://{}:{}", places.transport, places.ip, port);
    if (zmq_bind(socket, place.c_str()) == 0) return socket;
    const std::string why = zmq_strerror(zmq_errno());
    zmq_close(socket);
    throw Error(ErrorCode::usage, "the {} socket cannot listen at {}: {}", what, place, why);
  }

  void close_all() {
    for (void* socket : sockets_)
      if (socket) zmq_close(socket);
    if (heartbeat_) zmq_close(heartbeat_);
    zmq_ctx_term(context_);
    close(wake_);
  }

  void wake() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = write(wake_, &one, sizeof one);  // full: it is awake
  }

  // The frames of the message that waits at a socket.
  static Frames receive(void* socket) {
    Frames frames;
    for (int more = 1; more;) {
      zmq_msg_t message;
      zmq_msg_init(&message);
      if (zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0) return zmq_msg_close(&message), frames;
      frames.emplace_back(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
      more = zmq_msg_more(&message);
      zmq_msg_close(&message);
    }
    return frames;
  }

  static void send_now(void* socket, const Frames& frames) {
    for (size_t i = 0; i < frames.size(); ++i)
      if (zmq_send(socket, frames[i].data(), frames[i].size(), i + 1 < frames.size() ? ZMQ_SNDMORE : 0) < 0) return;
  }

  // Sends on what the process has written so far; a character that is not whole waits for its rest, a
  // second at most: then `all` is sent.
  void pass_output(bool all) {
    for (int i = 0; i < 2; ++i) {
      std::string& text = unsent_[size_t(i)];
      for (std::array<char, most_text> part;;) {
        const ssize_t n = read(outputs_[size_t(i)], part.data(), part.size());
        if (n <= 0) break;
        text.append(part.data(), size_t(n));
        send_output(i, text.size() - unfinished(text));
      }
      if (all) send_output(i, text.size());
    }
  }
  void send_output(int which, size_t bytes) {
    std::string& text = unsent_[size_t(which)];
    if (bytes) send_now(sockets_[3], listener_.written(which + 1, text.substr(0, bytes)));
    text.erase(0, bytes);
  }

  void pass_messages() {
    uint64_t count;
    [[maybe_unused]] const ssize_t n = read(wake_, &count, sizeof count);
    std::deque<std::pair<Channel, Frames>> messages;
    {
      const std::lock_guard lock(mutex_);
      messages.swap(waiting_);
    }
    pass_output(false);  // written before these were sent
    for (auto& [channel, frames] : messages) send_now(sockets_[size_t(channel)], frames);
  }

  void serve() {
    std::array<zmq_pollitem_t, 7> items{};
    for (size_t i = 0; i < 3; ++i) items[i].socket = sockets_[i];
    items[3].socket = heartbeat_;
    items[4].fd = wake_;
    items[5].fd = outputs_[0];
    items[6].fd = outputs_[1];
    for (auto& item : items) item.events = ZMQ_POLLIN;
    for (;;) {
      const int ready = zmq_poll(items.data(), int(items.size()), 1000);
      if (ready < 0 && zmq_errno() != EINTR) return;
      if (ready == 0) pass_output(true), listener_.tick();
      for (size_t i = 0; i < 3; ++i)
        if (items[i].revents)
          for (Frames frames; !(frames = receive(sockets_[i])).empty();)
            listener_.received(Channel(i), std::move(frames));
      if (items[3].revents)
        for (Frames frames; !(frames = receive(heartbeat_)).empty();) send_now(heartbeat_, frames);
      if (items[5].revents || items[6].revents) pass_output(false);
      if (items[4].revents) pass_messages();
      if (ending_) return pass_messages();
    }
  }

  Listener listener_;
  std::array<int, 2> outputs_;
  int wake_;
  void* context_ = nullptr;
  std::array<void*, 4> sockets_{};  // by Channel
  void* heartbeat_ = nullptr;
  std::array<std::string, 2> unsent_;  // of stdout and stderr
  std::mutex mutex_;
  std::deque<std::pair<Channel, Frames>> waiting_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

std::unique_ptr<Wires> open_wires(const Places& places, const int (&outputs)[2], Listener listener) {
  return std::make_unique<ZmqWires>(places, outputs, std::move(listener));
}

std::string sign(const std::string& key, const Frames& frames, size_t first) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(key.data()), key.size());
  for (size_t i = first; i < frames.size(); ++i)
    crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(frames[i].data()), frames[i].size());
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> digest;
  crypto_auth_hmacsha256_final(&state, digest.data());
  std::string text(2 * digest.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
  text.pop_back();
  return text;
}

bool equal(const std::string& a, const std::string& b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

constexpr Library functions{open_wires, sign, equal};
const struct Opener {
  Opener() {
    if (sodium_init() >= 0) add_library(&functions);
  }
} opener;

}  // namespace
}  // namespace luth::notebook
