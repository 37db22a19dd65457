// Averages the gradients of a module over the ranks of a group while backward goes on: parameters lie in buckets, and a
// bucket is sent as soon as its last gradient is there. The method is that of PyTorch's DistributedDataParallel.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/autograd/autograd.h"
#include "core/dist/collectives.h"

namespace luth::dist {

struct ReducerOptions {
  int64_t bucket_bytes = 25 << 20;
  int64_t first_bucket_bytes = 1 << 20;  // small, so that sending begins early
  bool find_unused_parameters = false;
  bool gradient_as_bucket_view = false;  // grads are views of buckets, which saves a copy
  bool static_graph = false;             // every backward uses the parameters that the first one has used
};

/// What averages a bucket in place of an all-reduce. Called on all ranks for the same buckets in the same order.
struct BucketHook {
  std::function<void(size_t bucket)> send;      // when its gradients are there: begins
  std::function<Tensor(size_t bucket)> result;  // at the end of backward: the averages, as many as the bucket has
};
/// The ranks that take part in a backward; the others have no more inputs (Reducer::shadow).
struct Active {
  int first;  // of the run: its buffers and its order of gradients are everybody's
  int count;  // divides the sum
};

class Reducer {
 public:
  /// All ranks give the same parameters in the same order. `names` are for errors.
  Reducer(GroupRef group, TensorList parameters, std::vector<std::string> names, ReducerOptions options);
  ~Reducer();
  Reducer(const Reducer&) = delete;

  struct Bucket {
    std::vector<int> parameters;
    Tensor flat;
    TensorList views;  // of `flat`, one for each parameter
    size_t pending = 0;
    WorkRef work;
  };

  /// Before each forward: gradients of its backward arrive as soon as they are there, in the order of the graph, even
  /// if earlier graphs still live.
  void expect();
  /// After each forward whose backward is to be averaged. `outputs`: what it returned, to find the parameters that it
  /// did not use.
  void prepare(const Tensors& outputs, std::optional<Active> active = {});
  /// The next backward, and those until prepare(), keep their gradients to themselves. The next one that is averaged
  /// sends them too, since it sends the whole grads.
  void rest() { active_ = false; }
  /// Takes part, with zeros, in a backward that other ranks have prepared.
  void shadow(Active active);
  /// Once, before the first backward.
  void set_hook(BucketHook hook) { hook_ = std::move(hook); }
  /// In the order in which they are sent.
  const std::vector<Bucket>& buckets() const { return buckets_; }

 private:
  void plan(const std::vector<int>& order);
  void make_buckets(const std::vector<std::vector<int>>& plan);
  void begin(std::optional<Active> active);
  void adopt_order();
  bool learns() const { return options_.static_graph && !averaged_; }
  // There is nobody to average with.
  bool alone() const { return group_->size() == 1 && !hook_.send; }
  bool finds_unused() const { return options_.find_unused_parameters && !options_.static_graph; }
  void ready(int parameter);
  void send_ready();
  void fill(Bucket& b);
  void send(Bucket& b);
  void finish();
  void wait_for(Bucket& b);
  void deliver(Bucket& b);
  void end();
  std::vector<bool> used_by(const Tensors& outputs) const;
  void mark_unused(const std::vector<bool>& used);
  void share_used();
  [[noreturn]] void refuse_unready() const;

  GroupRef group_;
  TensorList parameters_;
  std::vector<std::string> names_;
  ReducerOptions options_;
  std::vector<int64_t> hooks_;
  std::vector<Bucket> buckets_;
  std::vector<int> bucket_of_;  // by parameter
  BucketHook hook_;

  Active ranks_;
  bool touched_ = false;  // a gradient has come since expect()
  bool active_ = false, began_ = false;
  bool averaged_ = false;       // a first backward has been
  bool rebuilt_ = false;        // buckets have its order
  size_t next_ = 0;             // the first bucket that has not been sent
  std::vector<bool> is_ready_;  // by parameter
  std::vector<bool>
      used_here_;  // by parameter, since the last backward that was averaged; of a static graph, by the first
  std::vector<uint8_t> used_;       // by parameter, on any rank, once shared
  std::vector<int> arrived_;        // parameters in the order of this backward
  std::shared_ptr<Reducer*> self_;  // null once this is gone: hooks may outlive it
};

/// Views of one flat tensor, one after the other, in the shapes of `list`.
TensorList views_of(const Tensor& flat, const TensorList& list);

/// Copies tensors of rank `src` of the run to all ranks, many in one message.
void broadcast_all(ProcessGroup& g, const TensorList& tensors, int src);

}  // namespace luth::dist
