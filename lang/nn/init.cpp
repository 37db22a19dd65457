// nn.init: initial values of parameters.
#include "core/nn/init.h"
#include "core/dispatch/generator.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/values/generator.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

enum class Draws { no, yes };

// nn.init.<name>(tensor, settings…): fills the tensor and returns it. What draws takes a generator by name. All may be
// given by name, the tensor too.
template <class F>
int filled(lua_State* L, const char* name, Draws draws, const Describe& describe, F fill) {
  const std::string function = std::string("nn.init.") + name;
  std::vector<std::string> others;
  if (lua_gettop(L) == 1 && is_named(L, 1)) {
    lua_getfield(L, 1, "tensor");
    lua_insert(L, 1);
    others.emplace_back("tensor");
  }
  const Tensor& t = check_tensor(L, 1, (function + ": argument 'tensor' expects").c_str());
  const int last = lua_gettop(L);
  if (draws == Draws::yes) others.emplace_back("generator");
  read_settings(L, 2, function, describe, others);
  std::optional<UseGenerator> use;
  if (draws == Draws::yes && last > 1 && is_named(L, last)) {
    lua_getfield(L, last, "generator");
    if (!is_none(L, -1)) use.emplace(check_generator(L, lua_gettop(L)));
  }
  try {
    fill(t);
  } catch (Error& e) {
    if (!e.has_context()) e.add_context(function + ": ");
    throw;
  }
  return lua_settop(L, 1), 1;
}
void no_settings(Fields&) {}

int two_numbers(lua_State* L, const char* name, const char* first, double a, const char* second, double b,
                const Tensor& (*fill)(const Tensor&, double, double)) {
  auto describe = [&](Fields& f) {
    f(first, a, "");
    f(second, b, "");
  };
  return filled(L, name, Draws::yes, describe, [&](auto& t) { fill(t, a, b); });
}
int uniform(lua_State* L) { return two_numbers(L, "uniform_", "a", 0, "b", 1, nn::init::uniform); }
int normal(lua_State* L) { return two_numbers(L, "normal_", "mean", 0, "std", 1, nn::init::normal); }
int trunc_normal(lua_State* L) {
  double mean = 0, std = 1, a = -2, b = 2;
  auto describe = [&](Fields& f) {
    f("mean", mean, "");
    f("std", std, "");
    f("a", a, "");
    f("b", b, "");
  };
  return filled(L, "trunc_normal_", Draws::yes, describe, [&](auto& t) { nn::init::trunc_normal(t, mean, std, a, b); });
}
int constant(lua_State* L) {
  double val = 0;
  return filled(
      L, "constant_", Draws::no, [&](Fields& f) { f("val", val, "", as::required); },
      [&](auto& t) { nn::init::constant(t, val); });
}
int zeros(lua_State* L) {
  return filled(L, "zeros_", Draws::no, no_settings, [](auto& t) { nn::init::constant(t, 0); });
}
int ones(lua_State* L) {
  return filled(L, "ones_", Draws::no, no_settings, [](auto& t) { nn::init::constant(t, 1); });
}
int eye(lua_State* L) { return filled(L, "eye_", Draws::no, no_settings, nn::init::eye); }
int dirac(lua_State* L) {
  int64_t groups = 1;
  return filled(
      L, "dirac_", Draws::no, [&](Fields& f) { f("groups", groups, ""); },
      [&](auto& t) { nn::init::dirac(t, groups); });
}

int xavier(lua_State* L, const char* name, const Tensor& (*fill)(const Tensor&, double)) {
  double gain = 1;
  return filled(
      L, name, Draws::yes, [&](Fields& f) { f("gain", gain, ""); }, [&](auto& t) { fill(t, gain); });
}
int xavier_uniform(lua_State* L) { return xavier(L, "xavier_uniform_", nn::init::xavier_uniform); }
int xavier_normal(lua_State* L) { return xavier(L, "xavier_normal_", nn::init::xavier_normal); }

int kaiming(lua_State* L, const char* name,
            const Tensor& (*fill)(const Tensor&, double, std::string_view, std::string_view)) {
  double a = 0;
  std::string mode = "fan_in", nonlinearity = "leaky_relu";
  auto describe = [&](Fields& f) {
    f("a", a, "");
    f("mode", mode, "");
    f("nonlinearity", nonlinearity, "");
  };
  return filled(L, name, Draws::yes, describe, [&](auto& t) { fill(t, a, mode, nonlinearity); });
}
int kaiming_uniform(lua_State* L) { return kaiming(L, "kaiming_uniform_", nn::init::kaiming_uniform); }
int kaiming_normal(lua_State* L) { return kaiming(L, "kaiming_normal_", nn::init::kaiming_normal); }

int gain(lua_State* L) {
  std::string nonlinearity;
  std::optional<double> param;
  read_settings(L, 1, "nn.init.calculate_gain", [&](Fields& f) {
    f("nonlinearity", nonlinearity, "", as::required);
    f("param", param, "");
  });
  return lua_pushnumber(L, nn::init::calculate_gain(nonlinearity, param)), 1;
}

constexpr Row init_rows[] = {
    {"uniform_", guarded<uniform>, "nn.init.uniform_(tensor, a = 0, b = 1, {generator = nil})",
     "Fills the tensor with uniform numbers from a to b."},
    {"normal_", guarded<normal>, "nn.init.normal_(tensor, mean = 0, std = 1, {generator = nil})",
     "Fills the tensor with normal numbers."},
    {"trunc_normal_", guarded<trunc_normal>,
     "nn.init.trunc_normal_(tensor, mean = 0, std = 1, a = -2, b = 2, {generator = nil})",
     "Fills the tensor with normal numbers within [a, b]."},
    {"constant_", guarded<constant>, "nn.init.constant_(tensor, val)", "Fills the tensor with a constant."},
    {"zeros_", guarded<zeros>, "nn.init.zeros_(tensor)", "Fills the tensor with zeros."},
    {"ones_", guarded<ones>, "nn.init.ones_(tensor)", "Fills the tensor with ones."},
    {"eye_", guarded<eye>, "nn.init.eye_(tensor)", "Fills the matrix with ones on the diagonal, zeros elsewhere."},
    {"dirac_", guarded<dirac>, "nn.init.dirac_(tensor, groups = 1)",
     "Fills the tensor with convolution filters that copy each channel."},
    {"xavier_uniform_", guarded<xavier_uniform>, "nn.init.xavier_uniform_(tensor, gain = 1, {generator = nil})",
     "Fills the tensor with uniform numbers up to ± gain √(6 / (fan_in + fan_out))."},
    {"xavier_normal_", guarded<xavier_normal>, "nn.init.xavier_normal_(tensor, gain = 1, {generator = nil})",
     "Fills the tensor with normal numbers of std gain √(2 / (fan_in + fan_out))."},
    {"kaiming_uniform_", guarded<kaiming_uniform>,
     "nn.init.kaiming_uniform_(tensor, a = 0, mode = 'fan_in', nonlinearity = 'leaky_relu', {generator = nil})",
     "Fills the tensor with uniform numbers up to ± gain √(3 / fan)."},
    {"kaiming_normal_", guarded<kaiming_normal>,
     "nn.init.kaiming_normal_(tensor, a = 0, mode = 'fan_in', nonlinearity = 'leaky_relu', {generator = nil})",
     "Fills the tensor with normal numbers of std gain / √fan."},
    {"calculate_gain", guarded<gain>, "nn.init.calculate_gain(nonlinearity, param?)",
     "The gain for a layer that is followed by this nonlinearity."},
};

}  // namespace

void open_init(lua_State* L, int nn) {
  lua_newtable(L);
  add_functions(L, -1, init_rows);
  lua_setfield(L, nn, "init");
}

}  // namespace luth::lang
