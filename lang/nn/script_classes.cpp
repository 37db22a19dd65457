// Classes of nn that are written in Lua (share/luth/torch): their methods are read when one is first called.
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr const char* init_help = "The constructor, which the init of a class made from it calls first.";

constexpr Row triplet[] = {
    {"init", nullptr, "Base.init(self, {distance_function = nil, margin = 1.0, swap = false, reduction = 'mean'})",
     init_help},
    {"forward", nullptr, "loss(anchor, positive, negative)", "The loss of three tensors of vectors."},
};
struct ScriptClass {
  const char *name, *module, *help;
  std::span<const Row> methods;
};
constexpr ScriptClass classes[] = {
    {"TripletMarginWithDistanceLoss", "luth.torch.triplet_loss",
     "nn.TripletMarginWithDistanceLoss({distance_function = nil, margin = 1.0, swap = false, reduction = 'mean'})\n  "
     "Like TripletMarginLoss, with the distance function of your choice, a function of two tensors. The default is "
     "nn.PairwiseDistance().",
     triplet},
};

void open_script_classes(lua_State* L) {
  lua_getglobal(L, "nn");
  for (auto& c : classes) {
    lua_getfield(L, -1, "class");
    lua_pushstring(L, c.name);
    lua_call(L, 1, 1);
    add_library(L, -1, c.module, c.methods);
    document(L, -1, c.help);
    lua_setfield(L, -2, c.name);
  }
}

const Open opener("nn.script_classes", Open::extras + 10, open_script_classes);

}  // namespace
}  // namespace luth::lang
