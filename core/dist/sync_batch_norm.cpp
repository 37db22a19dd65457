#include "core/dist/sync_batch_norm.h"

#include "core/autograd/autograd.h"
#include "core/dist/sum_over_ranks.h"
#include "core/dist/world.h"
#include "core/op/basics.h"
#include "core/ops/common/checks.h"
#include "core/ops/elementwise/arith.h"
#include "core/ops/nn/norm.h"
#include "core/ops/reduce/reduce.h"
#include "core/ops/shape/cat.h"
#include "core/ops/shape/view.h"

namespace luth::dist {
namespace {

const nn::DefineModule<SyncBatchNorm> sync_batch_norm_;

struct Statistics {
  Tensor mean, var;  // of each channel; the biased variance
  double count;      // values of a channel
};

// Rows of all ranks, from this rank's: [n] becomes [ranks, n].
Tensor gather_rows(const GroupRef& g, const Tensor& row) {
  const auto zeros = [&](int n) { return full({int64_t(n), row.numel()}, 0, row.dtype(), row.device()); };
  const Tensor own = reshape(row, {.shape = {1, row.numel()}});
  return sum_over_ranks(g, cat({zeros(g->rank()), own, zeros(g->size() - 1 - g->rank())}, {.dim = 0}));
}

Tensor columns(const Tensor& t, int64_t from, int64_t n) { return narrow(t, {.dim = 1, .start = from, .length = n}); }
Tensor sum_of_rows(const Tensor& t) { return sum(t, {.dim = Ints{0}}); }

// Each rank sends mean, sum of squared distances from it and count, and combines those of all: Chan, Golub and LeVeque,
// "Updating formulae and a pairwise algorithm for computing sample variances".
Statistics statistics_of_all(const GroupRef& g, const Tensor& x) {
  const int64_t channels = x.shape()[1], count = channels ? x.numel() / channels : 0;
  Ints dims{0};
  for (int i = 2; i < x.dim(); ++i) dims.push_back(i);
  const Tensor mean = div(sum(x, {.dim = dims, .keepdim = true}), Scalar(std::max<int64_t>(count, 1)));
  const Tensor distance = sub(x, mean);
  const Tensor squares = sum(mul(distance, distance), {.dim = dims});
  const Tensor own_count = full({1}, double(count), x.dtype(), x.device());
  const Tensor all = gather_rows(g, cat({reshape(mean, {.shape = {channels}}), squares, own_count}, {.dim = 0}));
  const Tensor means = columns(all, 0, channels), counts = columns(all, 2 * channels, 1).detach();
  Statistics s;
  s.count = sum(counts).item().value();
  const Tensor share = div(counts, Scalar(std::max(s.count, 1.0)));
  s.mean = sum_of_rows(mul(means, share));
  const Tensor apart = sub(means, s.mean);
  s.var = add(div(sum_of_rows(columns(all, channels, channels)), Scalar(std::max(s.count, 1.0))),
              sum_of_rows(mul(mul(apart, apart), share)));
  return s;
}

}  // namespace

Tensor SyncBatchNorm::by_processes(const Tensor& x, const Value& weight_of_batch) {
  if (!is_initialized()) return {};
  const GroupRef g = find_group(spec.process_group);
  if (g->size() == 1) return {};
  const Statistics s = statistics_of_all(g, cast_to(x, ops::wide(x.dtype())));
  if (s.count == 1) throw Error("training wants more than one value per channel, but the {} ranks have 1", g->size());
  if (s.count > 1) {
    ops::move_running(buffer(0), s.mean.detach(), weight_of_batch, 1);
    ops::move_running(buffer(1), s.var.detach(), weight_of_batch, s.count / (s.count - 1));
  }
  return ops::batch_norm_by_statistics(x, s.mean, s.var, parameter(0), parameter(1), spec.eps);
}

namespace {
template <class... M>
nn::ModuleRef sync_form(const nn::ModuleRef& m, const std::string& group) {
  nn::ModuleRef made;
  auto convert = [&](auto* norm) {
    if (!norm) return;
    nn::SyncBatchNormSpec s;
    static_cast<nn::ChannelNormSpec&>(s) = norm->spec;
    s.process_group = group;
    Ref<SyncBatchNorm> sync(new SyncBatchNorm(s));
    sync->parts() = norm->parts();
    made = sync;
  };
  (convert(made ? nullptr : dynamic_cast<M*>(m.get())), ...);
  return made;
}
}  // namespace

nn::ModuleRef convert_sync_batchnorm(const nn::ModuleRef& m, const std::string& group) {
  using nn::BatchNorm;
  nn::ModuleRef made = m->lazy() ? nn::ModuleRef() : sync_form<BatchNorm<1>, BatchNorm<2>, BatchNorm<3>>(m, group);
  if (made) return made;
  const nn::Nesting nesting;
  for (auto& child : m->parts().children) child.module = convert_sync_batchnorm(child.module, group);
  return m;
}

}  // namespace luth::dist
