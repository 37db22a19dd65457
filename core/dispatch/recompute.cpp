#include "core/dispatch/recompute.h"

#include <list>

#include "core/device/device.h"
#include "core/dispatch/autocast.h"

namespace luth {

// What a node has in place of a value: number `at` of the work's.
class Recompute::Value final : public Packed {
 public:
  Value(Ref<Recompute> work, size_t at, const Tensor& t)
      : work_(std::move(work)), at_(at), shape_(t.shape()), dtype_(t.dtype()) {}
  ~Value() override { work_->values_[at_] = nullptr; }

  Tensor unpack() override {
    if (!tensor_) work_->run();
    if (!tensor_) throw Error("checkpoint: the function saved fewer values when it ran again");
    if (tensor_.version() != version_)
      throw Error("checkpoint: a value that backward needs ({}) was overwritten in place by the function itself",
                  describe(tensor_));
    return tensor_;
  }
  Refers refers() const override { return {.work = work_.get(), .tensor = &tensor_}; }
  void fill(const Tensor& t) {
    if (!(t.shape() == shape_) || t.dtype() != dtype_)
      throw Error(
          "checkpoint: the function saved {} where it had saved {}{} in its first run; it has to do the same "
          "work every time",
          describe(t), name(dtype_), to_string(shape_));
    tensor_ = t.detach();
    version_ = t.version();
  }

 private:
  Ref<Recompute> work_;
  size_t at_;
  Shape shape_;
  Dtype dtype_;
  Tensor tensor_;  // null before the second run
  uint32_t version_ = 0;
};

class Recompute::Count final : public Packer {
 public:
  explicit Count(Ref<Recompute> work) : work_(std::move(work)) {}
  Ref<Packed> pack(const Tensor& t) override {
    auto value = make<Value>(work_, work_->values_.size(), t);
    work_->values_.push_back(value.get());
    return value;
  }

 private:
  Ref<Recompute> work_;
};

// Hands the values of the second run to those of the first. The nodes of the second run are never used.
class Recompute::Collect final : public Packer {
 public:
  explicit Collect(Recompute& work) : work_(work) {}
  Ref<Packed> pack(const Tensor& t) override {
    if (next_ >= work_.values_.size()) throw Error("checkpoint: the function saved more values when it ran again");
    if (Value* v = work_.values_[next_]) v->fill(t);
    ++next_;
    return make<Nothing>();
  }

 private:
  struct Nothing final : Packed {
    Tensor unpack() override { throw Error("checkpoint: backward through the second run of the function"); }
  };
  Recompute& work_;
  size_t next_ = 0;
};

std::vector<Recompute::RandomState> Recompute::random_states() {
  std::vector<RandomState> states;
  for (Device* d : open_devices()) {
    Generator& g = default_generator(*d);
    states.push_back({&g, g.seed(), g.offset()});
  }
  return states;
}
void Recompute::set_random_states(const std::vector<RandomState>& states) {
  for (auto& s : states) s.generator->seed(s.seed), s.generator->set_offset(s.offset);
}

Recompute::Recompute(std::function<void()> again, bool preserve_random)
    : sequence(next_sequence()), again_(std::move(again)) {
  if (preserve_random) random_ = random_states();
  for (Device* d : open_devices()) {
    std::string kind(d->kind());
    bool known = false;
    for (auto& c : casts_) known = known || c.kind == kind;
    if (!known) casts_.push_back({kind, autocast_dtype(kind), autocast_enabled(kind)});
  }
}
Recompute::~Recompute() = default;

Recompute::First::First(const Ref<Recompute>& work)
    : packer_(std::make_unique<Count>(work)), before_(set_packer(packer_.get())) {}
Recompute::First::~First() { set_packer(before_); }

void Recompute::run() {
  if (running_) throw Error("checkpoint: backward ran within the function, and needs a value of the function itself");
  Ref<Recompute> alive(this);
  Collect collect(*this);
  struct Mode {
    Recompute& work;
    std::vector<RandomState> random;
    GradMode grad;
    Packer* packer;
    std::list<Autocasting> casts;
    ~Mode() {
      while (!casts.empty()) casts.pop_back();
      set_packer(packer);
      if (!work.random_.empty()) set_random_states(random);
      work.running_ = false;
    }
  } mode{*this, random_states(), GradMode(true), set_packer(&collect), {}};
  running_ = true;
  if (!random_.empty()) set_random_states(random_);
  for (auto& c : casts_)
    if (c.enabled || autocast_enabled(c.kind)) mode.casts.emplace_back(c.kind, c.dtype, c.enabled);
  again_();
}

}  // namespace luth
