// Cuts the power at every moment of a run, in a model: what was not synced is lost, torn or reordered. README.md says
// what must hold.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>

#include "tests/faults/campaign.h"
#include "tests/faults/trace.h"

namespace luth::testing {
namespace {

namespace fs = std::filesystem;

// ---- What a run does to its files ----------------------------------------------------------------------------------

struct Op {
  enum What { data, cut, names, sync, say } what;
  int node = 0;  // a file or folder, by its number; 0 is the root
  uint64_t at = 0;
  std::string bytes = {};
  std::vector<std::pair<std::string, int>> entries =
      {};  // names in the folder `node`, and what they stand for; gone: -1
};

class Recorder {
 public:
  // What lies in the folder already has been synced.
  explicit Recorder(const TempDir& dir) : root_(fs::canonical(dir.path()).string() + "/") {
    for (auto& [path, bytes] : files_below(dir.path())) {
      for (size_t at = path.find('/'); at != path.npos; at = path.find('/', at + 1))
        if (!live_.contains(path.substr(0, at))) name(path.substr(0, at), fresh_folder());
      const int node = fresh();
      name(path, node);
      ops_.push_back({Op::data, node, 0, bytes});
    }
    for (int node = 0; node < next_; ++node) ops_.push_back({Op::sync, node});
    given_ = ops_.size();
  }
  static std::vector<long> calls() {
    return {SYS_open,      SYS_openat,   SYS_close,    SYS_write,           SYS_writev,  SYS_pwrite64,  SYS_ftruncate,
            SYS_fsync,     SYS_rename,   SYS_renameat, SYS_renameat2,       SYS_link,    SYS_linkat,    SYS_unlink,
            SYS_unlinkat,  SYS_mkdir,    SYS_mkdirat,  SYS_fdatasync,       SYS_symlink, SYS_symlinkat, SYS_rmdir,
            SYS_fallocate, SYS_truncate, SYS_creat,    SYS_copy_file_range, SYS_sendfile};
  }
  void after(const Call& c) {
    if (c.helper || c.result < 0) return;
    auto& a = c.arguments;
    switch (c.number) {
      case SYS_open: return opened(c, path(c, AT_FDCWD, 0), a[1]);
      case SYS_openat: return opened(c, path(c, int(a[0]), 1), a[2]);
      case SYS_close: fds_.erase(int(a[0])); return;
      case SYS_write: return wrote(c, position(c), c.memory(a[1], size_t(c.result)));
      case SYS_writev: return wrote(c, position(c), gathered(c));
      case SYS_pwrite64: return wrote(c, a[3], c.memory(a[1], size_t(c.result)));
      case SYS_ftruncate: return on(c, {Op::cut, 0, a[1]});
      case SYS_fsync:
      case SYS_fdatasync: return on(c, {Op::sync});
      case SYS_rename: return renamed(path(c, AT_FDCWD, 0), path(c, AT_FDCWD, 1));
      case SYS_renameat:
      case SYS_renameat2: return renamed(path(c, int(a[0]), 1), path(c, int(a[2]), 3));
      case SYS_link: return linked(path(c, AT_FDCWD, 0), path(c, AT_FDCWD, 1));
      case SYS_linkat: return linked(path(c, int(a[0]), 1), path(c, int(a[2]), 3));
      case SYS_unlink: return name(path(c, AT_FDCWD, 0), -1);
      case SYS_unlinkat: return name(path(c, int(a[0]), 1), -1);
      case SYS_mkdir: return name(path(c, AT_FDCWD, 0), fresh_folder());
      case SYS_mkdirat: return name(path(c, int(a[0]), 1), fresh_folder());
      default: throw std::runtime_error(fmt::format("the model does not know system call {}", c.number));
    }
  }
  const std::vector<Op>& ops() const { return ops_; }
  const std::set<int>& folders() const { return folders_; }
  // The operations that made what lay there before.
  size_t given() const { return given_; }

 private:
  static constexpr const char* outside = "/";

  int fresh() { return next_++; }
  int fresh_folder() { return *folders_.insert(next_++).first; }
  std::string path(const Call& c, int folder, int argument) const {
    const std::string p = c.text(argument);
    if (p[0] != '/' && folder != AT_FDCWD && !fds_.contains(folder)) return outside;
    const fs::path above = folder == AT_FDCWD || p[0] == '/' ? root_ : root_ + fds_.at(folder);
    const std::string whole = (above / p / "").lexically_normal();  // an absolute p stands alone; it ends in '/'
    return whole.starts_with(root_) ? whole.substr(root_.size(), whole.size() - root_.size() - 1) : outside;
  }
  int folder_of(const std::string& p) const {
    const size_t slash = p.rfind('/');
    return slash == p.npos ? 0 : live_.at(p.substr(0, slash));
  }
  // The name stands for the node from now on.
  void name(const std::string& p, int node) {
    if (p == outside) return;
    ops_.push_back({Op::names, folder_of(p), 0, "", {{p.substr(p.rfind('/') + 1), node}}});
    node < 0 ? void(live_.erase(p)) : void(live_[p] = node);
  }
  void linked(const std::string& from, const std::string& to) { name(to, from == outside ? -1 : live_.at(from)); }
  void renamed(const std::string& from, const std::string& to) {
    if (from == outside || (live_.contains(to) && live_.at(to) == live_.at(from))) return;
    linked(from, to);
    ops_.back().entries.push_back({from.substr(from.rfind('/') + 1), -1});
    if (folder_of(from) != folder_of(to)) throw std::runtime_error("the model knows no renaming between folders");
    live_.erase(from);
  }
  void opened(const Call& c, const std::string& p, uint64_t flags) {
    fds_.erase(int(c.result));
    if (p == outside) return;
    if (flags & O_CREAT && !live_.contains(p)) name(p, fresh());
    fds_[int(c.result)] = p;
    nodes_[int(c.result)] = p.empty() ? 0 : live_.at(p);
    if (flags & O_TRUNC) ops_.push_back({Op::cut, live_.at(p), 0});
  }
  void on(const Call& c, Op op) {
    const int fd = int(c.arguments[0]);
    if (!fds_.contains(fd)) return;
    op.node = nodes_.at(fd);
    ops_.push_back(std::move(op));
  }
  void wrote(const Call& c, uint64_t at, std::string bytes) {
    if (c.arguments[0] == 1) ops_.push_back({Op::say, 0, 0, bytes});
    on(c, {Op::data, 0, at, std::move(bytes)});
  }
  // Where a write has begun that has moved the file's position.
  static uint64_t position(const Call& c) {
    const std::string info = read_file(fmt::format("/proc/{}/fdinfo/{}", c.thread, c.arguments[0]));
    return info.starts_with("pos:") ? std::stoull(info.substr(4)) - uint64_t(c.result) : 0;
  }
  static std::string gathered(const Call& c) {
    const std::string table = c.memory(c.arguments[1], c.arguments[2] * sizeof(iovec));
    std::string all;
    for (size_t at = 0; at < table.size(); at += sizeof(iovec)) {
      iovec piece;
      std::memcpy(&piece, table.data() + at, sizeof piece);
      all += c.memory(uint64_t(piece.iov_base), piece.iov_len);
    }
    return all.substr(0, size_t(c.result));
  }

  std::string root_;
  std::vector<Op> ops_;
  std::set<int> folders_;
  std::map<std::string, int> live_;  // path -> node
  std::map<int, std::string> fds_;
  std::map<int, int> nodes_;  // of descriptors
  size_t given_ = 0;
  int next_ = 1;
};

// ---- What a disk may hold after a power loss -----------------------------------------------------------------------

class Disks {
 public:
  // The first `done` operations were made before the power went. Nothing is synced by those from `forgotten` on.
  Disks(const Recorder& r, size_t done, size_t forgotten)
      : ops_(r.ops()), folders_(r.folders()), done_(done), stays_(done) {
    std::set<int> synced;
    for (size_t i = done; i-- > 0;) {
      if (ops_[i].what == Op::sync && i < forgotten) synced.insert(ops_[i].node);
      stays_[i] = synced.contains(ops_[i].node);
      if (!stays_[i] && ops_[i].what <= Op::names) open_.push_back(i);
    }
    std::reverse(open_.begin(), open_.end());
  }
  // The operations that are not certain, in order.
  const std::vector<size_t>& open() const { return open_; }
  const Op& op(size_t i) const { return ops_[i]; }

  // The files where of the uncertain ones just `made` were made; of the write `torn` only the first `bytes`. Folders
  // end in '/'. Unfinished files are empty: luth only removes them.
  Files after(const std::set<size_t>& made, size_t torn = SIZE_MAX, size_t bytes = 0) const {
    std::map<int, std::string> data;
    std::map<int, std::map<std::string, int>> names;
    for (size_t i = 0; i < done_; ++i) {
      const Op& op = ops_[i];
      if (!stays_[i] && !made.contains(i)) continue;
      std::string& file = data[op.node];
      if (op.what == Op::cut) file.resize(op.at);
      if (op.what == Op::data) {
        const size_t n = i == torn ? std::min(bytes, op.bytes.size()) : op.bytes.size();
        if (file.size() < op.at + n) file.resize(op.at + n);
        std::copy_n(op.bytes.data(), n, file.data() + op.at);
      }
      for (auto& [name, node] : op.entries)
        node < 0 ? void(names[op.node].erase(name)) : void(names[op.node][name] = node);
    }
    Files files;
    walk(files, data, names, 0, "");
    return files;
  }

 private:
  void walk(Files& files, const std::map<int, std::string>& data,
            const std::map<int, std::map<std::string, int>>& names, int folder, const std::string& above) const {
    const auto found = names.find(folder);
    if (found == names.end()) return;
    for (auto& [name, node] : found->second) {
      const auto bytes = data.find(node);
      const bool unfinished = has(name, ".saving");
      if (folders_.contains(node)) {
        files[above + name + "/"];
        walk(files, data, names, node, above + name + "/");
      } else {
        files[above + name] = bytes == data.end() || unfinished ? "" : bytes->second;
      }
    }
  }
  const std::vector<Op>& ops_;
  const std::set<int>& folders_;
  size_t done_;
  std::vector<char> stays_;
  std::vector<size_t> open_;
};

// ---- The campaign --------------------------------------------------------------------------------------------------

// What a work has promised: the last value of each name.
using Promise = std::map<std::string, int>;

struct Work {
  std::string name;
  std::vector<std::string> words;
  std::string typed;
  Files given;
  std::function<Promise(const std::string& said)> promised;
  // What is there of it, "" with what is wrong with the folder. May go on with the work in it.
  std::function<std::string(const TempDir&, const Files&, Promise& found)> look;
};

void lay(const Files& files, const TempDir& dir) {
  for (auto& [path, bytes] : files)
    path.ends_with("/") ? void(fs::create_directories(dir / path)) : void(dir.write(path, bytes));
}

class Power : public Campaign {
 public:
  explicit Power(const CampaignOptions& o) : Campaign(o) {
    for (const Work& work :
         {prompt(), script(), training("training", epochs_), training("training with save_every", every_)})
      if (o.wants(work.name)) explore(work);
  }

 private:
  static Work training(const std::string& name, const Training& t) {
    const auto promised = [](const std::string& said) {
      const size_t at = said.rfind("saved ");
      return at == said.npos ? Promise{} : Promise{{"step", std::stoi(said.substr(at + 6))}};
    };
    const auto look = [&t](const TempDir& dir, const Files& files, Promise& found) -> std::string {
      const Files mine = files_below_of(files, "run/");
      found["step"] = t.step_of_last(mine);
      if (const std::string rule = t.harmed(mine); !rule.empty()) return rule;
      const Result r = run_in(dir, t.words(true));
      return r.code ? "it does not resume: " + r.err
                    : t.finished(files_below(dir / "run"), has(r.err, "nothing is left to do"));
    };
    return {name, t.words(false), "", {{"r.lua", t.recipe()}}, promised, look};
  }
  static Work script() {
    const auto look = [](const TempDir& dir, const Files&, Promise& found) -> std::string {
      found = values_below(dir);
      for (auto& [name, k] : found)
        if (k < 0) return name + " is not whole";
      return "";
    };
    return {"script", {"s.lua", "1", "3"}, "", {{"s.lua", save_script}}, promised_values, look};
  }
  static Work prompt() {
    std::string old;
    for (int i = 0; i < 4000; ++i) old += fmt::format("'old' .. {}\n", i);
    const std::string cut = old.substr(old.find("'old' .. 2000\n"));
    const auto look = [=](const TempDir& dir, const Files&, Promise&) -> std::string {
      const std::string now = read_file(dir / "luth/history");
      return now.starts_with(old) || now.starts_with(cut) ? "" : "the history has lost lines";
    };
    return {"prompt", {}, "'new' .. 0\n", {{"luth/history", old}}, [](auto&) { return Promise(); }, look};
  }

  void explore(const Work& work) {
    const TempDir dir;
    lay(work.given, dir);
    Recorder recorder(dir);
    const Env env{{"XDG_STATE_HOME", dir.path()}, {"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}};
    const Result r = run_traced({.words = work.words,
                                 .dir = dir.path(),
                                 .env = env,
                                 .typed = work.typed,
                                 .calls = Recorder::calls(),
                                 .before = [](const Call&) { return Verdict{Verdict::report}; },
                                 .after = [&](const Call& c) { recorder.after(c); }});
    if (broke(r.code ? r.out + r.err : "", work.name + " without a fault", dir)) return;
    std::string said;
    looked_.clear();
    const std::vector<Op>& ops = recorder.ops();
    for (size_t done = recorder.given(); done <= ops.size() && time_left(); ++done) {
      if (done > recorder.given() && ops[done - 1].what == Op::say) said += ops[done - 1].bytes;
      count(work.name + ": moments");
      const size_t forgotten = options_.broken ? recorder.given() : ops.size();
      moment(work, Disks(recorder, done, forgotten), fmt::format("{} of {}", done, ops.size()), work.promised(said));
    }
  }

  // The disks of one moment: each prefix of what is uncertain, torn or not; each operation alone, and all but it; data
  // without names and names without data; and some at random.
  void moment(const Work& work, const Disks& disks, const std::string& when, const Promise& promise) {
    const std::vector<size_t>& open = disks.open();
    const std::set<size_t> all(open.begin(), open.end());
    std::set<size_t> prefix, names, data;
    const auto see = [&](const std::set<size_t>& made, size_t torn = SIZE_MAX, size_t bytes = 0) {
      state(work, disks.after(made, torn, bytes), when, promise);
    };
    see({});
    for (const size_t i : open) {
      (disks.op(i).what == Op::names ? names : data).insert(i);
      prefix.insert(i);
      see(prefix);
      see({i});
      std::set<size_t> others = all;
      others.erase(i);
      see(others);
      for (const size_t bytes : {size_t(1), disks.op(i).bytes.size() / 2, size_t(512), disks.op(i).bytes.size() - 1})
        if (disks.op(i).what == Op::data && bytes < disks.op(i).bytes.size()) see(prefix, i, bytes), see(all, i, bytes);
    }
    see(names);
    see(data);
    for (size_t n = 0; n < 4 * open.size() && n < 60; ++n) {
      std::set<size_t> some;
      for (const size_t i : open)
        if (below(2)) some.insert(i);
      const size_t torn = open[below(open.size())];
      see(some, torn, below(disks.op(torn).bytes.size() + 1));
    }
  }

  void state(const Work& work, const Files& files, const std::string& when, const Promise& promise) {
    count(work.name + ": disks");
    auto [at, fresh] = looked_.try_emplace(files);
    Disk& disk = at->second;
    if (disk.broken || !time_left()) return;
    const TempDir dir;
    std::string rule;
    if (fresh) {
      count(work.name + ": disks that differ");
      lay(files, dir);
      rule = work.look(dir, files, disk.found);
    }
    for (auto& [name, k] : promise)
      if (rule.empty() && disk.found[name] < k)
        rule = fmt::format("{} is {}, and {} was promised", name, disk.found[name], k);
    disk.broken = broke(rule, fmt::format("{}, power lost after operation {}", work.name, when), dir);
  }

  const Training every_{{"--rows", "32", "--epochs", "2", "--save-every", "1"}},
      epochs_{{"--rows", "24", "--epochs", "2"}};
  struct Disk {
    Promise found;
    bool broken = false;
  };
  std::map<Files, Disk> looked_;
};

}  // namespace
}  // namespace luth::testing

int main(int argc, char** argv) {
  using namespace luth::testing;
  if (!can_trace()) return std::cout << "skipped: no process can be traced here\n", 77;
  return Power(CampaignOptions(argc, argv)).report();
}
