// Calling a module: its hooks, and where errors say that they come from.
#include <algorithm>

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

Values Module::call(const Values& in) {
  Frame frame(*this);
  try {
    if (!parts_->hooked()) return forward(in);
    Values args = in;
    const auto pre = parts_->pre_hooks;  // copies: a hook may remove itself
    for (auto& [_, hook] : pre)
      if (auto replaced = hook(*this, args)) args = std::move(*replaced);
    BackwardHooks backward(*this);
    backward.watch_inputs(args);
    Values out = forward(args);
    const auto post = parts_->post_hooks;
    for (auto& [_, hook] : post)
      if (auto replaced = hook(*this, args, out)) out = std::move(*replaced);
    backward.watch_results(out);
    return out;
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
      throw Error("input {} of {} must be a tensor, got {}", shown(int64_t(i)), m.type(),
                  in[i].is_scalar() ? "a number" : "nothing");
}

}  // namespace luth::nn
