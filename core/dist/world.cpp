#include "core/dist/world.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <thread>

#include "core/base/text.h"
#include "core/dist/alone.h"
#include "core/dist/attempt.h"
#include "core/dist/environment.h"
#include "core/dist/file_store.h"

namespace luth::dist {
namespace {

constexpr Milliseconds farewell{10'000};  // how long rank 0 keeps the store for the others
constexpr Milliseconds haste{2'000};      // the same after a failure
constexpr Milliseconds glance{20};
constexpr const char* key_of_up = "up";

struct World {
  std::unique_ptr<StoreServer> server;  // of rank 0
  std::shared_ptr<Store> store;
  std::shared_ptr<TcpStore> tcp;  // the same, where it is one
  std::shared_ptr<FileStore> file;
  GroupRef group;
  std::vector<GroupRef> others;
  std::string own_address, prefix;
  int groups = 0;       // made so far, on all ranks
  bool failed = false;  // tell_end() has been called
};

// Files of stores that this process has used. A file goes when all have ended, and not when they leave a run, since
// they may join another one by it.
struct UsedFile {
  std::shared_ptr<FileStore> file;
  std::string key;
  int processes;
};
std::map<std::string, UsedFile>& used_files() {
  static auto& m = *new std::map<std::string, UsedFile>;
  return m;
}

World*& the_world() {
  static World* w = nullptr;
  return w;
}

World& need_world() {
  if (World* w = the_world()) return *w;
  throw Error(
      ErrorCode::usage,
      "there is no process group yet: call torch.distributed.init_process_group first, in a process that a launcher "
      "has started (`luth launch --nproc 2 script.lua`)");
}

struct Place {
  int rank, size;
  std::string file;  // of a FileStore; "": a TCP store at
  Address master;
  std::optional<Start> start;                  // tells where that is, where no master is given
  bool one_machine = false, machines = false;  // which it is, where the launcher tells
};

[[noreturn]] void no_place(const char* what, const std::string& method) {
  throw Error(ErrorCode::usage,
              "init_process_group: {} is unknown; start the script by `luth launch --nproc N`, or give {{rank = …, "
              "world_size = …, init_method = 'tcp://host:port'}} (init_method is '{}')",
              what, method);
}

// MPI knows the processes by itself; what else is said of them must say the same.
void take_ranks(Place& p, const Start& start, const std::optional<Launch>& launch) {
  const auto differs = [&](const std::string& who, int rank, int size) {
    if ((rank >= 0 && rank != start.rank) || (size >= 0 && size != start.size))
      throw Error(ErrorCode::usage,
                  "init_process_group: to {} this is rank {} of {}, and {} says rank {} of {}; start the script by the "
                  "mpirun of this MPI (`mpirun -n 2 luth script.lua`), or choose the other one by LUTH_MPI=openmpi or "
                  "LUTH_MPI=mpich",
                  start.source, start.rank, start.size, who, rank, size);
  };
  if (launch) differs("the launcher (" + launch->source + ")", launch->rank, launch->world_size);
  differs("the call", p.rank, p.size);
  p.rank = start.rank, p.size = start.size;
}

// What the call says goes before what the environment says.
Place find_place(const InitOptions& o, std::optional<Start> start) {
  const std::string method = o.init_method.empty() ? "env://" : o.init_method;
  Place p{o.rank, o.world_size, "", {}, std::nullopt};
  const bool by_environment = method == "env://";
  if (!by_environment && !method.starts_with("tcp://") && !method.starts_with("file://") && !o.store)
    throw Error(ErrorCode::usage,
                "init_process_group: init_method is env://, tcp://host:port or file:///path, got '{}'", method);
  const auto launch = start || p.rank < 0 || p.size < 0 || by_environment ? launch_environment() : std::nullopt;
  if (start) take_ranks(p, *start, launch);
  if (launch) p.rank = p.rank < 0 ? launch->rank : p.rank, p.size = p.size < 0 ? launch->world_size : p.size;
  if (launch && launch->local_world_size) {
    p.one_machine = launch->local_world_size == p.size;
    p.machines = !p.one_machine;
  }
  if (p.size == 1 && p.rank < 0) p.rank = 0;
  if (p.size < 0 && !launch && std::getenv("RANK"))
    throw Error(ErrorCode::usage,
                "init_process_group: RANK is set and WORLD_SIZE is not; a process of a run needs both");
  if (p.rank < 0) no_place("the rank of this process (RANK)", method);
  if (p.size < 0) no_place("the number of processes (WORLD_SIZE)", method);
  if (p.size < 1 || p.rank >= p.size)
    throw Error(ErrorCode::usage, "init_process_group: rank {} of {} processes; ranks count from 0", p.rank, p.size);
  if (o.store) return p;
  if (method.starts_with("file://"))
    p.file = method.substr(7);
  else if (method.starts_with("tcp://"))
    p.master = parse_address(method.substr(6), "init_method tcp://");
  else if (start && !(launch && std::getenv("MASTER_ADDR")))
    p.start = start;
  else if (launch && launch->master)
    p.master = *launch->master;
  else if (p.size == 1)
    p.master = {"127.0.0.1", 0};
  else
    no_place("the address of rank 0 (MASTER_ADDR and MASTER_PORT)", method);
  return p;
}

// All processes must agree on how many they are.
void check_size(Store& store, int size) {
  const std::string first = store.compare_set("world_size", "", std::to_string(size));
  if (first != std::to_string(size))
    throw Error(ErrorCode::usage, "init_process_group: world_size is {} here and {} in another process of the run",
                size, first);
}

void check_rank(Store& store, int rank) {
  if (store.add("taken/" + std::to_string(rank), 1) != 1)
    throw Error(
        ErrorCode::usage,
        "init_process_group: another process has rank {} already; each needs a number of its own, and each run an "
        "address or a file of its own",
        rank);
}

// Rank 0 listens at the port, and tells the others where.
Address meet(const Start& start, int port, Milliseconds timeout) {
  const std::string mine = fmt::format("{} {}", port, fmt::join(machine_addresses(), " "));
  std::istringstream told(start.share(mine, timeout));
  std::vector<std::string> hosts;
  told >> port;
  for (std::string host; told >> host;) hosts.push_back(host);
  return first_reachable(hosts, port);
}

// `luth launch` listens at the port that it gives to its processes. They may meet at another one, too.
bool is_kept_by_launcher(int port) {
  const char *up = std::getenv("LUTH_STORE_IS_UP"), *its = std::getenv("MASTER_PORT");
  return up && *up == '1' && its && std::to_string(port) == its;
}

std::shared_ptr<Store> find_store(World& w, const InitOptions& o, Place& p, Milliseconds timeout) {
  if (o.store) return o.store;
  if (!p.file.empty()) return w.file = std::make_shared<FileStore>(p.file, timeout);
  const bool kept = is_kept_by_launcher(p.master.port);
  if (p.size == 1 && !kept && !o.init_method.starts_with("tcp://")) return make_own_store(timeout);
  if (p.rank == 0 && !kept) {
    w.server = std::make_unique<StoreServer>(p.master.port);
    p.master.port = w.server->port();
  }
  if (p.start) p.master = meet(*std::exchange(p.start, std::nullopt), p.master.port, timeout);
  w.tcp = std::make_shared<TcpStore>(p.master, timeout);
  return w.tcp;
}

// The address of this machine for the other processes: by which it reaches the store, if that is no loopback, of which
// other machines know nothing. A host's own name is often a loopback's, too.
std::string find_own_address(const Store& store, const Place& p) {
  const auto* tcp = dynamic_cast<const TcpStore*>(&store);
  const std::string by_store = tcp ? tcp->own_address() : p.one_machine || p.size == 1 ? "127.0.0.1" : "";
  const bool is_loopback = by_store.starts_with("127.") || by_store == "::1";
  return by_store.empty() || (is_loopback && p.machines) ? machine_addresses().front() : by_store;
}

// Waits until rank 0 has begun this start; false where the store has gone, which was that of the start before.
bool is_up(Store& store, const Place& p, Deadline deadline) {
  if (p.rank == 0) return store.set(key_of_up, ""), true;
  try {
    if (store.wait_until({key_of_up}, deadline)) return true;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::peer || Clock::now() >= deadline) throw;
    std::this_thread::sleep_for(glance);
    return false;
  }
  throw Error(ErrorCode::peer,
              "init_process_group: rank 0 has not come to the store within {:g} s; has it ended, or does it call "
              "init_process_group with another address?",
              double(store.timeout().count()) / 1000);
}

// The keys of a start lie below a prefix of its own: a launcher that starts a run again keeps its store, and a process
// may leave a run and join it again.
void open_store(World& w, const InitOptions& o, Place p, Milliseconds timeout) {
  static auto& starts = *new std::map<std::string, int>;  // those that have come up, by store
  int& before = starts[o.store ? "" : p.file.empty() ? to_text(p.master) : p.file];
  const char* text = std::getenv("LUTH_RESTART_COUNT");
  const std::string attempt = text ? text : "0", start = std::to_string(before + 1);
  w.prefix = prefix_of(attempt, start);
  const Deadline end = Clock::now() + timeout;
  do {
    const auto store = find_store(w, o, p, timeout);
    if (p.rank == 0) store->set(key_of_start(attempt), start);
    w.store = std::make_shared<PrefixStore>(w.prefix, store);
    w.own_address = find_own_address(*store, p);
  } while (!is_up(*w.store, p, end));
  ++before;
  if (w.file) used_files().insert_or_assign(p.file, UsedFile{w.file, "at an end/" + attempt, p.size});
}

Milliseconds usual_timeout() {
  const char* text = std::getenv("LUTH_DIST_TIMEOUT");
  if (!text || !*text) return default_timeout;
  const double seconds = to_double(text).value_or(0);
  if (!(seconds > 0 && seconds < 1e9))
    throw Error(ErrorCode::usage, "LUTH_DIST_TIMEOUT is in seconds, above 0, got '{}'", text);
  return Milliseconds(std::max<int64_t>(1, int64_t(seconds * 1000)));
}

template <class F>
void quietly(F&& f) noexcept {
  try {
    f();
  } catch (const std::exception&) {}  // the others have gone already
}

// Rank 0, where it has the store, keeps it until the others have left or failed.
void keep_store(const World& w, int size, Milliseconds time) {
  const Deadline end = Clock::now() + time;
  for (int r = 1; w.server && r < size; ++r) w.store->wait_until({key_of_end(r)}, end);
}
void keep_store(const World& w) {
  keep_store(w, w.group->size(), std::min(w.failed ? haste : farewell, w.group->timeout()));
}

// What a process says that ends: where another one is the reason, with a mark.
std::string last_words(ErrorCode code, const std::string& why) {
  return std::string(code == ErrorCode::peer, because_of_peer) + why.substr(0, why.find('\n'));
}

// The others wait for this process, and learn why it does not come. Not from one too many of its rank, though.
void tell_failed_start(const World& w, const Place& p, bool is_in, const Error& e) noexcept {
  const Hurry hurry;
  quietly([&] {
    if (!is_in && w.store->find("group/0/" + std::string(key_of_all))) return;
    w.store->compare_set(key_of_end(p.rank), "", last_words(e.code(), e.what()));
    keep_store(w, p.size, haste);
  });
}

void leave(World& w) {
  const std::string mark(w.group->has_failed(), because_of_peer);  // others look for who was the first
  if (!w.failed) w.store->set(key_of_end(w.group->rank()), mark + has_left);
  if (w.tcp) w.tcp->leave();
}

// Without destructors: threads of the group may wait for ranks that never come.
void leave_at_exit() {
  static World* const w = std::exchange(the_world(), nullptr);  // static: kept to the end
  if (w && !w->failed) {                                        // other ranks need what GPUs were given
    for (auto& g : w->others) g->drain();
    w->group->drain();
  }
  const Hurry hurry;
  quietly([&] {
    if (!w) return;
    leave(*w);
    if (!w->server) return;  // the end of the process ends its connections
    for (auto& g : w->others) g->hang_up(w->failed);
    w->group->hang_up(w->failed);
    keep_store(*w);
  });
  if (w && w->failed) return;
  for (auto& [path, f] : used_files()) quietly([&f = f] { f.file->leave(f.key, f.processes); });
}

GroupRef make_group(World& w, const std::string& backend, std::vector<int> ranks, int place, Milliseconds timeout) {
  GroupSetup s;
  s.name = std::to_string(w.groups++);
  s.backend = backend;
  s.world_store = w.store;
  s.store = std::make_shared<PrefixStore>("group/" + s.name, w.store);
  s.ranks = std::move(ranks);
  s.rank = place;
  s.own_address = w.own_address;
  s.timeout = timeout;
  return place < 0 ? nullptr : std::make_shared<ProcessGroup>(std::move(s));
}

}  // namespace

void init_process_group(const InitOptions& o) {
  if (the_world())
    throw Error(ErrorCode::usage, "init_process_group was called before; call destroy_process_group first");
  const std::string backend = o.backend.empty() ? "gloo" : o.backend;
  const Milliseconds timeout = o.timeout.value_or(usual_timeout());
  if (timeout <= Milliseconds(0))
    throw Error(ErrorCode::usage, "init_process_group: timeout should be above 0 seconds");
  const Place p = find_place(o, o.backend.empty() ? std::nullopt : start_backend(backend));
  auto w = std::make_unique<World>();
  open_store(*w, o, p, timeout);
  bool is_in = false;
  try {
    check_size(*w->store, p.size);
    check_rank(*w->store, p.rank);
    if (w->tcp) w->tcp->stay(w->prefix + "/" + key_of_end(p.rank), "");
    is_in = true;
    std::vector<int> ranks;
    for (int r = 0; r < p.size; ++r) ranks.push_back(r);
    w->group = make_group(*w, backend, ranks, p.rank, timeout);
  } catch (const Error& e) {
    tell_failed_start(*w, p, is_in, e);
    throw;
  }
  the_world() = w.release();
  static const bool at_exit = (std::atexit(leave_at_exit), true);
  (void)at_exit;
}

bool is_initialized() { return the_world() != nullptr; }
const GroupRef& world() { return need_world().group; }

GroupRef find_group(const std::string& name) {
  const World& w = need_world();
  if (name.empty() || name == w.group->name()) return w.group;
  for (auto& g : w.others)
    if (g->name() == name) return g;
  throw Error("this process is in no group '{}'; groups are those of this run, from new_group", name);
}

GroupRef new_group(std::vector<int> ranks, const std::string& backend, std::optional<Milliseconds> timeout) {
  World& w = need_world();
  std::sort(ranks.begin(), ranks.end());
  const bool twice = std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end();
  if (ranks.empty() || twice || ranks.front() < 0 || ranks.back() >= w.group->size())
    throw Error(ErrorCode::usage, "new_group: ranks are different numbers from 0 to {}", w.group->size() - 1);
  const auto here = std::find(ranks.begin(), ranks.end(), w.group->rank());
  const int place = here == ranks.end() ? -1 : int(here - ranks.begin());
  GroupRef g = make_group(w, backend.empty() ? w.group->backend_name() : backend, std::move(ranks), place,
                          timeout.value_or(w.group->timeout()));
  if (g) w.others.push_back(g);
  return g;
}

void destroy_group(const GroupRef& g) {
  g->close();
  if (World* w = the_world()) std::erase(w->others, g);
}

void destroy_process_group() {
  const std::unique_ptr<World> w(std::exchange(the_world(), nullptr));
  if (!w) return;
  const Hurry hurry;
  for (auto& g : w->others) g->close();
  w->group->close();
  quietly([&] {
    leave(*w);  // the store may end then
    keep_store(*w);
  });
}

void tell_end(ErrorCode code, const std::string& why) noexcept {
  World* w = the_world();
  if (!w || w->failed) return;
  w->failed = true;
  const Hurry hurry;
  quietly([&] { w->store->set(key_of_end(w->group->rank()), last_words(code, why)); });
}

}  // namespace luth::dist
