// Lets one system call of a run fail, each in turn. README.md says what must hold.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <memory>

#include "tests/faults/campaign.h"
#include "tests/faults/trace.h"

namespace luth::testing {
namespace {

constexpr int fewer = -1;  // in place of an error: the call moves one byte

struct Kind {
  const char* name;
  std::vector<long> numbers;
  std::vector<int> errors;
  bool done = false;  // the call has its effect all the same
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      // the first error comes once and for good at each place, the others once
      {"open", {SYS_open, SYS_openat}, {EMFILE, ENOSPC, EINTR}},
      {"read", {SYS_read, SYS_pread64}, {EIO, EINTR, fewer}},
      {"write", {SYS_write, SYS_pwrite64, SYS_writev}, {ENOSPC, EIO, EINTR, fewer}},
      {"sync", {SYS_fsync, SYS_fdatasync}, {EIO, EINTR}},
      {"truncate", {SYS_ftruncate, SYS_fallocate}, {ENOSPC, EINTR}},
      {"rename", {SYS_rename, SYS_renameat, SYS_renameat2}, {ENOSPC, EIO}},
      {"link", {SYS_link, SYS_linkat}, {ENOSPC, EMLINK}},
      {"unlink", {SYS_unlink, SYS_unlinkat}, {EIO, EROFS}},
      {"mkdir", {SYS_mkdir, SYS_mkdirat}, {ENOSPC, EIO}},
      {"chmod", {SYS_fchmod}, {EPERM, EIO}},
      {"flock", {SYS_flock}, {ENOLCK, EINTR}},
      {"close", {SYS_close}, {EIO, EINTR}, true},
      {"stat", {SYS_stat, SYS_lstat, SYS_fstat, SYS_newfstatat, SYS_statx}, {EIO, ENOMEM}},
      {"access", {SYS_access, SYS_faccessat, SYS_faccessat2, SYS_readlink}, {EIO}},
      {"seek", {SYS_lseek, SYS_fadvise64}, {EINVAL}},
      {"list", {SYS_getdents64}, {EIO}},
      {"descriptor", {SYS_fcntl, SYS_dup, SYS_dup2, SYS_dup3, SYS_close_range}, {EMFILE}},
      {"memory", {SYS_mmap, SYS_brk, SYS_mremap, SYS_mprotect, SYS_memfd_create}, {ENOMEM}},
      {"advice", {SYS_madvise, SYS_munmap}, {ENOMEM}, true},
      {"process", {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve}, {EAGAIN, ENOMEM}},
      {"pipe", {SYS_pipe, SYS_pipe2}, {EMFILE, ENFILE}},
      {"wait", {SYS_wait4, SYS_waitid, SYS_poll, SYS_ppoll, SYS_pselect6}, {EINTR, ENOMEM}},
      {"random", {SYS_getrandom}, {EINTR, ENOSYS}},
      {"limit", {SYS_prctl, SYS_seccomp, SYS_prlimit64, SYS_sched_getaffinity}, {EPERM}},
      {"terminal", {SYS_ioctl}, {EIO, EINTR}},
  };
  return all;
}

const std::vector<long>& numbers() {
  static const auto all = [] {
    std::vector<long> v;
    for (auto& kind : kinds()) v.insert(v.end(), kind.numbers.begin(), kind.numbers.end());
    return v;
  }();
  return all;
}

const Kind& kind_of(long number) {
  for (auto& kind : kinds())
    if (std::find(kind.numbers.begin(), kind.numbers.end(), number) != kind.numbers.end()) return kind;
  throw std::runtime_error("a call of no kind");
}

// glibc ends a process that cannot give back the stack of a thread that has ended. Linux lets only parts of mappings
// fail.
bool gives_back_a_stack(const Call& call) {
  constexpr uint64_t least = 8 << 20;  // bytes, of luth's threads
  return call.number == SYS_munmap && uint64_t(call.arguments[1]) >= least;
}

// The n-th call of a kind, of luth or of the processes that it starts.
struct Place {
  const Kind* kind;
  bool helper;
  int n;
  bool operator<(const Place& o) const { return std::tie(kind, helper, n) < std::tie(o.kind, o.helper, o.n); }
};
struct Fault {
  Place at;
  int error;
  bool for_good;
  std::string text() const {
    return fmt::format("{} {} of {}, {} {}", at.kind->name, at.n, at.helper ? "a helper" : "luth",
                       error == fewer ? "one byte" : strerrorname_np(error), for_good ? "from then on" : "once");
  }
};

struct Work {
  std::string name;
  Traced how;  // words, environment, what is typed
  Files given;
  // What is wrong after the run, and after one without fault that follows it.
  std::function<std::string(const TempDir&, const Result&)> harmed, healed;
};

void lay(const Files& files, const TempDir& dir) {
  for (auto& [path, bytes] : files) dir.write(path, bytes);
}

class Calls : public Campaign {
 public:
  explicit Calls(const CampaignOptions& o) : Campaign(o) {
    for (const Work& work : {train(), resume(), eval(), script(), prompt()}) places(work);
    std::stable_sort(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) { return a.number < b.number; });
    count("cases in all", int64_t(cases_.size()));
    for (const Case& c : cases_)
      if (time_left() && c.number % o.parts == o.part) count("cases done"), one(*c.work, c.fault);
  }

 private:
  // ---- Works ----
  Work train() { return {"train", {.words = short_.words(false)}, {{"r.lua", short_.recipe()}}, unharmed_, resumed_}; }
  Work resume() {
    const auto went_on = [this](const TempDir& d, const Result& r) -> std::string {
      if (has(r.err, "epoch 1/2")) return "it began anew: " + r.err;
      return short_.step_of_last(files_below(d / "run")) < 2 ? "last.h5 is older than before" : unharmed_(d, r);
    };
    Work work{"resume", {.words = short_.words(true)}, {}, went_on, resumed_};
    const TempDir dir;
    short_.prepare(dir);
    if (const Result r = run(short_.words(false), {.env = {{"STOP", "1"}}, .dir = dir.path()}); r.code != 9)
      throw std::runtime_error(r.err);
    work.given = files_below(dir.path());
    return work;
  }
  Work eval() {
    const TempDir dir;
    short_.prepare(dir);
    run_in(dir, short_.words(false));
    const std::string expected = run_in(dir, {"eval", "run"}).out;
    const Files given = files_below(dir.path());
    const auto same = [=](const TempDir& d, const Result& r) -> std::string {
      if (r.code == 0 && r.out != expected) return "it printed " + r.out + " and not " + expected;
      return files_below(d / "run") == files_below_of(given, "run/") ? "" : "it changed files";
    };
    return {"eval", {.words = {"eval", "run"}}, given, same, [=](const TempDir& d, const Result&) {
              return same(d, run_in(d, {"eval", "run"}));
            }};
  }
  Work script() {
    const TempDir dir;
    dir.write("s.lua", save_script);
    run_in(dir, {"s.lua", "1", "1"});
    const auto check = [](const TempDir& d, const Result& r) -> std::string {
      std::map<std::string, int> promised = promised_values(r.out), values = values_below(d);
      for (auto& name : saved_names) {
        if (r.code == 0 && !promised.contains(name)) return "it ended well, and did not say that " + name + " is saved";
        if (values[name] != 2 && (promised.contains(name) || values[name] != 1))
          return fmt::format("{} holds {}", name, values[name]);
      }
      return "";
    };
    const auto heal = [](const TempDir& d, const Result&) -> std::string {
      const Result r = run_in(d, {"s.lua", "2", "2", "read"});
      const std::string left = leftover(files_below(d.path()));
      return r.code ? r.err : left.empty() ? "" : left + " is left over";
    };
    return {"script", {.words = {"s.lua", "2", "2", "read"}}, files_below(dir.path()), check, heal};
  }
  Work prompt() {
    std::string old;
    for (int i = 0; i < 4000; ++i) old += fmt::format("'old' .. {}\n", i);
    const std::string cut = old.substr(old.find("'old' .. 2000\n"));
    const auto whole = [=](const TempDir& d, const Result& r) -> std::string {
      const std::string now = read_file(d / "luth/history");
      std::string rest = now.starts_with(old)   ? now.substr(old.size())
                         : now.starts_with(cut) ? now.substr(cut.size())
                                                : "?";
      std::erase_if(rest, [](char c) { return c == '\r' || c == 4; });  // where the terminal could not be set up
      for (const char* line : {"'new' .. 0\n", "'new' .. 1\n", "\n", "os.exit()\n"})
        if (rest.starts_with(line)) rest.erase(0, strlen(line));
      const bool torn = rest.starts_with("'") && !has(r.out, "not kept");
      return rest.empty() || (rest[0] == '\'' && !torn) ? "" : "the history is not whole: " + rest;
    };
    const auto heal = [=](const TempDir& d, const Result&) -> std::string {
      Terminal t({}, {{"XDG_STATE_HOME", d.path()}});
      if (!t.expect("> ")) return "no prompt: " + t.seen();
      t.send("\x04");
      t.wait();
      const std::string left = leftover(files_below(d.path()));
      return left.empty() ? "" : left + " is left over";
    };
    Work work{"prompt", {.words = {}, .typed = "'new' .. 0\n'new' .. 1\n"}, {{"luth/history", old}}, whole, heal};
    return work;
  }

  // ---- Cases ----
  // `number` gives its place in the order, and its part. It depends on its name alone, because two processes may find
  // other numbers of calls, and their parts are to be all cases together.
  struct Case {
    const Work* work;
    Fault fault;
    uint64_t number;
  };

  Result traced(const Work& work, const TempDir& dir, std::function<Verdict(const Call&)> before) {
    Traced how = work.how;
    how.dir = dir.path();
    how.env.insert(how.env.end(), {{"XDG_STATE_HOME", dir.path()}, {"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}});
    how.calls = numbers();
    how.before = std::move(before);
    return run_traced(how);
  }

  void places(const Work& work) {
    works_.push_back(std::make_unique<Work>(work));
    const TempDir dir;
    lay(work.given, dir);
    std::map<std::pair<const Kind*, bool>, int> seen;
    const Result r = traced(work, dir, [&](const Call& call) {
      ++seen[{&kind_of(call.number), call.helper}];
      return Verdict{};
    });
    std::string rule = r.code ? r.err + r.out : work.harmed(dir, r);
    if (broke(rule, work.name + " without a fault", dir)) return;
    for (auto& [at, n] : seen) {
      count("system calls in all", n);
      for (int i = 1; i <= n; ++i)
        for (const int error : at.first->errors)
          for (const bool for_good : {false, true})
            if (!for_good || i == 1 || error == at.first->errors[0])
              add(*works_.back(), {{at.first, at.second, i}, error, for_good});
    }
  }

  void add(const Work& work, const Fault& fault) {
    const std::string name = work.name + ", " + fault.text();
    if (!options_.wants(name)) return;
    const uint64_t number = std::hash<std::string>()(fmt::format("{} {}", options_.seed, name));
    cases_.insert(cases_.end(), size_t(options_.repeat), {&work, fault, number});
  }

  void one(const Work& work, const Fault& fault) {
    const TempDir dir;
    lay(work.given, dir);
    int seen = 0;
    const Result r = traced(work, dir, [&](const Call& call) -> Verdict {
      const Kind& kind = kind_of(call.number);
      if (&kind != fault.at.kind || call.helper != fault.at.helper || ++seen < fault.at.n) return {};
      // nothing interrupts for ever
      if (seen > fault.at.n && (!fault.for_good || (fault.error == EINTR && seen > fault.at.n + 5))) return {};
      if (gives_back_a_stack(call)) return {};
      if (fault.error == fewer) return {call.arguments[2] > 1 ? Verdict::shorten : Verdict::let, 1};
      return {kind.done ? Verdict::pretend : Verdict::answer, call.number == SYS_brk ? 0 : -fault.error};
    });
    count(fmt::format("{}: runs that ended with {}", work.name, r.code));
    if (seen < fault.at.n) count("calls that did not come");
    std::string rule = said_well(r, fault);
    if (rule.empty()) rule = work.harmed(dir, r);
    if (rule.empty()) rule = work.healed(dir, r);
    broke(rule, work.name + ", " + fault.text(), dir);
  }

  // The code is one of face.md's, and the message says what failed.
  static std::string said_well(const Result& r, const Fault& fault) {
    if (r.timed_out) return "it hangs: " + r.err + r.out;
    if (r.code == 0) return "";
    const std::string said = r.err + r.out;
    if (r.code != 1 && r.code != 2 && r.code != 4 && r.code != 5)
      return fmt::format("it ends with {}: {}", r.code, said);
    if (!strcmp(fault.at.kind->name, "write")) return "";  // the message itself may be what cannot be written
    if (!has(said, "luth: ")) return "no sentence: " + said;
    return "";
  }

  const Training short_{{"--rows", "32", "--epochs", "2", "--save-every", "1"}, true};
  std::set<std::string> good_;  // folders from which a run has gone on to its right end
  const std::function<std::string(const TempDir&, const Result&)> unharmed_ = [this](const TempDir& d,
                                                                                     const Result& r) {
    const Files files = files_below(d / "run");
    return r.code ? short_.harmed(files) : short_.finished(files);
  };
  const std::function<std::string(const TempDir&, const Result&)> resumed_ = [this](const TempDir& d,
                                                                                    const Result& r) -> std::string {
    if (r.code == 0) return "";
    std::string state;
    const Files files = files_below(d / "run");
    for (auto& [path, bytes] : files) state += path + '\0' + comparable(path, bytes) + '\0';
    if (good_.contains(state)) return "";
    const Result after = run_in(d, short_.words(true));
    // best.h5 of the last epoch, where no last.h5 could be written: the run has ended, and is saved once more
    const bool only_best = files.contains("ckpt/best.h5") && !files.contains("ckpt/last.h5");
    const std::string rule =
        after.code ? "it does not resume: " + after.err : short_.finished(files_below(d / "run"), only_best);
    if (rule.empty()) good_.insert(state);
    return rule;
  };
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<Case> cases_;
};

}  // namespace
}  // namespace luth::testing

int main(int argc, char** argv) {
  using namespace luth::testing;
  if (!can_trace()) return std::cout << "skipped: no process can be traced here\n", 77;
  return Calls(CampaignOptions(argc, argv)).report();
}
