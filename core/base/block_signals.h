#pragma once
#include <csignal>

namespace luth {

/// Blocks the signals that come from outside on this thread, and so on the threads that it starts meanwhile: handlers
/// run on the threads that a program knows of, and a worker is never stopped for one.
class BlockSignals {
 public:
  BlockSignals();
  ~BlockSignals();
  BlockSignals(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace luth
