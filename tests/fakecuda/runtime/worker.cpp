// Threads of a block run one after the other, each until it waits. Those that never wait need no stack of their own: a
// fiber that has ended a thread goes on with the next fresh one. So a kernel without barriers is a plain loop, and one
// with barriers takes as many fibers as there are threads waiting at a time.
#include "tests/fakecuda/runtime/worker.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "tests/fakecuda/runtime/fault.h"

constinit thread_local uint3 threadIdx{}, blockIdx{};
constinit thread_local dim3 blockDim, gridDim;

namespace fake {

constinit thread_local unsigned linear_thread = 0;

namespace {

constexpr int most_threads = 1024;
constexpr size_t page = 4096;
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t stack_size = 256 << 10;
#else
constexpr size_t stack_size = 64 << 10;
#endif
constexpr size_t stack_step = stack_size + page;  // a page that nobody may touch lies below each stack

thread_local Worker* busy = nullptr;

bool same(Site a, Site b) { return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0); }
std::string shown(Site at) {
  const char* name = std::strrchr(at.file, '/');
  return fmt::format("{}:{}", name ? name + 1 : at.file, at.line);
}
std::string shown(uint3 v) { return fmt::format("({}, {}, {})", v.x, v.y, v.z); }

}  // namespace

Worker& Worker::mine() {
  static thread_local std::unique_ptr<Worker> worker(new Worker);
  return *worker;
}

Worker* Worker::in_kernel() { return busy; }

Worker::Worker() {
  void* memory =
      mmap(nullptr, stack_step * most_threads, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stacks_ = static_cast<char*>(memory);
  use_signal_stack();
}

Worker::~Worker() { munmap(stacks_, stack_step * most_threads); }

void Worker::prepare(const Grid& grid, uint3 block) {
  grid_ = &grid;
  dim3 d = grid.threads;
  count_ = alive_ = int(d.x * d.y * d.z);
  if (places_of_.x != d.x || places_of_.y != d.y || places_of_.z != d.z || places_.empty()) {
    places_.clear();
    for (unsigned z = 0; z < d.z; ++z)
      for (unsigned y = 0; y < d.y; ++y)
        for (unsigned x = 0; x < d.x; ++x) places_.push_back({x, y, z});
    places_of_ = d;
  }
  threads_.assign(size_t(count_), Thread());
  blockIdx = block;
  blockDim = d;
  gridDim = grid.blocks;
  uint64_t number = (uint64_t(block.z) * grid.blocks.y + block.y) * grid.blocks.x + block.x;
  random_ = Random(grid.seed + number * 0x632be59bd9b4e019u);
  order_ = Order(random_.below(4));
  ready_warps_ = sticky_warp_ = 0;
  for (int w = 0; w * 32 < count_; ++w) {
    ready_warps_ |= 1u << w;
    ready_[w] = count_ - w * 32 >= 32 ? ~0u : (1u << (count_ - w * 32)) - 1;
    warps_[w].present = ready_[w];
    warps_[w].ended = warps_[w].waiting = 0;
  }
  waiting_ = predicates_ = 0;
  failure_ = Failure();
}

Failure Worker::run(const Grid& grid, uint3 block) {
  prepare(grid, block);
  shared_.begin_block(*grid.info, grid.shared_bytes);
  busy = this;
  while (alive_ > 0 && step()) continue;
  busy = nullptr;
  std::string damage = shared_.end_block(*grid.info);
  if (!failure_ && !damage.empty()) failure_ = {cudaErrorIllegalAddress, damage, nullptr};
  if (failure_.text.empty()) return failure_;
  failure_.text = fmt::format("block {}{}", shown(block), failure_.text);
  return std::exchange(failure_, Failure());
}

// Lets one thread run until it waits or ends; false after a fault.
bool Worker::step() {
  int thread = next();
  if (thread < 0) {
    failure_ = stuck();
  } else {
    if (threads_[thread].state == State::fresh) threads_[thread].strand = idle_strand();
    enter(thread);
    running_ = threads_[thread].strand;
    Fiber::change(home_, running_->fiber);
  }
  if (!failure_) return true;
  abandon();
  return false;
}

// A ready thread, by this block's order, which is no longer among the ready ones; -1 without any.
int Worker::next() {
  if (!ready_warps_) return -1;
  auto one_of = [this](uint32_t bits) {
    int turn = int(random_.next() & 31);
    return (std::countr_zero(std::rotr(bits, turn)) + turn) & 31;
  };
  int warp = 0, lane = 0;
  switch (order_) {
    case Order::random: warp = one_of(ready_warps_), lane = one_of(ready_[warp]); break;
    case Order::forward: warp = std::countr_zero(ready_warps_), lane = std::countr_zero(ready_[warp]); break;
    case Order::backward: warp = 31 - std::countl_zero(ready_warps_), lane = 31 - std::countl_zero(ready_[warp]); break;
    case Order::by_warp:  // stays with a warp for as long as one of its lanes can go on
      if (!(ready_warps_ >> sticky_warp_ & 1)) sticky_warp_ = one_of(ready_warps_);
      warp = sticky_warp_, lane = one_of(ready_[warp]);
      break;
  }
  ready_[warp] &= ~(1u << lane);
  if (!ready_[warp]) ready_warps_ &= ~(1u << warp);
  return warp * 32 + lane;
}

void Worker::make_ready(int thread) {
  ready_[thread >> 5] |= 1u << (thread & 31);
  ready_warps_ |= 1u << (thread >> 5);
}

void Worker::enter(int thread) {
  current_ = thread;
  threads_[thread].state = State::running;
  threadIdx = places_[thread];
  linear_thread = unsigned(thread);
}

Worker::Strand* Worker::idle_strand() {
  if (idle_.empty()) {
    char* low = stacks_ + stack_step * strands_.size() + page;
    if (mprotect(low, stack_size, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    strands_.push_back(std::make_unique<Strand>(this, low, stack_size));
    return strands_.back().get();
  }
  Strand* strand = idle_.back();
  idle_.pop_back();
  return strand;
}

void Worker::strand_main(void* strand) {
  Strand& self = *static_cast<Strand*>(strand);
  Worker& worker = *self.worker;
  for (;;) {
    worker.grid_->body();
    worker.end_thread();
    int thread = worker.next();
    if (thread >= 0 && worker.threads_[thread].state == State::fresh) {
      worker.threads_[thread].strand = &self;
      worker.enter(thread);
      continue;
    }
    if (thread >= 0) worker.make_ready(thread);
    worker.idle_.push_back(&self);
    worker.yield();
  }
}

void Worker::yield() { Fiber::change(running_->fiber, home_); }

void Worker::end_thread() {
  threads_[current_].state = State::ended;
  threads_[current_].strand = nullptr;
  warps_[current_ / 32].ended |= 1u << (current_ & 31);
  --alive_;
}

// After a fault: the fibers of the threads that have not ended are made fresh.
void Worker::abandon() {
  idle_.clear();
  for (auto& strand : strands_) {
    strand->fiber.restart();
    idle_.push_back(strand.get());
  }
}

void Worker::fail(cudaError_t error, std::string text, const void* address) {
  failure_ = {error, fmt::format(", thread {}: {}", shown(places_[current_]), text), address};
  std::string().swap(text);  // this frame is never left: nothing in it may own memory
  yield();
  __builtin_trap();
}

bool Worker::overflowed(const void* address) const {
  const char* low = running_->fiber.top() - stack_size;
  return address >= low - page && address < low;
}

// ---- barriers ----

int Worker::barrier(Barrier kind, bool predicate, Site at) {
  if (waiting_ == 0) {
    barrier_site_ = at;
    barrier_kind_ = kind;
  } else if (!same(barrier_site_, at)) {
    fail(cudaErrorLaunchFailure, fmt::format("divergent barrier: waits at {} while {} threads wait at {}", shown(at),
                                             waiting_, shown(barrier_site_)));
  }
  ++barriers_;
  predicates_ += predicate;
  threads_[current_].state = State::barrier;
  if (++waiting_ == count_) open_barrier();
  yield();
  return barrier_result_;
}

// The result stays until the next opening, which needs every thread to have gone on, and so to have read it.
void Worker::open_barrier() {
  bool all = predicates_ == count_, any = predicates_ > 0;
  barrier_result_ = barrier_kind_ == Barrier::count ? predicates_ : barrier_kind_ == Barrier::all ? all : any;
  waiting_ = predicates_ = 0;
  for (int t = 0; t < count_; ++t) make_ready(t);
}

// ---- warps ----

uint64_t Worker::meet(Collective& mine) {
  int first = current_ & ~31, lane = current_ & 31;
  Warp& warp = warps_[first / 32];
  uint32_t mask = mine.mask & warp.present;
  if (!(mask >> lane & 1))
    fail(cudaErrorLaunchFailure,
         fmt::format("{} at {}: lane {} is not in its own mask {:#010x}", mine.name, shown(mine.at), lane, mine.mask));
  if (mask & warp.ended)
    fail(cudaErrorLaunchFailure, fmt::format("{} at {}: lane {} of mask {:#010x} has ended", mine.name, shown(mine.at),
                                             std::countr_zero(mask & warp.ended), mine.mask));
  warp.meeting[lane] = &mine;
  warp.waiting |= 1u << lane;
  threads_[current_].state = State::warp;
  if ((warp.waiting & mask) == mask) resolve(warp, first, mask, mine);
  yield();
  return mine.result;
}

// The last lane of a mask has come, unless one of the others waits for something else that comes first.
void Worker::resolve(Warp& warp, int first, uint32_t mask, const Collective& last) {
  Collective* lanes[32] = {};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    int i = std::countr_zero(rest);
    Collective& c = *warp.meeting[i];
    if (!(c.mask >> (current_ & 31) & 1)) return;  // it will come when it is done there
    if ((c.mask & warp.present) != mask || (c.name != last.name && std::strcmp(c.name, last.name) != 0))
      fail(cudaErrorLaunchFailure,
           fmt::format("{} at {} with mask {:#010x} meets lane {}, which waits in {} at {} with mask {:#010x}",
                       last.name, shown(last.at), last.mask, i, c.name, shown(c.at), c.mask));
    lanes[i] = &c;
  }
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    int i = std::countr_zero(rest);
    lanes[i]->result = lanes[i]->resolve(lanes, i);
    threads_[first + i].state = State::running;
  }
  warp.waiting &= ~mask;
  ready_[first / 32] |= mask;
  ready_warps_ |= 1u << (first / 32);
}

unsigned Worker::active_lanes() const {
  const Warp& warp = warps_[current_ / 32];
  return warp.present & ~warp.ended;
}

// Who polls must not be preferred to those for whom it waits.
void Worker::give_way() {
  order_ = Order::random;
  make_ready(current_);
  yield();
}

// Why no thread can go on.
Failure Worker::stuck() const {
  int ended = count_ - alive_, at_warp = 0;
  const Collective* warp_site = nullptr;
  for (int w = 0; w * 32 < count_; ++w) {
    if (!warps_[w].waiting) continue;
    at_warp += std::popcount(warps_[w].waiting);
    warp_site = warps_[w].meeting[std::countr_zero(warps_[w].waiting)];
  }
  bool divergent = waiting_ && !at_warp;
  std::string text = divergent ? ": divergent barrier" : ": deadlock";
  const char* separator = ": ";
  auto say = [&](const std::string& what) { text += separator + what, separator = ", "; };
  if (waiting_) say(fmt::format("{} of {} threads wait at the barrier at {}", waiting_, count_, shown(barrier_site_)));
  if (at_warp)
    say(fmt::format("{} wait in a warp operation such as {} at {} with mask {:#010x}", at_warp, warp_site->name,
                    shown(warp_site->at), warp_site->mask));
  if (ended) say(fmt::format("{} have ended", ended));
  return {divergent ? cudaErrorLaunchFailure : cudaErrorLaunchTimeout, text, nullptr};
}

// ---- what kernel code calls ----

namespace {
Worker& worker_of(const char* what) {
  if (busy) return *busy;
  fmt::print(stderr, "fakecuda: {} is called outside a kernel\n", what);
  std::abort();
}
}  // namespace

int barrier(Barrier kind, bool predicate, Site at) { return worker_of("a barrier").barrier(kind, predicate, at); }
uint64_t meet(Collective& mine) { return worker_of(mine.name).meet(mine); }
unsigned active_lanes() { return worker_of("__activemask").active_lanes(); }
void give_way() { worker_of("__nanosleep").give_way(); }
void trap(const char* what, Site at) {
  worker_of(what).fail(cudaErrorLaunchFailure, fmt::format("{} at {}", what, shown(at)));
}

uint64_t resolve_shuffle(Collective* const* lanes, int lane) {
  const Collective& mine = *lanes[lane];
  if (mine.source < 0 || mine.source > 31 || !lanes[mine.source])
    worker_of(mine.name).fail(cudaErrorLaunchFailure,
                              fmt::format("{} at {}: lane {} reads lane {}, which takes no part", mine.name,
                                          shown(mine.at), lane, mine.source));
  return lanes[mine.source]->value;
}

}  // namespace fake
