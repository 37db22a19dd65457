#include "lang/data/samples.h"

#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

class LuaValue final : public LanguageValue {
 public:
  LuaValue(lua_State* L, int index) : value_(L, index) {}
  void push(lua_State* L) const override { value_.push(L); }

 private:
  LuaRef value_;
};

}  // namespace

void (*push_json)(lua_State* L, const std::string& text) = nullptr;

data::Sample sample_from_stack(lua_State* L, int first) {
  data::Sample s;
  const int last = lua_gettop(L);
  for (int k = first; k <= last; ++k) {
    if (Value v = to_value(L, k))
      s.push_back(v);
    else if (lua_type(L, k) == LUA_TSTRING)
      s.push_other(data::OtherRef(new data::Text({lua_tostring(L, k), lua_rawlen(L, k)})));
    else if (lua_istable(L, k) || lua_isuserdata(L, k) || lua_isfunction(L, k))
      s.push_other(data::OtherRef(new LuaValue(L, k)));
    else
      throw Error("get returned {} as value {} of a sample", given_text(L, k), k - first + 1);
  }
  if (s.empty()) throw Error("get returned nothing; it must return the values of the sample");
  return s;
}

int push_sample(lua_State* L, const data::Sample& sample) {
  const int n = push_values(L, sample), first = lua_gettop(L) - n;
  for (size_t k = 0; k < sample.others.size(); ++k) {
    const data::OtherValue* other = sample.other(k);
    if (!other) continue;
    if (auto* own = dynamic_cast<const LanguageValue*>(other))
      own->push(L);
    else if (auto& text = dynamic_cast<const data::Text&>(*other); text.kind == data::Text::Kind::json)
      push_json(L, text.bytes);
    else
      lua_pushlstring(L, text.bytes.data(), text.bytes.size());
    lua_replace(L, first + int(k) + 1);
  }
  return n;
}

}  // namespace luth::lang
