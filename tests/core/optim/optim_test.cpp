// Optimizers, clipping and schedules against PyTorch's trajectories.
#include "core/optim/optimizer.h"

#include "core/autograd/autograd.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/elementwise/unary.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/view.h"
#include "core/optim/clip.h"
#include "core/optim/optimizers.h"
#include "core/optim/schedules.h"
#include "tests/core/nn/golden.h"

namespace luth::test {
namespace {

const NnGolden& golden() {
  static const NnGolden file("optim.h5");
  return file;
}

// Row `step` of a stack of tensors, as a tensor of its own.
Tensor row(const Tensor& stack, int64_t step) {
  Shape shape(stack.shape().begin() + 1, stack.shape().end());
  return nn::duplicate(
      Tensor::alias(stack.storage(), shape, contiguous_strides(shape), step * shape.numel(), stack.dtype()));
}

void set(optim::Settings& s, const Json& args) {
  set_fields(
      args, [](void* p, Fields& f) { static_cast<optim::Settings*>(p)->describe(f); }, &s);
}

struct Problem {
  std::vector<Tensor> params;
  optim::OptimizerRef optimizer;
};

Problem problem(const Json& c, Dtype dtype) {
  Problem p;
  for (auto& t : c["start"]) p.params.push_back(nn::as_parameter(nn::converted(golden().tensor(t), dtype, nullptr)));
  p.optimizer = optim::find_optimizer_class(c["optimizer"].get<std::string>())->make();
  set(p.optimizer->defaults(), c["args"]);
  if (c["groups"].is_null()) {
    p.optimizer->add_group(p.params);
  } else {
    for (size_t i = 0; i < p.params.size(); ++i) {
      auto settings = p.optimizer->defaults().copy();
      set(*settings, c["groups"][i]);
      p.optimizer->add_group({p.params[i]}, std::move(settings));
    }
  }
  return p;
}

// The loss of the closures: make.py's closure_loss.
Tensor valley(const Tensor& a, const Tensor& b) {
  const int64_t n = a.shape()[1] - 1;
  Tensor low = narrow(a, {1, 0, n}), high = narrow(a, {1, 1, n});
  Tensor first = add(sum(square(sub(1.0, low))), mul(sum(square(sub(high, square(low)))), 4.0));
  return add(first, add(div(sum(pow(b, 4.0)), 4.0), sum(square(sub(b, 0.5)))));
}

// One step of the case; what is wrong with the loss that it returns, or "".
std::string take_step(Problem& p, const Json& c, int step, Dtype dtype, double rtol) {
  p.optimizer->zero_grad();
  if (c["special"] == "closure") {
    std::vector<double> losses;
    p.optimizer->step([&] {
      p.optimizer->zero_grad();
      Tensor loss = valley(p.params[0], p.params[1]);
      loss.backward();
      return losses.emplace_back(loss.item().value());
    });
    const double want = element(golden().tensor(c["loss"]), step);
    return std::abs(losses[0] - want) > rtol * std::abs(want) ? fmt::format("loss {}, not {}", losses[0], want) : "";
  }
  for (size_t i = 0; i < p.params.size(); ++i) {
    bool skip = i == 1 && c["special"] == "skip" && step % 3 == 0;
    if (!skip) p.params[i].set_grad(nn::converted(row(golden().tensor(c["grads"][i]), step), dtype, nullptr));
  }
  p.optimizer->step();
  return "";
}

// All steps; the first difference, or "".
std::string follow(const Json& c, Dtype dtype, double rtol, double atol) {
  Problem p = problem(c, dtype);
  for (int step = 0; step < c["steps"].get<int>(); ++step) {
    std::string wrong = take_step(p, c, step, dtype, rtol);
    if (!wrong.empty()) return wrong;
    for (size_t i = 0; i < p.params.size(); ++i) {
      std::string d = differs(p.params[i], row(golden().tensor(c["track"][i]), step), rtol, atol);
      if (!d.empty()) return fmt::format("parameter {} after step {}: {}", i, step, d);
    }
  }
  for (size_t i = 0; i < p.params.size(); ++i)
    for (auto& [name, value] : c["state"][i].items()) {
      optim::ParameterState* s = p.optimizer->state_of(p.params[i]);
      double* number = s ? s->find_number(name) : nullptr;
      if (name == "step" || number) {
        double want = value.is_number() ? value.get<double>() : element(golden().tensor(value), 0);
        double got = number ? *number : s ? double(s->step) : 0;
        if (std::abs(got - want) > rtol * std::abs(want)) return fmt::format("{} is {}, not {}", name, got, want);
      } else if (!value.is_null()) {
        Tensor* t = s ? s->find(name) : nullptr;
        std::string d = differs(t ? *t : Tensor(), golden().tensor(value), rtol, atol);
        if (!d.empty()) return name + ": " + d;
      }
    }
  return "";
}

TEST(Optim, FollowsPyTorchsTrajectories) {
  int seen = 0;
  for (auto& c : golden().index()["cases"]) {
    ++seen;
    // PyTorch orthogonalises in bfloat16; LBFGS decides by thresholds, so in float32 it may take other steps.
    const bool muon = c["optimizer"] == "Muon", lbfgs = c["optimizer"] == "LBFGS";
    EXPECT_EQ(follow(c, Dtype::f64, muon ? 2e-2 : 1e-9, muon ? 2e-2 : 1e-11), "") << c["id"];
    if (lbfgs) continue;
    EXPECT_EQ(follow(c, Dtype::f32, muon ? 2e-2 : 1e-4, muon ? 2e-2 : 1e-5), "") << c["id"] << " in float32";
  }
  EXPECT_EQ(seen, 62);
}

TEST(Optim, StepsStridedParametersAndHalves) {
  Tensor memory = Tensor::empty({4, 6}, Dtype::f32, host());
  for (int i = 0; i < 24; ++i) memory.data<float>()[i] = float(i);
  Tensor holes = nn::as_parameter(Tensor::alias(memory.storage(), {4, 3}, {6, 2}, 0, Dtype::f32));
  Tensor h = nn::as_parameter(Tensor::empty({2}, Dtype::bf16, host()));
  h.data<bfloat16>()[0] = h.data<bfloat16>()[1] = bfloat16(1);
  holes.set_grad(nn::duplicate(holes));
  h.set_grad(nn::duplicate(h));
  auto o = optim::create<optim::SGD>({holes, h}, {.lr = 0.5, .momentum = 0.5});
  uint32_t before = holes.version();
  o->step();
  EXPECT_GT(holes.version(), before);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(memory.data<float>()[i], i % 2 ? float(i) : float(i) / 2) << i;
  EXPECT_EQ(float(h.data<bfloat16>()[1]), 0.5f);
}

TEST(Optim, ResumesFromItsState) {
  const Json* adam = nullptr;
  for (auto& c : golden().index()["cases"])
    if (c["id"] == "Adam.5") adam = &c;  // amsgrad
  ASSERT_TRUE(adam);
  Problem a = problem(*adam, Dtype::f64), b = problem(*adam, Dtype::f64);
  auto grads = [&](Problem& p, int step) {
    for (size_t i = 0; i < 2; ++i) p.params[i].set_grad(row(golden().tensor((*adam)["grads"][i]), step));
    p.optimizer->step();
  };
  for (int step = 0; step < 5; ++step) grads(a, step);
  for (size_t i = 0; i < 2; ++i) nn::replace_data(b.params[i], nn::duplicate(a.params[i]));
  a.optimizer->groups()[0].settings->set("lr", 0.3);
  b.optimizer->load_state_dict(a.optimizer->state_dict());
  EXPECT_EQ(b.optimizer->groups()[0].settings->number("lr"), 0.3);
  for (int step = 5; step < 10; ++step) grads(a, step), grads(b, step);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(differs(b.params[i], a.params[i], 0, 0), "");
}

TEST(Optim, RefusesWhatMakesNoSense) {
  Tensor p = nn::as_parameter(Tensor::empty({2}, Dtype::f32, host()));
  EXPECT_THROW(optim::create<optim::SGD>({}), Error);
  EXPECT_THROW(optim::create<optim::SGD>({p, p}), Error);
  EXPECT_THROW(optim::create<optim::SGD>({p}, {.lr = -1}), Error);
  EXPECT_THROW(optim::create<optim::SGD>({p}, {.nesterov = true}), Error);
  optim::SGD none;
  EXPECT_THROW(none.step(), Error);
}

TEST(Clip, FollowsPyTorch) {
  int seen = 0;
  for (auto& c : golden().index()["clips"]) {
    std::vector<Tensor> params;
    for (auto& g : c["before"]) {
      Tensor grad = golden().tensor(g);
      params.push_back(nn::as_parameter(Tensor::empty(grad.shape(), grad.dtype(), host())));
      params.back().set_grad(grad);
    }
    auto number = [&](const char* key, double otherwise) {
      if (!c["args"].contains(key)) return otherwise;
      return c["args"][key].is_object() ? INFINITY : c["args"][key].get<double>();
    };
    if (c["function"] == "clip_grad_value_") {
      optim::clip_grad_value(params, number("clip_value", 0));
    } else {
      Tensor total = optim::clip_grad_norm(params, number("max_norm", 0), number("norm_type", 2));
      EXPECT_NEAR(total.item().value(), c["total"].get<double>(), 1e-12) << c["id"];
    }
    for (size_t i = 0; i < params.size(); ++i)
      EXPECT_EQ(differs(params[i].grad(), golden().tensor(c["after"][i])), "") << c["id"];
    ++seen;
  }
  EXPECT_EQ(seen, 6);
}

// ---- Schedules ----------------------------------------------------------------------------------------------------

std::function<double(int64_t)> lambda(const std::string& text) {
  if (text.find("0.95 ** epoch") != std::string::npos) return [](int64_t e) { return std::pow(0.95, double(e)); };
  if (text.find("epoch % 7") != std::string::npos) return [](int64_t e) { return e % 7 == 0 ? 0.9 : 1.0; };
  throw Error("no such function: {}", text);
}

optim::ScheduleRef make_schedule(const std::string& name, Json args) {
  auto* c = optim::find_schedule_class(name);
  if (!c) return {};
  optim::ScheduleRef s = c->make();
  if (args.contains("lr_lambda")) {
    auto f = lambda(args["lr_lambda"].get<std::string>());
    if (auto* l = dynamic_cast<optim::LambdaLR*>(s.get())) l->f = {f};
    if (auto* m = dynamic_cast<optim::MultiplicativeLR*>(s.get())) m->f = {f};
    args.erase("lr_lambda");
  }
  if (args.contains("schedulers")) {
    std::vector<optim::ScheduleRef> list;
    for (auto& e : args["schedulers"]) list.push_back(make_schedule(e[0].get<std::string>(), e[1]));
    if (auto* q = dynamic_cast<optim::SequentialLR*>(s.get())) q->schedules = list;
    if (auto* q = dynamic_cast<optim::ChainedScheduler*>(s.get())) q->schedules = list;
    args.erase("schedulers");
  }
  set_fields(
      args, [](void* p, Fields& f) { static_cast<optim::Schedule*>(p)->describe(f); }, s.get());
  return s;
}

TEST(Schedules, FollowPyTorchsRates) {
  Json file = golden_json("schedules.json");
  int seen = 0;
  for (auto& c : file["cases"]) {
    std::vector<Tensor> params{nn::as_parameter(Tensor::empty({1}, Dtype::f32, host())),
                               nn::as_parameter(Tensor::empty({1}, Dtype::f32, host()))};
    optim::OptimizerRef o = optim::find_optimizer_class(c["optimizer"].get<std::string>())->make();
    if (o->defaults().has("momentum")) o->defaults().set("momentum", 0.9);
    for (size_t i = 0; i < 2; ++i) o->add_group({params[i]}).settings->set("lr", c["start"][i].get<double>());
    optim::ScheduleRef s = make_schedule(c["schedule"].get<std::string>(), c["args"]);
    ASSERT_TRUE(s) << c["id"];
    s->attach(o);
    for (size_t step = 0; step < c["lr1"].size(); ++step) {
      if (step) {
        if (c["schedule"] == "ReduceLROnPlateau")
          s->step(file["metrics"][step - 1].get<double>());
        else
          s->step();
      }
      double a = c["lr1"][step].get<double>(), b = c["lr2"][step].get<double>();
      ASSERT_NEAR(o->groups()[0].settings->number("lr"), a, 1e-9 * std::abs(a) + 1e-15) << c["id"] << " step " << step;
      ASSERT_NEAR(o->groups()[1].settings->number("lr"), b, 1e-9 * std::abs(b) + 1e-15) << c["id"] << " step " << step;
      if (c.contains("momentum")) {
        auto& settings = *o->groups()[0].settings;
        double m = settings.has("momentum") ? settings.number("momentum")
                                            : std::get<std::vector<double>>(settings.get("betas"))[0];
        ASSERT_NEAR(m, c["momentum"][step].get<double>(), 1e-12) << c["id"] << " step " << step;
      }
    }
    ++seen;
  }
  EXPECT_EQ(seen, 34);
}

}  // namespace
}  // namespace luth::test
