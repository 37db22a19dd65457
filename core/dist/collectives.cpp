#include "core/dist/collectives.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/autograd/autograd.h"
#include "core/op/basics.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/shape/view.h"
#include "core/tensor/source_mark.h"

namespace luth::dist {
namespace {

Milliseconds time_for(const ProcessGroup& g, const Timeout& t) { return t.value_or(g.timeout()); }

// Runs f(backend, time) as a call of the group, whose tensors are on the device `where`.
template <class F>
WorkRef run(ProcessGroup& g, const Device& where, const std::string& call, const Timeout& timeout, F f) {
  const Milliseconds time = time_for(g, timeout);
  return g.run(where, call, time, [f = std::move(f), time](Backend& b, Work&) { f(b, time); });
}

template <class... A>
[[noreturn]] void refuse(fmt::format_string<A...> text, A&&... args) {
  throw Error(text, std::forward<A>(args)...);
}

// Where the group takes the values of `t`, which may be on another device.
Device& near_device(const ProcessGroup& g, const Tensor& t) { return g.backend_for(t.device()).device(); }
bool is_near(const ProcessGroup& g, const Tensor& t) { return &t.device() == &near_device(g, t) && t.is_contiguous(); }

// A dense tensor where the group takes it with the elements of `t`, or `t` itself where it is one.
Tensor near_copy(const ProcessGroup& g, const Tensor& t) {
  const NoGrad no_grad;
  const Tensor plain = t.detach();
  if (is_near(g, plain)) return plain;
  const Tensor near = Tensor::empty(t.shape(), t.dtype(), near_device(g, t));
  basic::copy_into(near, plain);
  return near;
}
Tensor near_room(const ProcessGroup& g, const Shape& shape, const Tensor& like) {
  return Tensor::empty(shape, like.dtype(), near_device(g, like));
}
// Where values for `t` arrive: `t` itself where it is dense and where the group takes it.
Tensor near_target(const ProcessGroup& g, const Tensor& t) {
  return is_near(g, t) ? t.detach() : near_room(g, t.shape(), t);
}

// Values arrive in `near`, which may be the tensor itself.
void deliver(const Tensor& t, const Tensor& near) {
  const NoGrad no_grad;
  if (near.raw() == t.raw() && t.is_contiguous())
    t.storage()->written(nullptr);
  else
    basic::copy_into(t.detach(), near);
}

// Piece i of n equal pieces of a dense tensor, in the shape of one.
Tensor piece(const Tensor& all, int i, const Shape& shape) {
  int64_t n = 1;
  for (int64_t extent : shape) n *= extent;
  const Tensor flat = Tensor::alias(all.storage(), Shape{n}, Strides{1}, all.offset() + i * n, all.dtype());
  return basic::as_strided(flat, shape, contiguous_strides(shape), flat.offset());
}

// Without the number of a GPU, which ranks do not have in common.
std::string call_text(const char* name, const Tensor& t, std::string_view more = "") {
  std::string what = describe(t);
  const Device& d = t.device();
  if (what.starts_with(d.name())) what.replace(0, d.name().size(), d.kind());
  return fmt::format("{}({}{}{})", name, what, more.empty() ? "" : ", ", more);
}

// Before anything is sent: a tensor into which nothing can be delivered is this rank's mistake alone.
void check_target(const char* call, const Tensor& t) {
  if (is_expanded(t.shape(), t.strides()))
    refuse("{}: {} has several elements in one place (it was expanded), and is to be written; clone() it first", call,
           describe(t));
}
void check_targets(const char* call, const TensorList& list) {
  for (auto& t : list) check_target(call, t);
}

void check_floating_mean(const char* call, const Tensor& t, ReduceOp op) {
  if (op == ReduceOp::avg && !is_floating(t.dtype()))
    refuse("{}: AVG is for floating dtypes, got {}; use SUM and divide", call, describe(t));
  const bool bits = op == ReduceOp::band || op == ReduceOp::bor || op == ReduceOp::bxor;
  if (bits && is_floating(t.dtype()))
    refuse("{}: {} is for integers and bools, got {}", call, to_text(op), describe(t));
}

// After a reduction.
void divide_mean(const Backend& b, const Tensor& t, ReduceOp op) {
  const NoGrad no_grad;
  if (op == ReduceOp::avg && !b.has_mean()) div.into(t, Scalar(int64_t(b.size())));
}

void check_list(const char* call, const char* what, const ProcessGroup& g, const TensorList& list, const Tensor& like) {
  if (int(list.size()) != g.size())
    refuse("{}: {} has {} tensors, expected {}, one for each rank of the group", call, what, list.size(), g.size());
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].shape() != like.shape() || list[i].dtype() != like.dtype())
      refuse("{}: {}[{}] is {}, expected {} as the tensor", call, what, i + 1, describe(list[i]), describe(like));
}

// The list is the root's alone. Whether that is here.
bool check_root(const char* call, const char* what, const ProcessGroup& g, int root, const TensorList& list,
                const Tensor& like) {
  const bool here = g.rank() == root;
  if (here)
    check_list(call, what, g, list, like);
  else if (!list.empty())
    refuse("{}: {} is for {} alone", call, what, g.rank_name(root));
  return here;
}

void check_whole(const char* call, const ProcessGroup& g, const Tensor& all, const Tensor& part) {
  if (all.dtype() != part.dtype() || all.numel() != part.numel() * g.size())
    refuse("{}: the tensor of all ranks is {}, expected {} times the elements of {}", call, describe(all), g.size(),
           describe(part));
}

// The tensors of a list one after the other.
Tensor joined(const ProcessGroup& g, const TensorList& list, const Tensor& like) {
  const NoGrad no_grad;
  Shape shape{int64_t(list.size())};
  for (int64_t extent : like.shape()) shape.push_back(extent);
  const Tensor all = near_room(g, shape, like);
  for (size_t i = 0; i < list.size(); ++i) basic::copy_into(piece(all, int(i), like.shape()), list[i].detach());
  return all;
}
void deliver_each(const TensorList& list, const Tensor& all) {
  for (size_t i = 0; i < list.size(); ++i) deliver(list[i], piece(all, int(i), list[i].shape()));
}
Tensor room_for(const ProcessGroup& g, const Tensor& part) {
  Shape shape{int64_t(g.size())};
  for (int64_t extent : part.shape()) shape.push_back(extent);
  return near_room(g, shape, part);
}

std::vector<int64_t> counts_of(const TensorList& list) {
  std::vector<int64_t> counts;
  for (auto& t : list) counts.push_back(t.numel());
  return counts;
}

}  // namespace

int place_in(const ProcessGroup& g, int rank, const char* call) {
  const auto it = std::find(g.ranks().begin(), g.ranks().end(), rank);
  if (it == g.ranks().end())
    refuse("{}: rank {} is not in the group '{}', whose ranks are {}", call, rank, g.name(),
           fmt::join(g.ranks(), ", "));
  return int(it - g.ranks().begin());
}

WorkRef all_reduce(ProcessGroup& g, const Tensor& t, ReduceOp op, Timeout timeout) {
  check_target("all_reduce", t);
  check_floating_mean("all_reduce", t, op);
  return run(g, t.device(), call_text("all_reduce", t, to_text(op)), timeout,
             [=, near = near_copy(g, t)](Backend& b, Milliseconds time) {
               b.all_reduce(near, op, time);
               divide_mean(b, near, op);
               deliver(t, near);
             });
}

WorkRef broadcast(ProcessGroup& g, const Tensor& t, int src, Timeout timeout) {
  const int root = place_in(g, src, "broadcast");
  check_target("broadcast", t);
  return run(g, t.device(), call_text("broadcast", t, fmt::format("src = {}", src)), timeout,
             [=, near = near_copy(g, t)](Backend& b, Milliseconds time) {
               b.broadcast(near, root, time);
               deliver(t, near);
             });
}

WorkRef reduce(ProcessGroup& g, const Tensor& t, int dst, ReduceOp op, Timeout timeout) {
  const int root = place_in(g, dst, "reduce");
  check_target("reduce", t);
  check_floating_mean("reduce", t, op);
  // Other ranks keep their values: partial sums go to a copy.
  Tensor near = near_copy(g, t);
  if (g.rank() != root && near.raw() == t.raw()) near = basic::clone(near);
  return run(g, t.device(), call_text("reduce", t, fmt::format("dst = {}, {}", dst, to_text(op))), timeout,
             [=, &g](Backend& b, Milliseconds time) {
               b.reduce(near, op, root, time);
               if (g.rank() != root) return;
               divide_mean(b, near, op);
               deliver(t, near);
             });
}

WorkRef all_gather(ProcessGroup& g, const TensorList& list, const Tensor& t, Timeout timeout) {
  check_list("all_gather", "tensor_list", g, list, t);
  check_targets("all_gather", list);
  return run(g, t.device(), call_text("all_gather", t), timeout,
             [=, part = near_copy(g, t), all = room_for(g, t)](Backend& b, Milliseconds time) {
               b.all_gather(part, all, time);
               deliver_each(list, all);
             });
}

WorkRef all_gather_into_tensor(ProcessGroup& g, const Tensor& all, const Tensor& t, Timeout timeout) {
  check_whole("all_gather_into_tensor", g, all, t);
  check_target("all_gather_into_tensor", all);
  return run(g, t.device(), call_text("all_gather_into_tensor", t), timeout,
             [=, part = near_copy(g, t), near = near_target(g, all)](Backend& b, Milliseconds time) {
               b.all_gather(part, near, time);
               deliver(all, near);
             });
}

WorkRef gather(ProcessGroup& g, const Tensor& t, const TensorList& list, int dst, Timeout timeout) {
  const int root = place_in(g, dst, "gather");
  const bool here = check_root("gather", "gather_list", g, root, list, t);
  check_targets("gather", list);
  return run(g, t.device(), call_text("gather", t, fmt::format("dst = {}", dst)), timeout,
             [=, part = near_copy(g, t), all = here ? room_for(g, t) : Tensor()](Backend& b, Milliseconds time) {
               b.gather(part, all, root, time);
               if (here) deliver_each(list, all);
             });
}

WorkRef scatter(ProcessGroup& g, const Tensor& t, const TensorList& list, int src, Timeout timeout) {
  const int root = place_in(g, src, "scatter");
  const bool here = check_root("scatter", "scatter_list", g, root, list, t);
  check_target("scatter", t);
  return run(g, t.device(), call_text("scatter", t, fmt::format("src = {}", src)), timeout,
             [=, near = near_copy(g, t), all = here ? joined(g, list, t) : Tensor()](Backend& b, Milliseconds time) {
               b.scatter(all, near, root, time);
               deliver(t, near);
             });
}

WorkRef reduce_scatter(ProcessGroup& g, const Tensor& t, const TensorList& list, ReduceOp op, Timeout timeout) {
  check_list("reduce_scatter", "input_list", g, list, t);
  return reduce_scatter_tensor(g, t, joined(g, list, t), op, timeout);
}

WorkRef reduce_scatter_tensor(ProcessGroup& g, const Tensor& t, const Tensor& all, ReduceOp op, Timeout timeout) {
  check_whole("reduce_scatter_tensor", g, all, t);
  check_target("reduce_scatter_tensor", t);
  check_floating_mean("reduce_scatter_tensor", t, op);
  return run(g, t.device(), call_text("reduce_scatter", t, to_text(op)), timeout,
             [=, &g, near = near_room(g, t.shape(), t), from = near_copy(g, all)](Backend& b, Milliseconds time) {
               b.reduce_scatter(from, near, op, time);
               divide_mean(b, near, op);
               deliver(t, near);
             });
}

WorkRef all_to_all(ProcessGroup& g, const TensorList& to, const TensorList& from, Timeout timeout) {
  for (auto* list : {&to, &from}) {
    const char* what = list == &to ? "output_tensor_list" : "input_tensor_list";
    if (int(list->size()) != g.size())
      refuse("all_to_all: {} has {} tensors, expected {}, one for each rank of the group", what, list->size(),
             g.size());
    for (auto& t : *list)
      if (t.dtype() != from[0].dtype())
        refuse("all_to_all: {} has {}, expected the dtype of {}", what, describe(t), describe(from[0]));
  }
  check_targets("all_to_all", to);
  const auto to_counts = counts_of(to), from_counts = counts_of(from);
  const Dtype dtype = from[0].dtype();
  const auto total = [](const std::vector<int64_t>& c) { return std::accumulate(c.begin(), c.end(), int64_t(0)); };
  const Tensor in = near_room(g, Shape{total(from_counts)}, from[0]),
               out = near_room(g, Shape{total(to_counts)}, from[0]);
  int64_t at = 0;
  for (auto& t : from) {
    const NoGrad no_grad;
    basic::copy_into(basic::as_strided(in, t.shape(), contiguous_strides(t.shape()), at), t.detach());
    at += t.numel();
  }
  return run(g, from[0].device(), fmt::format("all_to_all({})", name(dtype)), timeout,
             [=](Backend& b, Milliseconds time) {
               b.all_to_all(in, from_counts, out, to_counts, time);
               int64_t begin = 0;
               for (auto& t : to) {
                 deliver(t, basic::as_strided(out, t.shape(), contiguous_strides(t.shape()), begin));
                 begin += t.numel();
               }
             });
}

namespace {

// Elements for each rank, of sizes along the first dim.
std::vector<int64_t> element_counts(const ProcessGroup& g, const char* what, const Tensor& t,
                                    std::vector<int64_t> sizes) {
  const int64_t rows = t.dim() ? t.shape()[0] : 1, row = rows ? t.numel() / rows : 0;
  if (sizes.empty()) {
    if (rows % g.size())
      refuse("all_to_all_single: the first dim of {} does not divide by the {} ranks; give {}", describe(t), g.size(),
             what);
    sizes.assign(size_t(g.size()), rows / g.size());
  }
  const bool fits = int(sizes.size()) == g.size() && std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) == rows &&
                    std::all_of(sizes.begin(), sizes.end(), [](int64_t n) { return n >= 0; });
  if (!fits)
    refuse("all_to_all_single: {} is {{{}}}, expected {} sizes whose sum is the first dim of {}", what,
           fmt::join(sizes, ", "), g.size(), describe(t));
  for (int64_t& n : sizes) n *= row;
  return sizes;
}

}  // namespace

WorkRef all_to_all_single(ProcessGroup& g, const Tensor& to, const Tensor& from, std::vector<int64_t> to_sizes,
                          std::vector<int64_t> from_sizes, Timeout timeout) {
  if (to.dtype() != from.dtype())
    refuse("all_to_all_single: output is {} and input is {}, expected one dtype", describe(to), describe(from));
  check_target("all_to_all_single", to);
  const auto to_counts = element_counts(g, "output_split_sizes", to, std::move(to_sizes));
  const auto from_counts = element_counts(g, "input_split_sizes", from, std::move(from_sizes));
  return run(g, from.device(), fmt::format("all_to_all_single({})", name(from.dtype())), timeout,
             [=, in = near_copy(g, from), out = near_room(g, to.shape(), to)](Backend& b, Milliseconds time) {
               b.all_to_all(in, from_counts, out, to_counts, time);
               deliver(to, out);
             });
}

namespace {
void check_message(const ProcessGroup& g, const char* call, int peer, int tag) {
  if (peer == g.rank()) refuse("{}: rank {} is this process itself", call, g.ranks()[size_t(peer)]);
  if (tag < 0) refuse("{}: tag is {}, expected 0 or more", call, tag);
}
}  // namespace

WorkRef send(ProcessGroup& g, const Tensor& t, int dst, int tag, Timeout timeout) {
  const int peer = place_in(g, dst, "send");
  check_message(g, "send", peer, tag);
  const Milliseconds time = time_for(g, timeout);
  const std::string call = call_text("send", t, fmt::format("dst = {}", dst));
  return g.run_message(t.device(), call, {peer, true, uint32_t(tag)}, time,
                       [=, here = call + at_source_mark(source_mark()), near = near_copy(g, t)](Backend& b, Work&) {
                         b.send(near, peer, uint32_t(tag), here, time);
                       });
}

WorkRef receive(ProcessGroup& g, const Tensor& t, int src, int tag, Timeout timeout) {
  const int peer = src < 0 ? -1 : place_in(g, src, "recv");
  check_message(g, "recv", peer, tag);
  check_target("recv", t);
  if (g.size() == 1) refuse("recv: the group has no other rank");
  const Milliseconds time = time_for(g, timeout);
  const std::string from = src < 0 ? "" : fmt::format("src = {}", src), call = call_text("recv", t, from);
  return g.run_message(
      t.device(), call, {peer, false, uint32_t(tag)}, time,
      [=, &g, here = call + at_source_mark(source_mark()), near = near_target(g, t)](Backend& b, Work& w) {
        w.set_source(g.ranks()[size_t(b.receive(near, peer, uint32_t(tag), here, time))]);
        deliver(t, near);
      });
}

WorkRef barrier(ProcessGroup& g, Timeout timeout) {
  Backend& backend = g.backend();
  const WorkRef work = run(g, backend.device(), "barrier()", timeout, [](Backend& b, Milliseconds time) {
    const NoGrad no_grad;
    const Tensor one = Tensor::empty(Shape{1}, Dtype::u8, b.device());
    basic::fill_into(one, Scalar(0));
    b.all_reduce(one, ReduceOp::max, time);
  });
  work->wait_on_host();
  return work;
}

}  // namespace luth::dist
