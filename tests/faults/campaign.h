// What the campaigns share: their options, what they print, and the works that they harm.
#pragma once
#include <iostream>
#include <map>
#include <random>
#include <set>

#include "tests/cli/comparable.h"
#include "tests/cli/train.h"

namespace luth::testing {

struct CampaignOptions {
  double minutes = 1;  // 0: to the end of all cases
  uint64_t seed = 1;
  std::string keep;            // a folder for what broke a rule; empty: it is not kept
  std::string only;            // the works, or cases, whose names contain one of these texts, which a | separates
  size_t part = 0, parts = 1;  // this process takes every `parts`-th case
  int repeat = 1;              // runs of each case
  bool broken = false;         // the model of power loss forgets what was synced, and must find that

  CampaignOptions(int argc, char** argv);
  bool wants(const std::string& name) const;
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& o) : options_(o), random_(o.seed), start_(detail::now()) {}
  /// Prints the counts; the exit code of the program.
  int report() const;

 protected:
  bool time_left() const {
    const bool found = options_.broken && failures_;
    return !found && (!options_.minutes || detail::now() - start_ < options_.minutes * 60);
  }
  uint64_t below(uint64_t n) { return random_() % n; }
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  void count(const std::string& what, int64_t n = 1) { counts_[what] += n; }
  /// Prints the rule that `what` broke, and keeps the folder; true where `rule` is not empty.
  bool broke(const std::string& rule, const std::string& what, const TempDir& folder);

  CampaignOptions options_;

 private:
  std::mt19937_64 random_;
  double start_;
  std::map<std::string, int64_t> counts_;
  int failures_ = 0;
};

using Files = std::map<std::string, std::string>;  // path below a folder -> contents
Files files_below(const std::string& folder);
/// Those of a folder, by their paths below it.
Files files_below_of(const Files& files, const std::string& folder);
/// An unfinished file that a save has left, or "".
std::string leftover(const Files& files);

/// A run of `luth train` in the folder `run`, with augmentation of images and of batches, BatchNorm, dropout, Adam,
/// OneCycle, accumulation, averages, two workers. It says `saved N` on stdout when the checkpoint of step N has been
/// saved.
class Training {
 public:
  /// `words` behind the recipe; they choose how long it is. `saves_fail`: the best score of a checkpoint may be an
  /// older one, because a best.h5 that could not be saved does not count.
  explicit Training(std::vector<std::string> words, bool saves_fail = false);
  void prepare(const TempDir& dir) const { dir.write("r.lua", recipe_); }
  std::vector<std::string> words(bool resume) const;
  const std::string& recipe() const { return recipe_; }

  /// What is wrong with the run at any moment: each checkpoint is one of an unharmed run, bit for bit.
  std::string harmed(const Files& files) const;
  /// What is wrong with it after its end: it is that of an unharmed run, bit for bit. `idle`: the last resumption had
  /// nothing to do and saved nothing, so it removed nothing either, and the power may have taken prev.h5.
  std::string finished(const Files& files, bool idle = false) const;
  /// The step of last.h5; -1 without it.
  int step_of_last(const Files& files) const;
  /// Takes this last.h5 as one of an unharmed run: that of a stop between two steps.
  void accept(const Files& files);
  double seconds() const { return seconds_; }

 private:
  std::string recipe_;
  // The step of a checkpoint of an unharmed run; -1: it is none.
  int step_of(const std::string& bytes) const;

  std::vector<std::string> words_;
  bool saves_fail_;
  std::map<std::string, int> states_;            // the bytes of each checkpoint -> its step
  mutable std::map<std::string, int> unscored_;  // the same without the best score, made when it is needed
  Files whole_;
  double seconds_;
};

/// A script that saves value k in each format, says `k name` when it has, and reads it back. Words: first and last k.
extern const char* const save_script;
extern const std::vector<std::string> saved_names;
/// The value that each file holds, as `luth` reads it: 0 where there is no file, -1 where it is not whole.
std::map<std::string, int> values_below(const TempDir& dir);
/// The last value that the script has said it saved.
std::map<std::string, int> promised_values(const std::string& out);

}  // namespace luth::testing
