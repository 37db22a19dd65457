// Kills runs, scripts and prompts at random instants. README.md says what must hold afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tests/faults/campaign.h"

namespace luth::testing {
namespace {

class Kills : public Campaign {
 public:
  explicit Kills(const CampaignOptions& o) : Campaign(o) {
    works_ = {{"training with save_every", [this] { training(every_); }},
              {"training", [this] { training(epochs_); }},
              {"scripts", [this] { script(); }},
              {"prompts", [this] { prompt(); }}};
    std::erase_if(works_, [&](const Work& w) { return !o.wants(w.name); });
    while (time_left()) works_[below(works_.size())].harm();
  }

 private:
  struct Work {
    std::string name;
    std::function<void()> harm;
  };

  // Waits a random part of the time that an unharmed run takes, then ends the process in one of the ways.
  Result end(Process& p, double seconds) {
    usleep(unsigned(between(0, 1.1 * seconds) * 1e6));
    constexpr int ways[] = {SIGKILL, SIGKILL, SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGINT, SIGINT, SIGHUP};
    const uint64_t way = below(std::size(ways));
    p.signal(ways[way]);
    if (way == 7) {  // a second Ctrl-C
      usleep(unsigned(below(20000)));
      p.signal(SIGINT);
    }
    Result r = p.wait();
    count(r.code ? fmt::format("ended with {}", r.code) : "had ended before, or went on");
    return r;
  }

  void training(const Training& work) {
    const TempDir dir;
    work.prepare(dir);
    Training mine = work;
    std::string story;
    for (uint64_t n = 1 + below(4), i = 0; i < n; ++i) {
      Process p(work.words(i > 0), {.dir = dir.path()});
      const Result r = end(p, work.seconds());
      story += fmt::format("{} ", r.code);
      constexpr int expected[] = {0, 128 + SIGKILL, 128 + SIGTERM, 128 + SIGINT, 128 + SIGHUP};
      const Files files = files_below(dir / "run");
      count("training: half-written files at a kill", !leftover(files).empty());
      if (has(r.err, ": saved run/ckpt/last.h5")) mine.accept(files);
      std::string rule = mine.harmed(files);
      if (std::find(std::begin(expected), std::end(expected), r.code) == std::end(expected)) rule = r.err;
      if (broke(rule, "training ended with " + story, dir)) return;
    }
    const Result r = run_in(dir, work.words(true));
    std::string rule = r.code ? "it does not resume: " + r.err : mine.finished(files_below(dir / "run"));
    broke(rule, "training ended with " + story, dir);
    count("training: runs that were resumed to their end");
  }

  void script() {
    const TempDir dir;
    dir.write("s.lua", save_script);
    std::map<std::string, int> before;
    for (int first = 1, i = 0; i < 3; ++i) {
      Process p({"s.lua", std::to_string(first), "1000000"}, {.dir = dir.path()});
      p.wait_for("\n", 0.2);
      usleep(unsigned(below(100000)));
      p.signal(SIGKILL);
      const Result r = p.wait();
      count("scripts: kills");
      count("scripts: half-written files at a kill", !leftover(files_below(dir.path())).empty());
      std::map<std::string, int> promised = promised_values(r.out), values = values_below(dir);
      std::string rule;
      for (auto& name : saved_names) {
        const int least = promised.contains(name) ? promised[name] : before[name],
                  most = std::max(promised[name], first - 1) + 1;
        if (values[name] < least || values[name] > most)
          rule = fmt::format("{} holds {}, not {} or {}", name, values[name], least, most);
        first = std::max(first, values[name] + 1);
      }
      if (broke(rule, "a script that saves", dir)) return;
      before = values;
    }
    const std::string n = std::to_string(before["a.h5"] + 9);
    const Result r = run_in(dir, {"s.lua", n, n});
    broke(r.code ? r.err : leftover(files_below(dir.path())), "a script that saves, after the kills: left over", dir);
  }

  // Lines of the history: those of before, the newest of them where it was cut, and then those that were typed.
  void prompt() {
    constexpr int most = 2000;  // HistoryFile::length
    const TempDir dir;
    const int before = below(2) ? 2 * most : 10;
    std::string text;
    for (int i = 0; i < before; ++i) text += fmt::format("'old' .. {}\n", i);
    dir.write("luth/history", text);
    int typed = 0;
    std::string seen;
    {
      Terminal t({}, {{"XDG_STATE_HOME", dir.path()}});
      if (below(2)) t.expect("> ");
      const double end = detail::now() + between(0, 0.2);
      while (detail::now() < end) t.send(fmt::format("'new' .. {}\n", typed++)), usleep(unsigned(below(3000)));
      ::kill(t.pid(), SIGKILL);
      t.wait();
      seen = t.seen();
    }
    count("prompts: kills");
    const Files files = files_below(dir.path());
    const std::string history = files.at("luth/history");
    int shown = 0, kept = 0;
    while (has(seen, fmt::format("new{}\r\n", shown))) ++shown;
    std::string rule, rest = history;
    for (const int first : {0, before - most})
      if (first >= 0 && history.starts_with(text.substr(text.find(fmt::format("'old' .. {}\n", first)))))
        rest = history.substr(text.size() - text.find(fmt::format("'old' .. {}\n", first)));
    std::string lines;
    for (; lines.size() < rest.size(); ++kept) lines += fmt::format("'new' .. {}\n", kept);
    if (lines != rest) rule = "the history is not whole";
    if (kept < shown) rule = fmt::format("the history has {} of {} lines whose results were shown", kept, shown);
    if (broke(rule, "a prompt", dir)) return;
    // a prompt that nobody kills removes what was left
    Terminal t({}, {{"XDG_STATE_HOME", dir.path()}});
    t.expect("> ");
    t.send("\x04");
    t.wait();
    if (before == 2 * most) broke(leftover(files_below(dir.path())), "a prompt, after the kill: left over", dir);
  }

  const Training every_{{"--save-every", "2"}}, epochs_{{}};
  std::vector<Work> works_;
};

}  // namespace
}  // namespace luth::testing

int main(int argc, char** argv) {
  using namespace luth::testing;
  return Kills(CampaignOptions(argc, argv)).report();
}
