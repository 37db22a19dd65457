#include "core/dist/sum_over_ranks.h"

#include "core/autograd/autograd.h"
#include "core/dist/collectives.h"
#include "core/op/basics.h"
#include "core/tensor/source_mark.h"

namespace luth::dist {
namespace {

class SumNode final : public Node {
 public:
  SumNode(GroupRef g, const Edge& edge) : group_(std::move(g)) {
    next.push_back(edge);
    mark = source_mark();
  }
  Tensors backward(const Tensors& dys) override { return {sum_over_ranks(group_, dys[0])}; }
  std::string name() const override { return "SumOverRanksBackward0"; }

 private:
  GroupRef group_;
};

}  // namespace

Tensor sum_over_ranks(const GroupRef& g, const Tensor& t) {
  Tensor total;
  {
    const NoGrad no_grad;
    total = basic::clone(t.detach());
    all_reduce(*g, total, ReduceOp::sum)->wait();
  }
  if (!grad_enabled() || !t.requires_grad()) return total;
  const Edge edge = gradient_edge(t);  // before the node: an accumulator that is new must be older
  const auto node = make<SumNode>(g, edge);
  node->results.push_back(grad_spec_of(total));
  set_history(total, node, 0);
  return total;
}

}  // namespace luth::dist
