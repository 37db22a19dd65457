#include "core/base/block_signals.h"

#include <initializer_list>

namespace luth {

BlockSignals::BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, own);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}
BlockSignals::~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace luth
