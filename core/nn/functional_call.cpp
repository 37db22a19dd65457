#include "core/nn/functional_call.h"

#include <map>

#include "core/base/text.h"

namespace luth::nn {

Tensor& Replaced::Place::value() const {
  Parts& parts = module->parts();
  return is_buffer ? parts.buffers[i].value : parts.parameters[i].value;
}

Replaced::Replaced(Module& m, const StateDict& tensors, const FunctionalOptions& options) {
  std::map<std::string, Place> places;
  for (auto& [path, module] : m.named_modules("", true)) {
    const std::string prefix = path.empty() ? "" : path + ".";
    auto add = [&](auto& list, bool is_buffer) {
      for (size_t i = 0; i < list.size(); ++i)
        if (list[i].value) places[prefix + list[i].name] = {module, is_buffer, i, list[i].value};
    };
    add(module->parts().parameters, false);
    add(module->parts().buffers, true);
  }
  std::vector<std::string> names;
  for (auto& [name, _] : places) names.push_back(name);

  std::map<const TensorImpl*, Tensor> values;  // by the tensor that is replaced
  for (auto& e : tensors) {
    auto it = places.find(e.name);
    if (it == places.end())
      throw Error("functional_call: {} has no parameter or buffer '{}'{}", m.type(), e.name,
                  did_you_mean(e.name, names));
    Tensor& value = values[it->second.own.impl()];
    if (options.tie_weights && value && !value.same(e.value))
      throw Error("functional_call: '{}' is tied to another name that gets another tensor", e.name);
    value = e.value;
  }
  std::map<std::string, Tensor> given;
  for (auto& e : tensors) given[e.name] = e.value;
  for (auto& [name, place] : places) {
    auto own = given.find(name);
    auto tied = values.find(place.own.impl());
    Tensor value = own != given.end()                            ? own->second
                   : options.tie_weights && tied != values.end() ? tied->second
                                                                 : Tensor();
    if (!value && options.strict)
      throw Error("functional_call: '{}' of {} is not given, and strict is set", name, m.type());
    if (value) places_.push_back(place), place.value() = value;
  }
}

Replaced::~Replaced() {
  for (auto& place : places_) place.value() = place.own;
}

Values functional_call(Module& m, const StateDict& tensors, const Values& in, const Named& named,
                       const FunctionalOptions& options) {
  Replaced replaced(m, tensors, options);
  return m.call(in, named);
}

}  // namespace luth::nn
