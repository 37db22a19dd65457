#include "devices/cuda/runtime/failure.h"

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

namespace luth::cuda {
namespace {

struct Failure {
  std::atomic<bool> is_there = false;
  std::exception_ptr why;
};
std::mutex mutex;
std::array<Failure, 64> failures;  // by device

}  // namespace

void report_failure(int device, std::exception_ptr why) {
  const std::lock_guard lock(mutex);
  Failure& f = failures[size_t(device) % failures.size()];
  if (!f.is_there.exchange(true)) f.why = std::move(why);
}

void raise_failure(int device) {
  Failure& f = failures[size_t(device) % failures.size()];
  if (!f.is_there) return;
  const std::lock_guard lock(mutex);
  if (f.is_there.exchange(false)) std::rethrow_exception(std::exchange(f.why, nullptr));
}

}  // namespace luth::cuda
