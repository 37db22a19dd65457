// Classes of nn that are written in Lua (share/luth/torch): their methods are read when one is first called.
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr Row triplet_loss[] = {
    {"init", nullptr, "Base.init(self, {distance_function = nil, margin = 1.0, swap = false, reduction = 'mean'})",
     "The constructor, which the init of a class made from it calls first."},
    {"forward", nullptr, "loss(anchor, positive, negative)", "The loss of three tensors of vectors."},
};

constexpr Row linear_cross_entropy[] = {
    {"init", nullptr, "Base.init(self, in_features, num_classes, …)",
     "The constructor, which the init of a class made from it calls first."},
    {"forward", nullptr, "loss(input, target)", "The loss of an input [N, in_features] or [in_features]."},
    {"extra_repr", nullptr, "loss:extra_repr()", "The settings as text."},
};

// Adds a class whose methods are the functions of a Lua module.
void add_class(lua_State* L, const char* name, const char* module, std::span<const Row> methods, const char* help) {
  lua_getglobal(L, "nn");
  lua_getfield(L, -1, "class");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  add_library(L, -1, module, methods);
  document(L, -1, help);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

void open_script_classes(lua_State* L) {
  add_class(
      L, "TripletMarginWithDistanceLoss", "luth.torch.triplet_loss", triplet_loss,
      "nn.TripletMarginWithDistanceLoss({distance_function = nil, margin = 1.0, swap = false, reduction = 'mean'})\n  "
      "Like TripletMarginLoss, with the distance function of your choice, a function or module of two tensors. The "
      "default is nn.PairwiseDistance().");
  add_class(
      L, "LinearCrossEntropyLoss", "luth.torch.linear_cross_entropy", linear_cross_entropy,
      "nn.LinearCrossEntropyLoss(in_features, num_classes, {out_features = {}, bias = false, device = nil, dtype = "
      "nil, reduction = 'mean', weight = nil, ignore_index = nil, label_smoothing = 0.0})\n  The cross entropy of "
      "what a Linear of its own gives for the input. out_features: the further dims of target and logits.");
}

const Open opener("nn.script_classes", Open::extras + 10, open_script_classes);

}  // namespace
}  // namespace luth::lang
