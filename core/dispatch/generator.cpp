#include "core/dispatch/generator.h"

#include <map>
#include <mutex>

namespace luth {
namespace {
std::mutex lock;        // of the list of generators
std::mutex state_lock;  // of what they hold; taken last
int64_t current_seed = Generator::default_seed;
std::map<Device*, Generator>& generators() {
  static std::map<Device*, Generator> g;
  return g;
}
thread_local Generator* in_use_ = nullptr;
}  // namespace

void Generator::seed(int64_t s) {
  std::lock_guard hold(state_lock);
  seed_ = s;
  offset_ = 0;
}
int64_t Generator::seed() const {
  std::lock_guard hold(state_lock);
  return seed_;
}
int64_t Generator::offset() const {
  std::lock_guard hold(state_lock);
  return offset_;
}
void Generator::set_offset(int64_t o) {
  std::lock_guard hold(state_lock);
  offset_ = o;
}

PhiloxState Generator::reserve(int64_t n, Dtype dtype) {
  std::lock_guard hold(state_lock);
  int64_t per_counter = size_of(dtype) == 8 ? 2 : 4;
  PhiloxState s{seed_, offset_, true};
  offset_ += n / per_counter + (n % per_counter != 0);
  return s;
}

Generator& default_generator(Device& d) {
  std::lock_guard hold(lock);
  return generators().try_emplace(&d, current_seed).first->second;
}

void manual_seed(int64_t seed) {
  std::lock_guard hold(lock);
  current_seed = seed;
  for (auto& [_, g] : generators()) g.seed(seed);
}

UseGenerator::UseGenerator(Generator& g) : before_(std::exchange(in_use_, &g)) {}
UseGenerator::~UseGenerator() { in_use_ = before_; }
Generator& generator_for(Device& d) {
  if (!in_use_) return default_generator(d);
  if (in_use_->device() && in_use_->device() != &d)
    throw Error("the generator makes numbers for {}, but these are wanted on {}", in_use_->device()->name(), d.name());
  return *in_use_;
}

}  // namespace luth
