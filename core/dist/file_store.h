// A store in a file that all processes see, on one machine or on a shared file system.
#pragma once
#include <mutex>

#include "core/dist/store.h"

namespace luth::dist {

/// The file is the list of all requests that have changed the table, appended under a lock of the file. It should be
/// new for each run: a file with the keys of an earlier one gives their addresses. Waiting looks at it every few
/// milliseconds.
class FileStore final : public Store {
 public:
  /// Makes the file where there is none; throws with the path and the reason.
  FileStore(std::string path, Milliseconds timeout);
  bool wait_until(const Fields& keys, Deadline deadline) override;
  Fields ask(const Fields& request) override;
  /// One of the processes that share the file will use it no more; the last of `all` removes it, so that the next run
  /// finds none.
  void leave(const std::string& key, int all);

 private:
  template <class F>
  auto locked(F&& f);
  void refresh();
  void append(const std::string& record);

  std::string path_;
  Socket file_;  // a descriptor
  std::mutex mutex_;
  uint64_t read_ = 0;  // bytes of the file that the table has
  Table table_;
};

}  // namespace luth::dist
