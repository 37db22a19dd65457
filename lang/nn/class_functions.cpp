// Functions and methods of single classes of modules: nn.Embedding.from_pretrained, m:log_prob(x).
#include "core/dist/sync_batch_norm.h"
#include "core/nn/adaptive_softmax.h"
#include "core/nn/embedding.h"
#include "core/nn/rnn.h"
#include "core/nn/transformer.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

int subsequent_mask(lua_State* L) {
  int64_t size = 0;
  nn::Factory factory;
  read_settings(L, to_module(L, 1) ? 2 : 1, "generate_square_subsequent_mask", [&](Fields& f) {
    f("sz", size, "rows and columns", as::required);
    factory.describe(f);
  });
  return push_tensor(L, nn::Transformer::generate_square_subsequent_mask(size, factory)), 1;
}
constexpr Row transformer_rows[] = {
    {"generate_square_subsequent_mask", guarded<subsequent_mask>,
     "nn.Transformer.generate_square_subsequent_mask(sz, {device = nil, dtype = nil})",
     "The causal mask of sz positions: -inf above the diagonal and 0 elsewhere."},
};

// ---- Tables of vectors --------------------------------------------------------------------------------------------

// The settings of a table that its rows do not give.
class SettingsBesideRows : public Fields {
 public:
  explicit SettingsBesideRows(Fields& f) : fields_(f) {}
  bool visit(const FieldInfo& info, Attr& value) override {
    const bool given = (info.as & as::required) || info.kind == AttrKind::device || info.kind == AttrKind::dtype;
    return !given && fields_.visit(info, value);
  }

 private:
  Fields& fields_;
};

// from_pretrained(embeddings, freeze, the other settings…)
template <class M>
int from_pretrained(lua_State* L) {
  const std::string function = std::string("nn.") + M::Spec::name + ".from_pretrained";
  const Tensor& rows = check_tensor(L, 1, (function + ": argument 'embeddings' expects").c_str());
  bool freeze = true;
  typename M::Spec spec;
  read_settings(L, 2, function, [&](Fields& f) {
    f("freeze", freeze, "whether the rows are not trained");
    SettingsBesideRows others(f);
    spec.describe(others);
  });
  push_module(L, nn::from_pretrained<M>(rows, freeze, std::move(spec)));
  return 1;
}
constexpr Row embedding_rows[] = {
    {"from_pretrained", guarded<from_pretrained<nn::Embedding>>,
     "nn.Embedding.from_pretrained(embeddings, freeze = true, {padding_idx = nil, max_norm = nil, norm_type = 2.0, "
     "scale_grad_by_freq = false, sparse = false})",
     "An Embedding whose weight is the matrix `embeddings` itself; it is not trained, unless freeze is false."},
};
constexpr Row embedding_bag_rows[] = {
    {"from_pretrained", guarded<from_pretrained<nn::EmbeddingBag>>,
     "nn.EmbeddingBag.from_pretrained(embeddings, freeze = true, {max_norm = nil, norm_type = 2.0, scale_grad_by_freq "
     "= false, mode = 'mean', sparse = false, include_last_offset = false, padding_idx = nil})",
     "An EmbeddingBag whose weight is the matrix `embeddings` itself; it is not trained, unless freeze is false."},
};

// ---- Others -------------------------------------------------------------------------------------------------------

// m:f(x) of a C++ class M, or of a Lua class made from it.
template <class M>
M& self_of(lua_State* L, const char* classes) {
  nn::Module* m = &self_module(L);
  if (auto* script = dynamic_cast<ScriptModule*>(m)) m = script->native().get();
  if (auto* own = dynamic_cast<M*>(m)) return *own;
  throw Error("this is a method of {}", classes);
}
template <class M, Tensor (M::*f)(const Tensor&)>
int method(lua_State* L) {
  M& m = self_of<M>(L, M::Spec::name);
  const Tensor& x = check_tensor(L, 2, "argument 'input' expects");
  nn::Frame frame(m);
  try {
    return push_tensor(L, (m.*f)(x)), 1;
  } catch (Error& e) {
    if (!e.has_module()) e.add_module(", in module " + nn::Frame::where());
    throw;
  }
}
using Adaptive = nn::AdaptiveLogSoftmaxWithLoss;
constexpr Row adaptive_rows[] = {
    {"log_prob", guarded<method<Adaptive, &Adaptive::log_prob>>, "m:log_prob(input)",
     "The log probabilities of all classes, [N, n_classes], of an input [N, in_features]."},
    {"predict", guarded<method<Adaptive, &Adaptive::predict>>, "m:predict(input)",
     "The class of the highest probability of each row of an input [N, in_features]."},
};

int convert_sync_batchnorm(lua_State* L) {
  const char* function = "nn.SyncBatchNorm.convert_sync_batchnorm";
  const nn::ModuleRef given = check_module(L, 1, "nn.SyncBatchNorm.convert_sync_batchnorm: argument 'module' expects");
  std::string group;
  read_settings(L, 2, function, [&](Fields& f) { f("process_group", group, "the group of processes, or its name"); });
  const nn::ModuleRef m = dist::convert_sync_batchnorm(given, group);
  for (auto& part : m->named_modules()) {
    push_module(L, part.module);
    update_children(L, -1);
    lua_pop(L, 1);
  }
  return push_module(L, m), 1;
}
constexpr Row sync_rows[] = {
    {"convert_sync_batchnorm", guarded<convert_sync_batchnorm>,
     "nn.SyncBatchNorm.convert_sync_batchnorm(module, process_group?)",
     "The module with a SyncBatchNorm in the place of each BatchNorm; they share parameters and buffers. The processes "
     "of the group, or all of the run, normalise together."},
};

// ---- Recurrent layers ---------------------------------------------------------------------------------------------

nn::RNNBase& self_recurrent(lua_State* L) { return self_of<nn::RNNBase>(L, "RNN, LSTM and GRU"); }
int flatten_parameters(lua_State* L) { return self_recurrent(L), 0; }
int all_weights(lua_State* L) {
  return push_items(L, self_recurrent(L).all_weights(), [&](const Tensors& list) { push_list(L, list); });
}
constexpr Row recurrent_rows[] = {
    {"flatten_parameters", guarded<flatten_parameters>, "m:flatten_parameters()",
     "Does nothing: kernels read the parameters where they lie."},
    {"all_weights", guarded<all_weights>, "m:all_weights()", "The parameters of each layer and direction, in tables."},
};

}  // namespace

std::span<const Row> functions_of_class(std::string_view name) {
  struct ClassFunctions {
    std::string_view name;
    std::span<const Row> rows;
  };
  static constexpr ClassFunctions classes[] = {{"AdaptiveLogSoftmaxWithLoss", adaptive_rows},
                                               {"Embedding", embedding_rows},
                                               {"EmbeddingBag", embedding_bag_rows},
                                               {"GRU", recurrent_rows},
                                               {"LSTM", recurrent_rows},
                                               {"RNN", recurrent_rows},
                                               {"SyncBatchNorm", sync_rows},
                                               {"Transformer", transformer_rows}};
  for (auto& c : classes)
    if (c.name == name) return c.rows;
  return {};
}

}  // namespace luth::lang
