#include "core/dist/process_group.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/warn.h"
#include "core/dist/alone.h"
#include "core/tensor/source_mark.h"

namespace luth::dist {
namespace {

constexpr Milliseconds second{1'000}, stall{30'000}, patience{2'000}, glance{50};
constexpr Milliseconds last_words{1'000};       // for work that a rank has done before it left
constexpr std::chrono::microseconds poll{200};  // of a GPU
constexpr size_t many_lanes = 16;

std::string seconds(Milliseconds t) { return fmt::format("{:g} s", double(t.count()) / 1000); }

}  // namespace

std::string key_of_end(int rank) { return "ended/" + std::to_string(rank); }

// The store, to a rank that waits in it for others: not for one that has ended.
class ProcessGroup::StartStore final : public Store {
 public:
  explicit StartStore(ProcessGroup& g) : Store(g.setup_.store->timeout()), group_(g) {}
  bool wait_until(const Fields& keys, Deadline deadline) override {
    while (!group_.setup_.store->wait_until(keys, std::min(deadline, Clock::now() + second))) {
      if (Clock::now() >= deadline) return false;
      if (!group_.who_ended(true).empty()) throw Error(ErrorCode::peer, "not all ranks have come");
    }
    return true;
  }
  Fields ask(const Fields& request) override { return group_.setup_.store->ask(request); }

 private:
  ProcessGroup& group_;
};

// What the ranks have said of themselves.
struct ProcessGroup::Seen {
  std::vector<Post> posts;  // by rank
};

ProcessGroup::ProcessGroup(GroupSetup setup) : setup_(std::move(setup)) {
  const char* check = std::getenv("LUTH_DIST_CHECK");
  check_all_ = check && std::string_view(check) == "1";
  const CallRecord start = record_of("the start of the group " + name(), 0);
  record_ = start;
  if (size() > 1) the_watch().add(this);
  try {
    const auto store = std::make_shared<StartStore>(*this);
    assemble(*store, key_of_all);
    for (auto& c : parse_backends(setup_.backend)) {
      const BackendSetup setup{store,       setup_.world_store, setup_.ranks,
                               setup_.rank, setup_.own_address, setup_.timeout};
      // Gloo for one rank needs no library, since there is nobody to send to
      const bool alone = c.backend == "gloo" && size() == 1;
      backends_.emplace_back(c.kind, alone ? make_backend_of_one() : make_backend(c.backend, setup));
    }
    assemble(*store, "connected");  // nobody leaves while others still connect
  } catch (const Error& e) {
    the_watch().remove(this);
    fail(start, setup_.timeout, e);
  }
  const std::lock_guard lock(mutex_);
  record_.ended = connected_ = true;
  lane_ = std::make_unique<Lane>();
}

ProcessGroup::~ProcessGroup() { close(); }

void ProcessGroup::close() {
  drain();
  if (closed_.exchange(true)) return;
  the_watch().remove(this);
  for (auto& [kind, b] : backends_) b->close();
  message_lanes_.clear();
  lane_.reset();
  backends_.clear();
  setup_.store = setup_.world_store = nullptr;
}

void ProcessGroup::hang_up(bool at_once) noexcept {
  if (closed_) return;
  bool is_idle = lane_->is_idle();
  for (auto& [ends, lane] : message_lanes_) is_idle = is_idle && lane->is_idle();
  for (auto& [kind, b] : backends_)
    if (!b->stream() && (is_idle || at_once || failed_)) b->abort(nullptr);
}

void ProcessGroup::drain() {
  if (closed_ || std::none_of(backends_.begin(), backends_.end(), [](auto& b) { return b.second->stream(); })) return;
  lane_->drain();
  for (auto& [ends, lane] : message_lanes_) lane->drain();
}

Backend& ProcessGroup::backend_for(const Device& where) const {
  if (closed_) throw Error("the process group '{}' has been destroyed", name());
  for (auto& [kind, b] : backends_) {
    const Device& own = b->device();
    if (!kind.empty() && kind != where.kind()) continue;
    if (own.on_host() || &own == &where) return *b;
    throw Error(ErrorCode::usage,
                "the group '{}' is on {}, and a tensor of the call on {}; call torch.cuda.set_device "
                "before init_process_group, or move the tensor",
                name(), own.name(), where.name());
  }
  throw Error(ErrorCode::usage,
              "the group '{}' has the backend {}, which takes no tensors of {}; move them, or use one "
              "such as 'cpu:gloo,cuda:nccl'",
              name(), backend_name(), where.name());
}

Backend& ProcessGroup::backend() const {
  if (closed_) throw Error("the process group '{}' has been destroyed", name());
  for (auto& [kind, b] : backends_)
    if (b->device().on_host()) return *b;
  return *backends_.front().second;
}

CallRecord ProcessGroup::record_of(const std::string& call, int64_t number) const {
  if (closed_) throw Error("{}: the process group '{}' has been destroyed", call, name());
  return {number, call, at_source_mark(source_mark()), false, Clock::now()};
}

// Returns when all ranks are here, or throws when one has ended.
void ProcessGroup::assemble(Store& store, const std::string& key) {
  if (store.add("number/" + key, 1) == size()) store.set(key, "");
  if (!store.wait_until({key}, Clock::now() + timeout())) throw Error("not all ranks have come");
}

// What a call throws, explained; after that a GPU does no more of the group's work.
template <class F>
void ProcessGroup::guarded(Backend& b, const CallRecord& r, Milliseconds timeout, F&& f) {
  try {
    try {
      f();
    } catch (const Error& e) { fail(r, timeout, e); }
  } catch (const Error& e) {
    if (e.code() == ErrorCode::peer) b.abort(std::current_exception());
    throw;
  }
}

// Waits, on a thread of the group, until the GPU has done it.
void ProcessGroup::finish(StreamedCall& call, Backend& b, Milliseconds timeout) {
  const Deadline end = Clock::now() + timeout;
  Deadline next_look = Clock::now() + glance, give_up = Deadline::max();
  while (!call.done()) {
    const Deadline now = Clock::now();
    if (const std::string trouble = b.trouble(); !trouble.empty()) throw Error("{}", trouble);
    if (now > end) throw Error("the GPU still waits for other ranks");
    if (now > give_up) throw Error("a rank has ended");
    if (now > next_look) {
      next_look = now + 4 * glance;
      const std::string who = who_ended(true);
      if (!who.empty()) give_up = std::min(give_up, who.ends_with(has_left) ? now + last_words : now);
    }
    std::this_thread::sleep_for(poll);
  }
}

WorkRef ProcessGroup::run(const Device& where, const std::string& call, Milliseconds timeout, Call f) {
  const CallRecord given = record_of(call, calls_ + 1);
  Backend& b = backend_for(where);
  ++calls_;
  auto work = std::make_shared<Work>(call);
  const auto streamed = b.stream() ? std::make_shared<StreamedCall>(b, *b.stream(), f) : nullptr;
  if (streamed && !check_all_) guarded(b, given, timeout, [&] { streamed->start(*work); });
  const auto task = [this, &b, given, timeout, streamed, f = std::move(f)](Work& w) {
    CallRecord record = given;
    record.began = Clock::now();
    {
      const std::lock_guard lock(mutex_);
      record_ = record, warned_ = false;
    }
    b.begin(mark_of(record));
    guarded(b, record, timeout, [&] {
      if (check_all_) check_call(record, Clock::now() + timeout);
      if (!streamed) return f(b, w);
      streamed->start(w);
      finish(*streamed, b, timeout);
    });
    const std::lock_guard lock(mutex_);
    record_.ended = true;
  };
  if (size() == 1 && !streamed)
    work->run(task);  // nobody is waited for
  else
    lane_->give(work, task);
  return work;
}

// A thread for each; where there are many, those that have nothing to do end.
Lane& ProcessGroup::message_lane(const Ends& ends) {
  if (message_lanes_.size() >= many_lanes && !message_lanes_.contains(ends))
    std::erase_if(message_lanes_, [](auto& entry) { return entry.second->is_idle(); });
  auto& lane = message_lanes_[ends];
  if (!lane) lane = std::make_unique<Lane>();
  return *lane;
}

WorkRef ProcessGroup::run_message(const Device& where, const std::string& call, Ends ends, Milliseconds timeout,
                                  Call f) {
  const CallRecord record = record_of(call, 0);
  Backend& b = backend_for(where);
  Lane& lane = message_lane(ends);
  auto work = std::make_shared<Work>(call);
  Stream* stream = b.message_stream(ends.peer, ends.sends);
  const auto streamed = stream ? std::make_shared<StreamedCall>(b, *stream, f) : nullptr;
  lane.give(work, [this, &b, record, timeout, streamed, f = std::move(f)](Work& w) {
    guarded(b, record, timeout, [&] {
      if (!streamed) return f(b, w);
      streamed->start(w);
      finish(*streamed, b, timeout);
    });
  });
  return work;
}

void ProcessGroup::post(const CallRecord& r) {
  const std::string text = to_post(r);
  {
    const std::lock_guard lock(mutex_);
    if (text == posted_) return;
  }
  setup_.store->set(key_of_post(rank()), text);
  const std::lock_guard lock(mutex_);
  posted_ = text;
}

ProcessGroup::Seen ProcessGroup::look() {
  Seen seen;
  for (int r = 0; r < size(); ++r) seen.posts.push_back(read_post(setup_.store->find(key_of_post(r)).value_or("")));
  return seen;
}

// "rank 2 has ended: …", "" where none has. Those that have ended because of another one count on request.
std::string ProcessGroup::who_ended(bool because_of_peers) {
  std::string text;
  for (int r = 0; r < size() && text.empty(); ++r) {
    if (r == rank()) continue;
    const auto how = setup_.world_store->find(key_of_end(setup_.ranks[size_t(r)]));
    if (!how) continue;
    const bool is_reason = !how->starts_with(because_of_peer);
    if (is_reason || because_of_peers)
      text = fmt::format("{} has ended{}{}", rank_name(r), how->empty() ? "" : ": ", how->substr(is_reason ? 0 : 1));
  }
  return text;
}

// "call 7 of the group '0' differs: …", "" where the ranks that wait in a call of this number wait in the same.
std::string ProcessGroup::who_differs(const CallRecord& mine, const Seen& seen) const {
  for (int r = 0; mine.number && r < size(); ++r)
    if (const Post& p = seen.posts[size_t(r)]; p.waits && p.number == mine.number && call_of(p.text) != mine.call) {
      std::string first = rank_name(rank()) + " calls " + to_text(mine), second = rank_name(r) + " calls " + p.text;
      if (r < rank()) std::swap(first, second);  // the same text on both
      return fmt::format("call {} of the group '{}' differs: {}, and {}", mine.number, name(), first, second);
    }
  return "";
}

// "rank 2 has not come; it was last seen in …; rank 1 waits there too"
std::string ProcessGroup::where_others_are(const CallRecord& mine, const Seen& seen) const {
  std::string text;
  for (int r = 0; r < size(); ++r) {
    if (r == rank()) continue;
    const Post& p = seen.posts[size_t(r)];
    const std::string numbers =
        mine.number ? fmt::format(" (call {}, here it is {})", p.number, mine.number) : "";  // messages have none
    std::string what;
    if (p.text.empty())
      what = "has not come";
    else if (p.waits && (p.number == mine.number || p.number == 0))
      what = p.text == to_text(mine) ? "waits there too" : "waits in " + p.text;
    else if (p.waits && p.number > mine.number)
      what = "waits in " + p.text + numbers;
    else
      what = "has not come; it was last seen in " + p.text + numbers;
    text += (text.empty() ? "" : "; ") + rank_name(r) + " " + what;
  }
  return text;
}

// What the others say of a call that has failed. The first reason goes before those that ended because of it, for which
// they leave some time.
std::string ProcessGroup::ask_others(const CallRecord& r, const std::string& failure) {
  setup_.world_store->set(key_of_failed_call(setup_.ranks[size_t(rank())]), to_text(r));
  post(r);
  Seen seen;
  for (const Deadline end = Clock::now() + patience; Clock::now() < end; std::this_thread::sleep_for(glance)) {
    const std::string known = find_difference(*setup_.store);
    if (!known.empty())
      return known.find(to_text(r)) != known.npos
                 ? known
                 : fmt::format("{} of {} cannot end, because {}", to_text(r), rank_name(rank()), known);
    seen = look();
    if (const std::string text = who_differs(r, seen); !text.empty()) {
      settle_difference(*setup_.store, text);
      return text;
    }
    if (const std::string who = who_ended(Clock::now() > end - patience / 2); !who.empty())
      return fmt::format("{} of {} cannot end, because {}", to_text(r), rank_name(rank()), who);
    const bool all_here = std::all_of(seen.posts.begin(), seen.posts.end(),
                                      [&](const Post& p) { return p.waits && p.number == r.number; });
    if (all_here) break;
  }
  return failure + "; " + where_others_are(r, seen);
}

std::string ProcessGroup::explain(const CallRecord& r, Milliseconds timeout, const std::string& reason) {
  const std::string here = fmt::format("{} of {}", to_text(r), rank_name(rank()));
  if (closed_) return here + " was ended: its process group has been destroyed";
  const bool late = Clock::now() - r.began >= timeout;
  const std::string failure = late ? fmt::format("{} has not ended within {}: {}", here, seconds(timeout), reason)
                                   : here + " failed: " + reason;
  const Hurry hurry;
  try {
    return ask_others(r, failure);
  } catch (const Error& e) { return failure + "; the other ranks cannot be asked: " + e.what(); }
}

// Throws what is certain, which needs no other rank, or else what the others say.
void ProcessGroup::fail(const CallRecord& r, Milliseconds timeout, const Error& reason) {
  if (reason.code() != ErrorCode::peer && reason.code() != ErrorCode::runtime) throw Error(reason);
  failed_ = true;
  throw Error(ErrorCode::peer, "{}", explain(r, timeout, reason.what()));
}

std::string ProcessGroup::explain_running(const std::string& reason) {
  CallRecord r;
  {
    const std::lock_guard lock(mutex_);
    r = record_;
  }
  if (r.ended) return "";
  const std::string text = explain(r, setup_.timeout, reason);
  const Hurry hurry;
  try {
    setup_.world_store->set(key_of_end(setup_.ranks[size_t(rank())]), because_of_peer + text);
  } catch (const Error&) {}  // the others learn less
  return text;
}

std::string explain_pending(const std::string& reason) {
  std::string all;
  the_watch().each([&](Watched& g) {
    if (const std::string text = g.explain_running(reason); !text.empty())
      all += (all.empty() ? "" : "\nluth: ") + text;
  });
  return all.empty() ? reason : all;
}

// Compares the call with those of the other ranks before it runs.
void ProcessGroup::check_call(const CallRecord& r, Deadline deadline) {
  const auto key = [&](int rank, int64_t number) { return fmt::format("call/{}/{}", number, rank); };
  setup_.store->set(key(rank(), r.number), to_post(r));
  std::vector<std::string> keys;
  for (int other = 0; other < size(); ++other) keys.push_back(key(other, r.number));
  if (!setup_.store->wait_until(keys, deadline)) throw Error("not all ranks have come");
  Seen seen;
  for (auto& k : keys) seen.posts.push_back(read_post(setup_.store->find(k).value_or("")));
  if (const std::string text = who_differs(r, seen); !text.empty()) {
    post(r);
    throw Error(ErrorCode::peer, "{}", text);
  }
  if (r.number > 2) setup_.store->remove(key(rank(), r.number - 2));
}

void ProcessGroup::look_after() {
  if (!connected_) return;
  for (auto& [kind, b] : backends_) b->look();
}

void ProcessGroup::watch() {
  if (failed_) return;  // the others should know the call that failed
  CallRecord r;
  {
    const std::lock_guard lock(mutex_);
    r = record_;
  }
  const auto since = Clock::now() - r.began;
  try {
    post(r);
    if (r.ended || since < stall) return;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(warned_, true)) return;
    }
    warn_at("", fmt::format("{} of {} waits for {}: {}", to_text(r), rank_name(rank()),
                            seconds(std::chrono::round<std::chrono::seconds>(since)), where_others_are(r, look())));
  } catch (const Error&) {}  // the call itself will say so
}

}  // namespace luth::dist
