// Saves beside the caller: a copy of the state is written while the caller goes on changing it.
#pragma once
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/limits.h"
#include "core/io/tree.h"

namespace luth::io {

/// A save of one state: its files in order, each whether or not others can be written, and then files that are no
/// longer wanted.
struct SaveJob {
  struct Target {
    std::string path;
    bool rotating = false;  // path is DIR/last.h5, of which the one before stays as prev.h5
  };
  std::vector<Target> targets;
  std::vector<std::string> removals;  // only where all targets were saved
};

/// Why a save failed; "" for one that went well.
struct SaveOutcome {
  int64_t number;                   // of the call of save, from 1
  std::string problem;              // its first 1,024 bytes
  std::vector<std::string> failed;  // the paths that could not be written
};

/// Saves one after the other, on a thread that lives as long as there is work. Not safe from several threads.
class BackgroundSaver {
 public:
  BackgroundSaver() = default;
  /// Waits for what is being saved.
  ~BackgroundSaver();
  BackgroundSaver(const BackgroundSaver&) = delete;
  /// Copies the tensors of `root`, whatever device they are of, into memory that is kept for the next save, and has the
  /// copy written. Waits while the copy before is being written. Where there is no memory for a copy, or no thread, it
  /// writes before it returns. Returns the number of the save. Throws what copying throws; the writing's errors are
  /// outcomes.
  int64_t save(const Item& root, SaveJob job);
  /// Waits until nothing is being saved.
  void wait();
  /// The outcomes since the last call.
  std::vector<SaveOutcome> take_outcomes();

 private:
  Item copied(const Item& root);
  /// Needs no memory for the outcome, which is in at_work_.
  void write(const Item& root, const SaveJob& job);

  Tensor kept_;      // bytes
  Threads thread_;   // one at most
  std::mutex lock_;  // of the outcomes
  int64_t number_ = 0;
  std::list<SaveOutcome> outcomes_, at_work_;
};

}  // namespace luth::io
