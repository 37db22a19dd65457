// The parts of optim that are written in Lua (share/luth/optim): Torch7's functional form, and torch.optim.swa_utils.
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr const char* adam_settings =
    "One step of Adam on the vector x. config: learningRate = 1e-3, learningRateDecay = 0, beta1 = 0.9, beta2 = 0.999, "
    "epsilon = 1e-8, weightDecay = 0. epsilon is added after the bias correction, as in optim.Adam.";
constexpr Row functional[] = {
    {"sgd", nullptr, "x, losses = optim.sgd(feval, x, config, state = config)",
     "Torch7's form of a step: feval(x) returns loss and gradient; x changes in place. config: learningRate = 1e-3, "
     "learningRateDecay = 0, weightDecay = 0, momentum = 0, dampening = momentum, nesterov = false. state keeps the "
     "optimizer from call to call."},
    {"adam", nullptr, "x, losses = optim.adam(feval, x, config, state = config)", adam_settings},
    {"adamax", nullptr, "x, losses = optim.adamax(feval, x, config, state = config)",
     "One step of Adamax on the vector x. config: learningRate = 2e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-38."},
    {"adagrad", nullptr, "x, losses = optim.adagrad(feval, x, config, state = config)",
     "One step of Adagrad on the vector x. config: learningRate = 1e-3, learningRateDecay = 0, weightDecay = 0."},
    {"adadelta", nullptr, "x, losses = optim.adadelta(feval, x, config, state = config)",
     "One step of Adadelta on the vector x. config: rho = 0.9, eps = 1e-6, weightDecay = 0."},
    {"rmsprop", nullptr, "x, losses = optim.rmsprop(feval, x, config, state = config)",
     "One step of RMSprop on the vector x. config: learningRate = 1e-2, learningRateDecay = 0, alpha = 0.99, epsilon = "
     "1e-8, weightDecay = 0."},
    {"lbfgs", nullptr, "x, losses, n = optim.lbfgs(feval, x, config, state = config)",
     "Up to maxIter steps of LBFGS; losses are those of all n evaluations. config: maxIter = 20, maxEval = 1.25 "
     "maxIter, tolFun = 1e-5, tolX = 1e-9, nCorrection = 100, learningRate = 1, lineSearch = nil (any value: strong "
     "Wolfe)."},
    {"cg", nullptr, "x, losses, n = optim.cg(feval, x, config, state = config)",
     "Up to maxIter steps of Polak and Ribiere's conjugate gradients; losses are those after each line search, n "
     "counts "
     "evaluations. config: maxIter = 20, maxEval = 1.25 maxIter, rho = 0.01, sig = 0.5, ext = 3."},
};

constexpr Row averaging[] = {
    {"AveragedModel", nullptr,
     "optim.swa_utils.AveragedModel(model, {device = nil, avg_fn = nil, multi_avg_fn = nil, use_buffers = false})",
     "A copy of the model whose weights are the average of those given to update_parameters(model): the mean, or what "
     "avg_fn(average, value, n) returns, or what multi_avg_fn(averages, values, n) writes. Other buffers are copied, "
     "unless use_buffers."},
    {"update_bn", nullptr, "optim.swa_utils.update_bn(loader, model, device = nil)",
     "Computes the running statistics of all batch norms anew, over the batches of the loader."},
    {"get_ema_multi_avg_fn", nullptr, "optim.swa_utils.get_ema_multi_avg_fn(decay = 0.999)",
     "The multi_avg_fn of an exponential moving average: average * decay + value * (1 - decay)."},
    {"get_swa_multi_avg_fn", nullptr, "optim.swa_utils.get_swa_multi_avg_fn()", "The multi_avg_fn of the mean."},
    {"get_ema_avg_fn", nullptr, "optim.swa_utils.get_ema_avg_fn(decay = 0.999)",
     "The avg_fn of an exponential moving average."},
    {"get_swa_avg_fn", nullptr, "optim.swa_utils.get_swa_avg_fn()", "The avg_fn of the mean."},
};

void open_library(lua_State* L) {
  lua_getglobal(L, "optim");
  const int optim = lua_gettop(L);
  add_library(L, optim, "luth.optim.functional", functional);
  lua_newtable(L);
  add_library(L, -1, "luth.optim.swa_utils", averaging);
  lua_getfield(L, optim, "lr_scheduler");
  lua_getfield(L, -1, "SWALR");
  lua_setfield(L, -3, "SWALR");
  lua_pop(L, 1);
  lua_setfield(L, optim, "swa_utils");
  lua_pop(L, 1);
}
const Open opener("optim.library", Open::extras + 10, open_library);

}  // namespace
}  // namespace luth::lang
