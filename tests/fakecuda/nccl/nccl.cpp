// libnccl.so.2 for machines without GPUs: NCCL's interface over the fake CUDA runtime. An operation reads its memory
// when its stream reaches it, and the stream stands still until the hub has answered. It is strict about what it is
// given.
//
// FAKENCCL_SEED=n      ranks are late by up to 3 ms, and calls return before they have been given to the stream
// FAKENCCL_KILL=r:n    rank r of a communicator of several ranks dies by SIGKILL when its n-th operation begins
// FAKENCCL_STOP=r:n    the same by SIGSTOP
// FAKENCCL_FAIL=r:n:e  that operation never ends, and the communicator of rank r has the asynchronous error e
// FAKENCCL_DEATH=remote   the end of a rank is an asynchronous error of the others; else they wait for it
// FAKENCCL_VERSION=n   what ncclGetVersion says
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "devices/cuda/libraries/nccl_api.h"
#include "fakecuda.h"
#include "tests/fakecuda/nccl/hub.h"
#include "tests/fakecuda/runtime/random.h"

namespace fakenccl {
namespace {

using namespace luth::cuda::nccl;

int number_in(const char* variable, int otherwise) {
  const char* v = std::getenv(variable);
  return v && *v ? std::atoi(v) : otherwise;
}

/// "rank:operation" or "rank:operation:error" of a variable, for the operation that it names.
std::optional<int> ordered(const char* variable, int rank, int operation) {
  const char* v = std::getenv(variable);
  int r = -1, n = -1, error = 0;
  if (!v || std::sscanf(v, "%d:%d:%d", &r, &n, &error) < 2 || r != rank || n != operation) return std::nullopt;
  return error;
}

/// One part of an operation: what it sends, and where its answer goes.
struct Item {
  Call call;
  const char* from = nullptr;
  size_t bytes = 0;  // of `from`
  char* to = nullptr;
};
/// An operation that was given to a stream.
struct Flight {
  std::vector<Item> items;
  std::vector<std::vector<char>> answers;
  std::atomic<size_t> open{0};
};

struct Comm {
  int rank = 0, size = 1, device = 0, operations = 0;
  bool blocking = true;
  std::atomic<bool> welcome = false, aborted = false;
  std::atomic<Result> error = Result::success;
  std::mutex mutex;  // of what follows
  std::string last_error;
  std::function<void()> later;  // a call that has returned in_progress
  int patience = 0;             // how often it is asked for before that runs
  uint64_t tickets = 0, turns = 0;
  std::map<uint64_t, std::pair<std::shared_ptr<Flight>, size_t>> flights;  // by ticket: and which item
  fake::Random random;
  std::unique_ptr<Channel> channel;  // last: its threads use the rest
};
using CommRef = std::shared_ptr<Comm>;

std::mutex lock;
std::map<Communicator*, CommRef>& comms() {
  static auto& all = *new std::map<Communicator*, CommRef>;
  return all;
}
CommRef find(Communicator* c) {
  const std::lock_guard hold(lock);
  const auto it = comms().find(c);
  return it == comms().end() ? nullptr : it->second;
}

Result refuse(Comm& c, const std::string& why, Result result = Result::invalid_argument) {
  const std::lock_guard hold(c.mutex);
  c.last_error = why;
  return result;
}

// ---- operations ----

void got(Comm& c, Message m) {
  if (m.call.kind == Kind::hello) {
    c.welcome = true;
  } else if (m.call.kind == Kind::died) {
    refuse(c, "a remote rank has ended its connection");
    c.error = Result::remote_error;
  } else {
    const std::lock_guard hold(c.mutex);
    const auto it = c.flights.find(m.ticket);
    if (it == c.flights.end()) return;
    auto [flight, item] = it->second;
    c.flights.erase(it);
    flight->answers[item] = std::move(m.data);
    --flight->open;
  }
}

void begin(Comm& c, const std::shared_ptr<Flight>& flight) {
  if (c.aborted) return;
  const int number = ++c.operations;
  if (c.size > 1 && ordered("FAKENCCL_KILL", c.rank, number)) ::kill(getpid(), SIGKILL);
  if (c.size > 1 && ordered("FAKENCCL_STOP", c.rank, number)) ::kill(getpid(), SIGSTOP);
  if (const auto error = ordered("FAKENCCL_FAIL", c.rank, number)) {
    refuse(c, "the test asked for an error");
    c.error = Result(*error);
    return;
  }
  for (size_t i = 0; i < flight->items.size(); ++i) {
    const Item& item = flight->items[i];
    Message m{item.call, 0, 0, {item.from, item.from + item.bytes}};
    {
      const std::lock_guard hold(c.mutex);
      m.ticket = ++c.tickets;
      if (item.call.kind != Kind::send && item.call.kind != Kind::recv) m.turn = ++c.turns;
      c.flights[m.ticket] = {flight, i};
    }
    c.channel->send(std::move(m));
  }
}

void end(Comm& c, const Flight& flight) {
  if (c.aborted) return;
  for (size_t i = 0; i < flight.items.size(); ++i)
    if (flight.items[i].to && !flight.answers[i].empty())
      std::memcpy(flight.items[i].to, flight.answers[i].data(), flight.answers[i].size());
}

void launch(const CommRef& c, cudaStream_t stream, std::vector<Item> items) {
  auto flight = std::make_shared<Flight>();
  flight->open = items.size();
  flight->answers.resize(items.size());
  flight->items = std::move(items);
  const auto ready = [c, flight] { return flight->open == 0 || c->aborted; };
  fake::queue_outside_work(
      stream, [c, flight] { begin(*c, flight); }, ready, [c, flight] { end(*c, *flight); });
}

// As an asynchronous communicator may do, it returns before `f` has run; async_error() runs it.
Result now_or_later(Comm& c, std::function<void()> f) {
  std::unique_lock hold(c.mutex);
  if (c.blocking || !std::getenv("FAKENCCL_SEED") || c.random.chance(0.5)) {
    hold.unlock();
    f();
    return Result::success;
  }
  c.later = std::move(f);
  c.patience = int(c.random.below(3));
  return Result::in_progress;
}

// ---- groups of calls ----

struct Grouped {
  CommRef comm;
  cudaStream_t stream;
  std::vector<Item> items;
};
thread_local int depth = 0;
thread_local std::vector<Grouped> grouped;

Result give(const CommRef& c, cudaStream_t stream, Item item) {
  if (depth == 0) return now_or_later(*c, [=] { launch(c, stream, {item}); });
  for (auto& g : grouped)
    if (g.comm == c && g.stream == stream) return g.items.push_back(item), Result::success;
  grouped.push_back({c, stream, {item}});
  return Result::success;
}

bool is_on(int device, const void* p) {
  cudaPointerAttributes a{};
  return cudaPointerGetAttributes(&a, p) == cudaSuccess && a.type == cudaMemoryTypeDevice && a.device == device;
}

size_t bytes_of(Type type) {
  constexpr size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[size_t(type)];
}

// The checks of each call, then the call. `sent`, `received`: elements; none where the pointer is not used.
Result call(Communicator* handle, cudaStream_t stream, Call what, const void* from, size_t sent, void* to,
            size_t received) {
  const CommRef c = find(handle);
  if (!c) return Result::invalid_argument;
  if (c->error != Result::success) return c->error;
  {
    const std::lock_guard hold(c->mutex);
    if (c->later || !c->welcome) return c->last_error = "a call before this one is in progress", Result::invalid_usage;
  }
  if (what.type < 0 || what.type > int(Type::bf16)) return refuse(*c, "there is no such type");
  if (what.op < 0 || what.op > int(Op::avg)) return refuse(*c, "there is no such reduction");
  if (what.peer < 0 || what.peer >= c->size) return refuse(*c, fmt::format("there is no rank {}", what.peer));
  const size_t bytes = bytes_of(Type(what.type));
  if (sent && !is_on(c->device, from)) return refuse(*c, "what is sent is not in the memory of the device");
  if (received && !is_on(c->device, to)) return refuse(*c, "what is received is not in the memory of the device");
  return give(c, stream,
              {what, static_cast<const char*>(from), sent * bytes, received ? static_cast<char*>(to) : nullptr});
}

// ---- communicators ----

void run_later(Comm& c) {
  std::unique_lock hold(c.mutex);
  if (!c.later || c.patience-- > 0) return;
  const auto f = std::exchange(c.later, nullptr);
  hold.unlock();
  f();
}

Result remove(Communicator* handle) {
  CommRef c;
  {
    const std::lock_guard hold(lock);
    const auto it = comms().find(handle);
    if (it == comms().end()) return Result::invalid_argument;
    c = it->second;
    comms().erase(it);
  }
  c->aborted = true;  // what the streams still have ends
  c->channel->close();
  return Result::success;
}

}  // namespace
}  // namespace fakenccl

using namespace fakenccl;

#pragma GCC visibility push(default)
extern "C" {

Result ncclGetVersion(int* version) {
  *version = number_in("FAKENCCL_VERSION", 22809);
  return Result::success;
}

const char* ncclGetErrorString(Result r) {
  constexpr const char* texts[] = {"no error",
                                   "unhandled cuda error",
                                   "unhandled system error",
                                   "internal error",
                                   "invalid argument",
                                   "invalid usage",
                                   "remote process exited or there was a network error",
                                   "NCCL operation in progress"};
  return texts[size_t(r) % std::size(texts)];
}

Result ncclGetUniqueId(UniqueId* id) {
  static std::atomic<int> made{0};
  *id = {};
  const std::string name = fmt::format("luth-fakenccl-{}-{}", getpid(), made++);
  std::memcpy(id->bytes, name.data(), name.size());
  return Hub::start(name) ? Result::success : Result::system_error;
}

Result ncclCommInitRankConfig(Communicator** handle, int size, UniqueId id, int rank, Config* config) {
  if (rank < 0 || rank >= size || !config || config->size < sizeof(Config) || config->magic != Config().magic)
    return Result::invalid_argument;
  const int fd = Hub::connect(id.bytes);
  if (fd < 0) return Result::system_error;
  auto c = std::make_shared<Comm>();
  c->rank = rank, c->size = size, c->blocking = config->blocking != 0;
  const int seed = number_in("FAKENCCL_SEED", 0);
  c->random = fake::Random(uint64_t(seed) * 1000 + uint64_t(rank));
  cudaGetDevice(&c->device);
  Comm* raw = c.get();  // which outlives its channel
  const auto pause = [seed, random = fake::Random(uint64_t(seed) * 77 + uint64_t(rank))]() mutable {
    if (seed) usleep(random.below(3000));
  };
  c->channel = std::make_unique<Channel>(
      fd, [raw](Message m) { got(*raw, std::move(m)); },
      [raw] {
        if (!raw->aborted && std::getenv("FAKENCCL_DEATH")) got(*raw, {{Kind::died}, 0, 0, {}});
      },
      pause);
  c->channel->send({{Kind::hello, 0, 0, rank, uint64_t(size)}, 0, 0, {}});
  *handle = reinterpret_cast<Communicator*>(raw);
  {
    const std::lock_guard hold(lock);
    comms()[*handle] = c;
  }
  while (c->blocking && !c->welcome) usleep(100);
  return c->welcome ? Result::success : Result::in_progress;
}

Result ncclCommGetAsyncError(Communicator* handle, Result* error) {
  const CommRef c = find(handle);
  if (!c) return Result::invalid_argument;
  run_later(*c);
  const std::lock_guard hold(c->mutex);
  *error = c->error != Result::success ? c->error.load()
           : c->later || !c->welcome   ? Result::in_progress
                                       : Result::success;
  return Result::success;
}

const char* ncclGetLastError(Communicator* handle) {
  static thread_local std::string text;
  const CommRef c = find(handle);
  if (!c) return "";
  const std::lock_guard hold(c->mutex);
  text = c->last_error;
  return text.c_str();
}

Result ncclCommFinalize(Communicator* handle) {
  const CommRef c = find(handle);
  return c ? now_or_later(*c, [] {}) : Result::invalid_argument;
}
Result ncclCommDestroy(Communicator* handle) { return remove(handle); }
Result ncclCommAbort(Communicator* handle) { return remove(handle); }

Result ncclGroupStart() {
  ++depth;
  return Result::success;
}
Result ncclGroupEnd() {
  if (depth == 0) return Result::invalid_usage;
  if (--depth > 0) return Result::success;
  Result all = Result::success;
  for (auto& g : std::exchange(grouped, {}))
    if (now_or_later(*g.comm, [g] { launch(g.comm, g.stream, g.items); }) != Result::success) all = Result::in_progress;
  return all;
}

Result ncclAllReduce(const void* from, void* to, size_t n, Type type, Op op, Communicator* c, cudaStream_t s) {
  return call(c, s, {Kind::all_reduce, int(type), int(op), 0, n}, from, n, to, n);
}
Result ncclBroadcast(const void* from, void* to, size_t n, Type type, int root, Communicator* c, cudaStream_t s) {
  const CommRef comm = find(c);
  return call(c, s, {Kind::broadcast, int(type), 0, root, n}, from, comm && comm->rank == root ? n : 0, to, n);
}
Result ncclReduce(const void* from, void* to, size_t n, Type type, Op op, int root, Communicator* c, cudaStream_t s) {
  const CommRef comm = find(c);
  return call(c, s, {Kind::reduce, int(type), int(op), root, n}, from, n, to, comm && comm->rank == root ? n : 0);
}
Result ncclAllGather(const void* from, void* to, size_t n, Type type, Communicator* c, cudaStream_t s) {
  const CommRef comm = find(c);
  return call(c, s, {Kind::all_gather, int(type), 0, 0, n}, from, n, to, comm ? n * size_t(comm->size) : n);
}
Result ncclReduceScatter(const void* from, void* to, size_t n, Type type, Op op, Communicator* c, cudaStream_t s) {
  const CommRef comm = find(c);
  return call(c, s, {Kind::reduce_scatter, int(type), int(op), 0, n}, from, comm ? n * size_t(comm->size) : n, to, n);
}
Result ncclSend(const void* from, size_t n, Type type, int peer, Communicator* c, cudaStream_t s) {
  return call(c, s, {Kind::send, int(type), 0, peer, n}, from, n, nullptr, 0);
}
Result ncclRecv(void* to, size_t n, Type type, int peer, Communicator* c, cudaStream_t s) {
  return call(c, s, {Kind::recv, int(type), 0, peer, n}, nullptr, 0, to, n);
}

}  // extern "C"
#pragma GCC visibility pop
