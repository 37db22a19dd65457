// Calling a module: its hooks, and where errors say that they come from.
#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/base/warn.h"
#include "core/nn/backward_hooks.h"

namespace luth::nn {
namespace {

thread_local Frame* innermost = nullptr;

// "Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))": the class and the settings without the children.
std::string headline(const Module& m) {
  std::string extra = m.extra_repr();
  std::replace(extra.begin(), extra.end(), '\n', ' ');
  if (size_t n = m.parts().children.size(); m.positional() && extra.empty() && n)
    extra = n == 1 ? "1 module" : fmt::format("{} modules", n);
  return m.type() + "(" + extra + ")";
}

}  // namespace

Frame::Frame(const Module& m, std::string (*root)(void*), void* context)
    : module_(m), root_(root), context_(context), outer_(innermost) {
  innermost = this;
}
Frame::~Frame() { innermost = outer_; }

std::string Frame::where() {
  if (!innermost) return "";
  std::vector<const Frame*> frames;
  for (const Frame* f = innermost; f; f = f->outer_) frames.insert(frames.begin(), f);
  auto root_name = [](const Frame& f) {
    std::string given = f.root_ ? f.root_(f.context_) : "";
    return given.empty() ? f.module_.type() : given;
  };
  std::string path = root_name(*frames[0]);
  for (size_t i = 1; i < frames.size(); ++i) {
    if (&frames[i]->module_ == &frames[i - 1]->module_) continue;
    std::string step = path_to(frames[i - 1]->module_, frames[i]->module_);
    // A module that a forward calls and that is not part of the one above begins a path of its own.
    path = step.empty() ? root_name(*frames[i]) : path + "." + step;
  }
  const Module& last = innermost->module_;
  return path == last.type() ? headline(last) : path + " (" + headline(last) + ")";
}

namespace {

// The arguments with those given by name at their places.
Values placed(const Module& m, const Values& in, const Named& named) {
  const std::vector<std::string> names = m.argument_names();
  Values all = in;
  for (auto& [name, value] : named) {
    const size_t i = size_t(std::find(names.begin(), names.end(), name) - names.begin());
    if (i == names.size())
      throw Error("{} has no argument '{}'{}", m.type(), name,
                  names.empty() ? ": it takes none by name" : did_you_mean(name, names));
    if (i < in.size()) throw Error("{}: argument '{}' is given twice", m.type(), name);
    if (all.size() <= i) all.resize(i + 1);
    all[i] = value;
  }
  return all;
}

// Calls f for the global hooks of a kind and then for those of the module: copies, since a hook may remove itself.
template <class F, class Each>
void each_hook(const Module& m, std::vector<Hook<F>> Hooks::*kind, Each each) {
  for (const Hooks* hooks : {&std::as_const(global_hooks()), &m.parts().hooks}) {
    if ((hooks->*kind).empty()) continue;
    const auto list = hooks->*kind;
    for (auto& hook : list) each(hook);
  }
}

// Runs the hooks that always run, where an error leaves a call before they have. In a destructor, because errors of the
// language must pass untouched. The hooks' own errors are only warned of.
struct AlwaysRun {
  Module& m;
  const Values& in;
  const Named& named;
  std::set<int64_t> done{};
  int before = std::uncaught_exceptions();

  ~AlwaysRun() {
    if (std::uncaught_exceptions() == before) return;
    each_hook(m, &Hooks::after, [&](auto& hook) {
      if (!hook.always || done.count(hook.id)) return;
      Values none;
      try {
        hook.f(m, in, named, none);
      } catch (const Error& e) {
        warn(fmt::format("{}: a hook that always runs failed after an error: {}", m.type(), e.what()));
      }
    });
  }
};

Values call_between_hooks(Module& m, Values in, Named named) {
  AlwaysRun always{m, in, named};
  each_hook(m, &Hooks::before, [&](auto& hook) { hook.f(m, in, named); });
  BackwardHooks backward(m);
  backward.watch_inputs(in);
  Values out = m.forward_named(in, named);
  each_hook(m, &Hooks::after, [&](auto& hook) {
    always.done.insert(hook.id);
    hook.f(m, in, named, out);
  });
  backward.watch_results(out);
  return out;
}

}  // namespace

Values Module::forward_named(const Values& in, const Named& named) {
  return named.empty() ? forward(in) : forward(placed(*this, in, named));
}

Values Module::call(const Values& in, const Named& named) {
  Frame frame(*this);
  try {
    return hooked() ? call_between_hooks(*this, in, named) : forward_named(in, named);
  } catch (Error& e) {
    if (!e.has_module()) e.add_module(", in module " + Frame::where());
    throw;
  }
}

Tensor Module::operator()(const Tensor& x) { return call({x})[0].tensor(); }
Tensor Module::operator()(const Tensor& x, const Tensor& y) { return call({x, y})[0].tensor(); }

void check_tensors(const Module& m, const Values& in, size_t n) {
  if (in.size() != n) throw Error("{} takes {} input{}, got {}", m.type(), n, n == 1 ? "" : "s", in.size());
  for (size_t i = 0; i < n; ++i)
    if (!in[i].is_tensor())
      throw Error("input {} of {} must be a tensor, got {}", shown(int64_t(i)), m.type(), in[i].text());
}

}  // namespace luth::nn
