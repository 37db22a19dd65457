// Groups of processes that call collectives together.
#pragma once
#include <atomic>
#include <map>

#include "core/dist/backend.h"
#include "core/dist/call_record.h"
#include "core/dist/streamed_call.h"
#include "core/dist/tcp_store.h"
#include "core/dist/watch.h"

namespace luth::dist {

/// What one message has in common with those that it may not overtake: the other rank of the group (-1: any), whether
/// this one sends, the tag.
struct Ends {
  int peer = 0;
  bool sends = false;
  uint32_t tag = 0;
  auto operator<=>(const Ends&) const = default;
};

struct GroupSetup {
  std::string name;                           // unique, the same on all ranks
  std::string backend;                        // "gloo"
  std::shared_ptr<Store> world_store, store;  // of the run, and of this group alone
  std::vector<int> ranks;                     // of the run, in the order of the group's ranks
  int rank = 0;                               // this process's in the group
  std::string own_address;
  Milliseconds timeout{};
};

/// Collectives are given in the same order on all ranks of the group. Each has a number, and a record that other ranks
/// read when something goes wrong: then the error names the rank that has ended, or has not come, or has called
/// something else.
class ProcessGroup final : private Watched {
 public:
  explicit ProcessGroup(GroupSetup setup);
  ~ProcessGroup() override;
  ProcessGroup(const ProcessGroup&) = delete;

  const std::string& name() const { return setup_.name; }
  const std::string& backend_name() const { return setup_.backend; }
  const std::vector<int>& ranks() const { return setup_.ranks; }
  int rank() const { return setup_.rank; }
  int size() const { return int(setup_.ranks.size()); }
  Milliseconds timeout() const { return setup_.timeout; }

  /// Takes tensors of the device, maybe as copies on its own device. Throws ErrorCode::usage where none does.
  Backend& backend_for(const Device& where) const;
  /// Takes tensors of the CPU, where one does.
  Backend& backend() const;

  using Call = StreamedCall::Call;
  /// Runs a collective of tensors of a device on the group's thread, or gives it to the stream of a GPU. `call` is what
  /// all ranks should have in common.
  WorkRef run(const Device& where, const std::string& call, Milliseconds timeout, Call f);
  /// Runs a message beside collectives and all messages but those of the same ends, which keep their order.
  WorkRef run_message(const Device& where, const std::string& call, Ends ends, Milliseconds timeout, Call f);
  /// Whether a call has failed because of another rank.
  bool has_failed() const { return failed_; }
  /// Waits until GPUs have done what they were given, or its time is over. Never throws.
  void drain();
  /// Ends what waits and takes no more calls.
  void close();
  /// Before the process ends, which may take a while: ends the host's connections, so that ranks that wait for it learn
  /// of it now. Not where calls still run and none has failed, unless `at_once`.
  void hang_up(bool at_once) noexcept;

  /// The rank's number in the run.
  std::string rank_name(int rank) const { return "rank " + std::to_string(setup_.ranks[size_t(rank)]); }

 private:
  void watch() override;
  void look_after() override;
  std::string explain_running(const std::string& reason) override;

  struct Seen;
  class StartStore;
  CallRecord record_of(const std::string& call, int64_t number) const;
  void assemble(Store& store, const std::string& key);
  void check_call(const CallRecord& r, Deadline deadline);
  void post(const CallRecord& r);
  Seen look();
  std::string who_ended(bool because_of_peers);
  std::string who_differs(const CallRecord& mine, const Seen& seen) const;
  std::string where_others_are(const CallRecord& mine, const Seen& seen) const;
  std::string ask_others(const CallRecord& r, const std::string& failure);
  std::string explain(const CallRecord& r, Milliseconds timeout, const std::string& reason);
  [[noreturn]] void fail(const CallRecord& r, Milliseconds timeout, const Error& reason);

  template <class F>
  void guarded(Backend& b, const CallRecord& r, Milliseconds timeout, F&& f);
  void finish(StreamedCall& call, Backend& b, Milliseconds timeout);
  Lane& message_lane(const Ends& ends);

  GroupSetup setup_;
  std::vector<std::pair<std::string, std::unique_ptr<Backend>>> backends_;  // by the kind of devices, "": all
  bool check_all_ = false;                                                  // LUTH_DIST_CHECK=1
  int64_t calls_ = 0;                                                       // given

  std::mutex mutex_;  // of what follows, up to the lanes
  CallRecord record_;
  std::string posted_;
  bool warned_ = false;
  std::atomic<bool> connected_ = false, closed_ = false, failed_ = false;

  std::map<Ends, std::unique_ptr<Lane>> message_lanes_;
  std::unique_ptr<Lane> lane_;
};
using GroupRef = std::shared_ptr<ProcessGroup>;

/// The key of the run's store that says that the rank has ended, and how: a sentence, which begins with this mark where
/// another rank was the reason.
std::string key_of_end(int rank);
inline constexpr char because_of_peer = '>';
inline constexpr const char* has_left = "it has left the run";
/// The key of a group's store that says that all ranks have come.
inline constexpr const char* key_of_all = "all";
/// For a backend that cannot go on, from any thread: what an error of the calls that are running would say, where
/// `reason` is all that is known. It tells the other ranks too.
std::string explain_pending(const std::string& reason);

}  // namespace luth::dist
